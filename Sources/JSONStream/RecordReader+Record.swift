// The current record: valid after `next()` came to `.record`, until the next call of `next()` or `fill`.
extension RecordReader {
  /// The current record's number, from 1.
  public var recordNumber: Int { core.pointee.recordCount }

  /// The input's offset of the current record's first byte.
  public var recordByte: Int { core.pointee.input.origin + core.pointee.parser.recordStart }

  /// Where the current record begins.
  ///
  /// Linear in the bytes since the record that was asked before, if it is still buffered.
  public var recordPosition: Position {
    core.pointee.input.markedPosition(of: core.pointee.parser.recordStart)
  }

  /// Why the current record cannot be used, or nil.
  public var problem: RecordProblem? { core.pointee.parser.problem }

  /// Whether the current record cannot be used.
  package var hasProblem: Bool { core.pointee.parser.hasProblem }

  /// What a field holds.
  public func kind(ofField field: Int) -> FieldKind { RecordReader.field(fields, field).kind }

  /// The input's offset of a field's first byte.
  public func byte(ofField field: Int) -> Int { recordByte + RecordReader.field(fields, field).offset }

  /// Lends a field's bytes: see `FieldKind` for what they are.
  public func withBytes<R, E: Error>(
    ofField field: Int, _ body: (Span<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    try body(RecordReader.field(fields, field).bytes.span)
  }

  /// Lends the current record's text, as it stands in the input.
  public func withRecordBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    try body(recordText.span)
  }

  /// The line and column of a byte of the input that is still buffered: any byte of the current record is.
  ///
  /// Linear in the bytes buffered before it.
  public func position(ofByte byte: Int) -> Position {
    core.pointee.input.position(of: byte - core.pointee.input.origin)
  }

  /// All fields of the current record, in the order in which they were requested; not to be kept.
  package var fields: UnsafeBufferPointer<RecordField> {
    UnsafeBufferPointer(start: core.pointee.parser.fields, count: core.pointee.requested.count)
  }

  /// The current record's text; not to be kept.
  package var recordText: UnsafeBufferPointer<UInt8> {
    let start = core.pointee.parser.recordStart
    return UnsafeBufferPointer(start: core.pointee.input.bytes + start, count: core.pointee.recordEnd - start)
  }

  /// Whether records are lines of cells, and no JSON.
  package var areCells: Bool { core.pointee.index.delimiter != nil }

  /// Lends the current record as JSON; of delimited text, as an array of numbers, strings, and null for each empty cell.
  ///
  /// Not for a record with a problem.
  package func withJSON<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    guard let delimiter = core.pointee.index.delimiter else { return body(recordText) }
    return Cell.json(of: recordText, delimiter: delimiter).withUnsafeBufferPointer(body)
  }

  static func field(_ fields: UnsafeBufferPointer<RecordField>, _ index: Int) -> RecordField {
    precondition(fields.indices.contains(index), "a field is known by its index in the requested ones")
    return fields[index]
  }
}
