// What is known of the input as a whole, so far.
extension RecordReader {
  /// What was read around the records.
  public var surroundings: Envelope { core.pointee.envelope }

  /// Records delivered.
  public var recordsRead: Int { core.pointee.recordCount }

  /// What was found; nil before the bytes decided it.
  package var layout: Layout? { core.pointee.layoutIsKnown ? core.pointee.layout : nil }

  /// What was found, in one line of plain words; nil before the bytes decided it.
  public var shapeDescription: String? { layout?.description }

  /// Keys of records that are objects, or of columns, that no field asks for, in the order in which they were
  /// first seen; at most 256 of them.
  public var unrequestedKeys: [String] { core.pointee.unrequestedKeys }

  /// Changes when `unrequestedKeys` does, and costs less to look at.
  package var unrequestedKeyCount: Int { core.pointee.unrequestedKeyCount }

  /// The keys that wildcards of the records' path matched last, each with its component, as in `<day>`.
  package var wildcardKeys: [(component: String, key: String)] { core.pointee.route.wildcards }

  /// How often `wildcardKeys` has changed.
  package var wildcardChanges: Int { core.pointee.route.wildcardChanges }

  /// After `.rowsBeforeNames`: where the rows' array begins.
  public var heldRows: Position? { core.pointee.rowsStart }

  /// After `.rowsBeforeNames`: lends the bytes that are here already, from the rows' first byte on.
  ///
  /// The caller keeps them, and every byte that it fills in afterwards.
  public func withHeldBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    guard let rows = core.pointee.rowsStart else { preconditionFailure("no rows are held") }
    let start = rows.byte - core.pointee.input.origin
    let count = core.pointee.input.count - start
    return try body(UnsafeBufferPointer(start: core.pointee.input.bytes + start, count: count).span)
  }

  /// After `.rowsBeforeNames` and the `.document` or `.end` that followed: a reader for the kept bytes, which now have names.
  ///
  /// Its positions are those of the whole input, and it ends with the rows.
  public func rowsReader() -> RecordReader {
    guard let rows = core.pointee.rowsStart, let names = core.pointee.envelope.names else {
      preconditionFailure("the rows' names are known at the end of their document")
    }
    var layout = Layout(rows: [], names: .given(names))
    layout.endsWithRows = true
    return RecordReader(
      ReaderCore(
        fields: core.pointee.requested, children: core.pointee.children, layout: layout,
        limits: core.pointee.limits, at: rows, level: ScanLevel.best),
      after: core.pointee.recordCount)
  }

  /// Counts on: so many records were read behind `.rowsBeforeNames` by another reader.
  package mutating func count(upTo records: Int) { core.pointee.recordCount = records }
}
