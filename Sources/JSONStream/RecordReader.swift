/// Reads records from JSON that arrives in pieces.
///
/// It does no input or output of its own: the caller fills its buffer, and pulls.
///
///     var reader = try RecordReader(fields: ["date", "alt"])
///     reading: while true {
///       switch try reader.next() {
///       case .record:
///         guard reader.problem == nil, let date = reader.string(ofField: "date") else { continue }
///       case .needsInput:
///         let count = reader.fill(minimum: 65536) { free in read(0, free.baseAddress, free.count) }
///         if count == 0 { reader.finish() }
///       case .rowsBeforeNames: …
///       case .document: continue
///       case .end: break reading
///       }
///     }
///
/// `JSONRecords` does all this for an asynchronous sequence of bytes. Memory is bounded by the largest record and one fill,
/// whatever the input's size. Every call costs time linear in the bytes it passes; no byte is scanned twice, save those of
/// the last, partial block of 64.
public struct RecordReader: ~Copyable {
  /// What `next()` came to.
  public enum Step: Sendable, Hashable {
    /// A record is there, until the next call of `next()` or `fill`.
    case record
    /// The buffered bytes are used up: call `fill` or `finish`.
    case needsInput
    /// The rows come before the names of their columns.
    ///
    /// See `rowsReader()`.
    case rowsBeforeNames
    /// A document has ended, and another one begins behind it.
    ///
    /// Until the next call of `next()`, the surroundings are those of the one that ended.
    case document
    /// The input is complete, and was right.
    case end
  }

  let core: UnsafeMutablePointer<ReaderCore>

  /// A reader for a new input.
  ///
  /// - Parameters:
  ///   - fields: What to decode of each record. Fields are known by their index in this list.
  ///   - children: Arrays within each record to walk as records of their own, see `nextChild(of:)`.
  ///   - shape: Where the records are.
  ///   - limits: What to accept at most.
  /// - Throws: `PathError` for a path in `shape` that cannot be read.
  public init(
    fields: [FieldPath], children: [ChildFields] = [], shape: RecordShape = .automatic,
    limits: ReaderLimits = ReaderLimits()
  ) throws(PathError) {
    self.init(
      ReaderCore(
        fields: fields, children: children, layout: try Layout(shape), limits: limits, at: Position(),
        level: ScanLevel.best))
  }

  /// - Parameter records: how many the input had before.
  init(_ core: consuming ReaderCore, after records: Int = 0) {
    self.core = .allocate(capacity: 1)
    self.core.initialize(to: core)
    self.core.pointee.recordCount = records
  }

  deinit {
    core.deinitialize(count: 1)
    core.deallocate()
  }

  /// Lets `body` write the input's next bytes into the reader's own memory, behind the last byte.
  ///
  /// The current record and its bytes are gone after this.
  ///
  /// - Parameters:
  ///   - minimum: The least free bytes that `body` gets, at most 1 GiB; it may get more.
  ///   - body: Writes bytes from the start of what it is given and returns how many.
  /// - Returns: What `body` returned.
  @discardableResult
  public mutating func fill<E: Error>(
    minimum: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) -> Int {
    precondition(minimum > 0 && minimum <= 1 << 30, "a fill asks for at least one byte, at most 1 GiB")
    precondition(!core.pointee.input.isFinished, "the input was said to be finished")
    return try core.pointee.fill(minimum: minimum, body)
  }

  /// Copies bytes into the buffer: `fill` for callers that have them already.
  public mutating func append(_ bytes: Span<UInt8>) { append(bytes.bytes) }

  /// Copies bytes into the buffer.
  public mutating func append(_ bytes: some Collection<UInt8>) {
    let count = bytes.count
    guard count > 0 else { return }
    fill(minimum: count) { free in
      free.copyBytes(from: bytes)
      return count
    }
  }

  /// Copies bytes into the buffer.
  public mutating func append(_ bytes: RawSpan) {
    guard bytes.byteCount > 0 else { return }
    fill(minimum: bytes.byteCount) { free in
      bytes.withUnsafeBytes { free.copyMemory(from: $0) }
      return bytes.byteCount
    }
  }

  /// No more bytes will come.
  public mutating func finish() {
    if !core.pointee.input.isFinished { core.pointee.input.finish() }
  }

  /// Goes on to the next record.
  ///
  /// - Throws: `JSONError` where the input cannot be read further; all complete records before that place were
  ///   delivered. Every later call throws the same.
  public mutating func next() throws(JSONError) -> Step {
    try core.pointee.next()
  }
}
