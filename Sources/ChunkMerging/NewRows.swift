package import ImportModel
package import TypedRows

extension Chunk {
  /// The required attribute for which a new row would have no value.
  package func missingAttribute(_ row: Int) -> Attribute? {
    layout.required.first { state($0, row) == .absent }.map { layout.columns[$0].attribute }
  }

  /// Rejects a row that has no value for a required attribute.
  package func rejectIncomplete(_ row: Int, _ attribute: Attribute, input: String) {
    reject(row, .missing(attribute.name), attribute: attribute.name, input: input)
  }

  /// A new row needs a value for each required attribute, and takes the default for what its record left out.
  ///
  /// - Returns: those that are not rejected.
  package func completed(_ rows: [Int32], input: String) -> [Int32] {
    var rows = rows
    for (column, settings) in layout.columns[..<layout.storedCount].enumerated() {
      let attribute = settings.attribute
      guard attribute.isRequired || attribute.defaultValue != nil else { continue }
      rows.removeAll { row in
        let row = Int(row)
        guard state(column, row) == .absent else { return false }
        if let value = attribute.defaultValue {
          set(value, column, row)
          return false
        }
        rejectIncomplete(row, attribute, input: input)
        return true
      }
    }
    return rows
  }

  /// Puts a stored value into a cell.
  package func set(_ value: Value, _ column: Int, _ row: Int) {
    switch value {
    case .null: set(.null, 0, column, row)
    case .integer(let value): set(.value, UInt64(bitPattern: value), column, row)
    case .real(let value): set(.value, value.bitPattern, column, row)
    case .text(let text): set(.value, Array(text.utf8).withUnsafeBufferPointer(keep), column, row)
    case .blob(let bytes): set(.value, bytes.withUnsafeBufferPointer(keep), column, row)
    }
  }
}
