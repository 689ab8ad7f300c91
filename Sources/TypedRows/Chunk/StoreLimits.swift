package import ImportModel

/// What a store cannot hold of what records bring. A file holds it all.
package struct StoreLimits: Sendable {
  /// The store, for messages.
  private let store: String
  /// The columns of texts, which may not have U+0000.
  private let texts: [Int]
  /// For the key, each further constraint and each index the columns of texts, binary values and JSON.
  private let indexed: [[Part]]
  /// How many bytes these have together.
  private let most: Int
  /// Whether a constraint or an index has several such columns, so that a row may have what is stored in some of them. Each row asks.
  package let mayJoin: Bool

  /// A column in an index, with the other spellings that its values have there.
  private struct Part {
    let column: Int
    /// Whether each row says it: the key, and an owner's.
    var isGiven = false
    var foldings: [TextFolding] = []

    /// How many bytes a value has in the index; where that is surely less than `most`, those of the value itself.
    func size(_ bytes: UnsafeBufferPointer<UInt8>, most: Int) -> Int {
      if foldings.isEmpty || bytes.count * Self.growth <= most { return bytes.count }
      return foldings.reduce(String(decoding: bytes, as: UTF8.self)) { $1.apply($0) }.utf8.count
    }

    /// No other spelling of a text has so many times its bytes.
    private static let growth = 8
  }

  /// - Parameters:
  ///   - layout: of the rows.
  ///   - model: the store's.
  ///   - store: "a … server".
  ///   - most: how many bytes these may have together in one index.
  init(_ layout: ChunkLayout, _ model: Model, of store: String, indexedBytes most: Int) {
    (self.store, self.most) = (store, most)
    texts = (0..<layout.keptCount).filter { layout.columns[$0].attribute.type == .string }
    let keys = ([layout.keyColumns] + layout.owners.map { Array($0.columns) }).map { columns in
      columns.map { Part(column: $0, isGiven: true) }
    }
    let rules = layout.constraints.map { constraint in
      constraint.columns.map { Part(column: $0, isGiven: constraint.owner != nil) }
    }
    let indexes = model.indexedAttributes(of: layout.entity).map { attributes in
      attributes.compactMap { attribute in
        layout.column(of: attribute.name).map { Part(column: $0, foldings: attribute.foldings) }
      }
    }
    // A link may make its owner.
    let ownersIndexes = layout.owners.flatMap { owner in
      model.indexedAttributes(of: owner.entity).map { attributes in
        attributes.compactMap { attribute in
          owner.columns.first { layout.columns[$0].attribute.name == attribute.name }.map {
            Part(column: $0, isGiven: true, foldings: attribute.foldings)
          }
        }
      }
    }
    indexed = (keys + rules + indexes + ownersIndexes).map { parts in
      parts.filter { [.string, .binary, .json].contains(layout.columns[$0.column].attribute.type) }
    }.filter { !$0.isEmpty }
    mayJoin = indexed.contains { $0.count > 1 && $0.contains { !$0.isGiven } }
  }

  /// Why the store does not hold a row of the chunk, and the attribute.
  ///
  /// - Parameter stored: what it has in a column of which the row says nothing.
  package func refusal(
    _ chunk: Chunk, _ row: Int, beside stored: (_ column: Int) -> Value = { _ in .null }
  ) -> (reason: RejectionReason, attribute: String)? {
    func bytes(_ column: Int) -> UnsafeBufferPointer<UInt8>? {
      chunk.state(column, row) == .value ? chunk.bytes(column, row) : nil
    }
    func name(_ column: Int) -> String { chunk.layout.columns[column].attribute.name }
    for column in texts where bytes(column)?.contains(0) == true {
      return (.nulCharacter(name(column), store), name(column))
    }
    func size(_ part: Part) -> Int {
      if let bytes = bytes(part.column) { return part.size(bytes, most: most) }
      guard chunk.layout.isSilent(chunk.state(part.column, row)) else { return 0 }
      return switch stored(part.column) {
      case .text(var text): text.withUTF8 { part.size($0, most: most) }
      case .blob(let bytes): bytes.count
      case .null, .integer, .real: 0
      }
    }
    for parts in indexed where parts.reduce(0, { $0 + size($1) }) > most {
      var names: [String] = []
      for part in parts where size(part) > 0 && !names.contains(name(part.column)) {
        names.append(name(part.column))
      }
      return (.tooLongForIndex(names, most, store), names[0])
    }
    return nil
  }
}
