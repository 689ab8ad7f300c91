package import ImportModel

// Comparisons of the cell just written (at `row`) with a value of the same storage class.
extension Chunk {
  /// Whether the cell holds the value.
  package func holds(_ value: Value, _ column: Int) -> Bool {
    guard state(column, row) == .value else { return value == .null }
    return switch value {
    case .null: false
    case .integer(let number): integer(column, row) == number
    case .real(let number): real(column, row) == number
    case .text(let text): bytes(column, row).elementsEqual(text.utf8)
    case .blob(let blob): bytes(column, row).elementsEqual(blob)
    }
  }

  /// Whether the cell's value comes before another, in the type's own order.
  package func isLess(_ column: Int, than value: Value) -> Bool {
    guard state(column, row) == .value else { return false }
    return switch value {
    case .null: false
    case .integer(let number): integer(column, row) < number
    case .real(let number): real(column, row) < number
    case .text(let text): bytes(column, row).lexicographicallyPrecedes(text.utf8)
    case .blob(let blob): bytes(column, row).lexicographicallyPrecedes(blob)
    }
  }

  /// Whether the cell's value comes after another, in the type's own order.
  package func isGreater(_ column: Int, than value: Value) -> Bool {
    state(column, row) == .value && value != .null && !holds(value, column) && !isLess(column, than: value)
  }

  /// The length of a text in Unicode scalars, of a binary value in bytes.
  package func length(_ column: Int) -> Int {
    guard state(column, row) == .value else { return 0 }
    switch layout.columns[column].storage {
    case .integer, .real: return 0
    case .blob: return bytes(column, row).count
    // Every scalar has one byte that does not continue another.
    case .text: return bytes(column, row).count { $0 & 0xc0 != 0x80 }
    }
  }
}

extension Chunk {
  /// Whether the record under way says nothing of a column.
  package func isAbsent(_ column: Int) -> Bool { memory.pointee.isAbsent(column) }

  /// Puts a stored value into the row.
  package func set(_ value: Value, _ column: Int) {
    switch value {
    case .null: setNull(column)
    case .integer(let value): set(value, column)
    case .real(let value): set(value, column)
    case .text(let text): Array(text.utf8).withUnsafeBufferPointer { set($0, column) }
    case .blob(let bytes): bytes.withUnsafeBufferPointer { set($0, column) }
    }
  }

  /// The stored value in a cell of the row; null for an absent one.
  func value(_ column: Int) -> Value {
    guard state(column, row) == .value else { return .null }
    return switch layout.columns[column].storage {
    case .integer: .integer(integer(column, row))
    case .real: .real(real(column, row))
    case .text: .text(String(decoding: bytes(column, row), as: UTF8.self))
    case .blob: .blob(Array(bytes(column, row)))
    }
  }
}
