internal import ImportModel

// Hashes of cells, to find equal keys without keeping them.
extension Chunk {
  /// A hash of the values that a row has in some columns; nil when one of them has no value.
  ///
  /// Equal values have equal hashes within a process. Texts are equal when their bytes are.
  package func digest(of columns: [Int], row: Int) -> Int? {
    var hasher = Hasher()
    for column in columns {
      guard state(column, row) == .value else { return nil }
      combine(column, row, into: &hasher)
    }
    return hasher.finalize()
  }

  /// A hash of all that a row has.
  package func digestOfAll(row: Int) -> Int {
    var hasher = Hasher()
    for column in layout.columns.indices {
      // Most of a wide row's cells may be absent.
      let state = state(column, row)
      guard state != .absent else { continue }
      hasher.combine(column)
      hasher.combine(state.rawValue)
      if state == .value { combine(column, row, into: &hasher) }
    }
    return hasher.finalize()
  }

  private func combine(_ column: Int, _ row: Int, into hasher: inout Hasher) {
    switch layout.storages[column] {
    case .integer: hasher.combine(integer(column, row))
    case .real: hasher.combine(real(column, row))
    case .text, .blob:
      let bytes = bytes(column, row)
      hasher.combine(bytes.count)
      hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    }
  }
}
