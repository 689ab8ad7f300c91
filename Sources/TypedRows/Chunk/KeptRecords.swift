/// Where the records of some rows stood, and their texts: those of a chunk's rows that may yet be rejected.
struct KeptRecords {
  private var rows: [Int] = []
  private var positions: [RecordPosition] = []
  private var texts: [(start: Int, count: Int)?] = []
  private var bytes: [UInt8] = []

  /// How many bytes it holds.
  var byteCount: Int { bytes.count + rows.count * 64 }

  mutating func clear() {
    rows.removeAll(keepingCapacity: true)
    positions.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Keeps a row's record. Rows come in ascending order.
  ///
  /// - Parameter isChild: its text is that of its whole record, as with the row before when that has the same record.
  mutating func append(
    _ row: Int, _ position: RecordPosition, text: UnsafeBufferPointer<UInt8>?, isChild: Bool
  ) {
    let isShared = isChild && positions.last?.record == position.record
    rows.append(row)
    positions.append(position)
    if isShared, let shared = texts.last { return texts.append(shared) }
    texts.append(text.map { (bytes.count, $0.count) })
    if let text { bytes.append(contentsOf: text) }
  }

  /// The record of a row that was kept, and a copy of its text.
  ///
  /// - Complexity: O(log rows).
  subscript(row: Int) -> (position: RecordPosition, text: String?) {
    let place = rows.partitioningIndex { $0 >= row }
    guard place < rows.count, rows[place] == row else {
      preconditionFailure("a row that may be rejected keeps its record")
    }
    return (
      positions[place],
      texts[place].map { String(decoding: bytes[$0.start..<$0.start + $0.count], as: UTF8.self) }
    )
  }
}
