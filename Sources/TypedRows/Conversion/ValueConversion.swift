package import ImportModel

/// Reads single values for an entity's attributes as an import reads a record's: by their types, and what is declared of them.
///
/// - Note: of one row at a time, so that it costs a chunk's memory once and not for each value.
package struct ValueConversion {
  private let chunk: Chunk

  package init(_ entity: Entity, in model: Model) {
    let pipeline = Pipeline(name: entity.name, entity: entity.name, model: model, fields: [])
    chunk = Chunk(layout: ChunkLayout(pipeline, model: model))
    chunk.beginRow()
  }

  /// The names of attributes that a new row must have a value for.
  package var required: [String] { chunk.layout.required.map { chunk.layout.columns[$0].name } }

  /// A value in the attribute's stored form.
  ///
  /// - Parameters:
  ///   - value: in its stored form, or in any that an import reads.
  ///   - name: an attribute that records may bring; nil is returned for any other.
  ///   - isJSON: whether a text is JSON; asked for attributes that keep such.
  /// - Throws: `RejectionReason`, as an import rejects the record.
  package func stored(_ value: Value, of name: String, isJSON: (String) throws -> Bool) throws -> Value? {
    guard let column = chunk.layout.column(of: name), column < chunk.layout.storedCount else { return nil }
    let rules = CellRules(chunk.layout, column: column, field: nil)
    return try withExtendedLifetime(rules) {
      let converter = CellConverter(column: column, rules: rules)
      if let reason = try write(value, by: converter, rules, isJSON) { throw reason }
      return chunk.value(column)
    }
  }

  private func write(
    _ value: Value, by converter: CellConverter, _ rules: CellRules, _ isJSON: (String) throws -> Bool
  ) throws -> RejectionReason? {
    switch (value, rules.attribute.type) {
    case (.null, _): return converter.write(.null, chunk)
    case (.integer(let units), .decimal):
      // Units of its scale: a number of which an import would make them comes as text.
      chunk.set(units, converter.column)
      return rules.brokenLimit(chunk, converter.column)
    case (.integer(let number), _): return converter.write(.integer(number), chunk)
    case (.real(let number), _): return converter.write(.real(number), chunk)
    case (.text(var text), let type):
      let isStructure = try type == .json && isJSON(text)
      return text.withUTF8 { converter.write(isStructure ? .structure($0) : .text($0), chunk) }
    case (.blob(let bytes), _): return bytes.withUnsafeBufferPointer { converter.write(.blob($0), chunk) }
    }
  }
}

extension RejectionReason: Error {}
