internal import ImportModel

/// What a store cannot hold of what records bring. A file holds it all.
package struct StoreLimits: Sendable {
  /// The store, for messages.
  private let store: String
  /// The columns of texts, which may not have U+0000.
  private let texts: [Int]
  /// For the key, each further constraint and each index the columns of texts, binary values and JSON.
  private let indexed: [[Int]]
  /// How many bytes these have together.
  private let most: Int

  /// - Parameters:
  ///   - layout: of the rows.
  ///   - store: "a … server".
  ///   - most: how many bytes these may have together in one index.
  package init(_ layout: ChunkLayout, of store: String, indexedBytes most: Int) {
    (self.store, self.most) = (store, most)
    texts = (0..<layout.keptCount).filter { layout.columns[$0].attribute.type == .string }
    let indexes = layout.entity.indexes.map { $0.compactMap { layout.column(of: $0) } }
    let owners = layout.owners.map { Array($0.columns) }
    indexed = ([layout.keyColumns] + layout.constraints.map(\.columns) + owners + indexes).map { columns in
      columns.filter { [.string, .binary, .json].contains(layout.columns[$0].attribute.type) }
    }.filter { !$0.isEmpty }
  }

  /// Why the store does not hold a row of the chunk, and the attribute.
  package func refusal(_ chunk: Chunk, _ row: Int) -> (reason: RejectionReason, attribute: String)? {
    func bytes(_ column: Int) -> UnsafeBufferPointer<UInt8>? {
      chunk.state(column, row) == .value ? chunk.bytes(column, row) : nil
    }
    func name(_ column: Int) -> String { chunk.layout.columns[column].attribute.name }
    for column in texts where bytes(column)?.contains(0) == true {
      return (.nulCharacter(name(column), store), name(column))
    }
    for columns in indexed where columns.reduce(0, { $0 + (bytes($1)?.count ?? 0) }) > most {
      return (.tooLongForIndex(columns.map(name), most, store), name(columns[0]))
    }
    return nil
  }
}
