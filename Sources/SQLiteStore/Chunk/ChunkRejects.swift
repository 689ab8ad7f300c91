import ImportModel

// What a chunk knows of its refused records.
extension Chunk {
  /// What surrounded a record, as `Reject.around` has it.
  package func surroundings(ofRecord record: Int) -> String? {
    var (low, high) = (0, surroundings.count)
    while low < high {
      let middle = (low + high) / 2
      if surroundings[middle].record <= record { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : surroundings[low - 1].text
  }

  /// A digest of a row's key that is the same in every process; nil when a part of the key has no value.
  package func keyDigest(_ row: Int) -> Int64? {
    var digest = Fingerprint()
    for column in layout.keyColumns {
      guard state(column, row) == .value else { return nil }
      switch layout.columns[column].storage {
      case .integer, .real: withUnsafeBytes(of: cell(column, row).littleEndian) { digest.add($0) }
      case .text, .blob: digest.add(UnsafeRawBufferPointer(bytes(column, row)))
      }
      digest.separate()
    }
    return digest.value
  }

  /// The same digest of the key that a query's current row has in its first columns.
  static func keyDigest(_ row: RawStatement, _ layout: ChunkLayout) -> Int64 {
    var digest = Fingerprint()
    for (place, column) in layout.keyColumns.enumerated() {
      let index = Int32(place)
      switch layout.columns[column].storage {
      case .integer: withUnsafeBytes(of: row.integer(index).littleEndian) { digest.add($0) }
      case .real: withUnsafeBytes(of: row.real(index).bitPattern.littleEndian) { digest.add($0) }
      case .text, .blob: digest.add(UnsafeRawBufferPointer(row.bytes(index)))
      }
      digest.separate()
    }
    return digest.value
  }

  /// Leaves out rows that are not sorted yet, as if their records had not been read.
  func leaveOut(_ isLeftOut: (Int) throws -> Bool) rethrows {
    let before = order.count
    try order.removeAll { try isLeftOut(Int($0)) }
    recordsRead -= before - order.count
  }
}

extension Reject {
  /// Whether it came before a row of the same chunk; of a child, whether its record did.
  func isBefore(_ row: Int) -> Bool {
    if let parent { return row > parent }
    return row >= rowsBefore && !(isRow && row == rowsBefore)
  }
}

extension Reject {
  /// Keeps the record's text, or the beginning of a long one.
  package mutating func keep(_ bytes: UnsafeBufferPointer<UInt8>) {
    text = String(decoding: bytes.prefix(Self.maximumText), as: UTF8.self)
    isCut = bytes.count > Self.maximumText
  }
}
