internal import CLibPQ

extension PostgreSQLConnection {
  /// So many bytes go over at a time.
  private static let piece = 65_536

  /// Sends new rows to a table, a piece at a time: memory does not grow with them.
  ///
  ///     │ signature │ 8 zeros │ n │ field … │ n │ field … │ … │ -1 │          (PostgreSQL's COPY … (FORMAT binary))
  ///
  /// - Parameters:
  ///   - table: the table with its columns: `"Quake"("id", "magnitude")`.
  ///   - columns: how many there are.
  ///   - row: appends the fields of a row.
  /// - Returns: how many there are then: another program's trigger may keep some out.
  /// - Throws: what the server says, as of an INSERT.
  @discardableResult
  package func copy(
    into table: String, columns: Int, rows: Int, _ row: (Int, inout BinaryFields) -> Void
  ) throws -> Int {
    try send("COPY \(table) FROM STDIN (FORMAT binary)", [])
    _ = try receive()
    var fields = BinaryFields(capacity: Self.piece / 8)
    fields.write(bytes: Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0x00] + [UInt8](repeating: 0, count: 8))
    for place in 0..<rows {
      fields.write(Int16(truncatingIfNeeded: columns))
      row(place, &fields)
      if fields.bytes.count >= Self.piece { try put(&fields) }
    }
    fields.write(Int16(-1))
    try put(&fields)
    guard library.putCopyEnd(connection, nil) == 1 else { throw failure }
    var written = 0
    while let result = try receive() { written = result.affected }
    return written
  }

  private func put(_ fields: inout BinaryFields) throws {
    let isSent = fields.bytes.withUnsafeBytes { bytes in
      library.putCopyData(
        connection, bytes.bindMemory(to: CChar.self).baseAddress, Int32(truncatingIfNeeded: bytes.count))
    }
    guard isSent == 1 else { throw failure }
    fields.removeAll()
  }
}
