package import ImportInput
package import JSONStream

/// An input as records: fills the reader from the bytes, and spools rows that come before their names.
package struct RecordInput: ~Copyable {
  /// The reader; its current record is valid until the next `next`.
  package var reader: RecordReader
  private let input: ByteInput
  /// Goes on with the import's next input.
  private(set) var limit: InputLimit
  /// The spooled rows that are read now, when they came before their names.
  private var spool: Spool?
  /// What the reader of the whole input knew at its end.
  private var ended: Envelope?
  private var endedLayout: Layout?
  /// What went wrong behind the spooled rows; thrown after them.
  private var waiting: (any Error)?
  /// Reads on behind the spooled rows' document.
  private var next: RecordReader?
  /// What holds the documents against what they say of themselves; goes on with the import's next input.
  private(set) var check: DocumentCheck
  /// Records read of the present document.
  private var readOfDocument = 0
  /// Documents that have ended.
  package private(set) var documents = 0

  /// What `next` came to.
  package enum Step {
    case record
    /// Nothing came until the deadline.
    case idle
    case end
  }

  private static let readSize = 256 * 1024

  package init(
    _ input: ByteInput, reader: consuming RecordReader, limit: InputLimit = InputLimit(),
    check: DocumentCheck = DocumentCheck()
  ) {
    self.input = input
    self.limit = limit
    self.check = check
    self.reader = reader
  }

  /// The input's name, as messages say it.
  package var name: String { input.name }

  /// The next input of the same import.
  package func following(_ input: ByteInput, reader: consuming RecordReader) -> RecordInput {
    RecordInput(input, reader: reader, limit: limit, check: check)
  }

  /// Input bytes taken so far, compressed ones of a compressed input.
  var bytes: Int { Int(input.bytesRead) }

  /// The input's size in the same bytes, if it is known.
  var totalBytes: Int? { input.totalBytes.map(Int.init) }

  /// The digest of the bytes taken so far, of a file that may be known again.
  var digest: [UInt8]? { input.digest }

  /// The digest of all bytes of a file, of which none count as read by it.
  func digestOfAll() throws -> [UInt8]? { try input.digestOfAll() }

  /// Whether the current record is the first of its document.
  package var isFirstOfDocument: Bool { readOfDocument == 1 }

  /// What stands around the records of the present document, as far as it was read; all of it after the end.
  package var envelope: Envelope { ended ?? reader.surroundings }

  /// What shape was found; nil before the bytes decided it.
  package var layout: Layout? { endedLayout ?? reader.layout }

  /// Goes on to the next record.
  ///
  /// - Parameter deadline: when to give up waiting for a slow pipe.
  /// - Throws: what the reader and the input throw, and `ImportError` when a document does not have what it says.
  package mutating func next(until deadline: ContinuousClock.Instant?) throws -> Step {
    while true {
      let step = try reader.next()
      // Nothing else stands here: the room that the other cases need on the stack would cost every record.
      guard case .record = step else {
        if let end = try goOn(step, until: deadline) { return end }
        continue
      }
      try limit.takeRecord()
      readOfDocument += 1
      if readOfDocument == 1 { try beginDocument() }
      return .record
    }
  }

  @inline(never)
  private mutating func beginDocument() throws { try check.begin(envelope, input: name) }

  /// Does what the reader wants.
  ///
  /// - Returns: what `next` came to; nil when the reader can go on.
  @inline(never)
  private mutating func goOn(_ step: RecordReader.Step, until deadline: ContinuousClock.Instant?) throws
    -> Step?
  {
    switch step {
    case .record: return .record
    case .document:
      try endDocument()
    case .end:
      if let waiting { throw waiting }
      try endDocument()
      return goOnBehindSpool() ? nil : .end
    case .needsInput:
      if spool == nil { return try fill(until: deadline) ? nil : .idle }
      try fillFromSpool()
    case .rowsBeforeNames:
      try spoolRows()
    }
    return nil
  }

  /// - Parameter spool: keeps what comes, too.
  /// - Returns: false when nothing came until the deadline.
  private mutating func fill(
    until deadline: ContinuousClock.Instant?, keeping spool: Spool? = nil
  ) throws -> Bool {
    let (input, room) = (input, try limit.room())
    let deadline = [deadline, limit.deadline].compactMap(\.self).min()
    var (read, limit) = (ByteInput.Read.idle, limit)
    try reader.fill(minimum: Self.readSize) { free throws(InputError) in
      let free = UnsafeMutableRawBufferPointer(rebasing: free.prefix(room))
      read = try input.read(into: free, until: deadline)
      guard case .bytes(let all) = read else { return 0 }
      let count = limit.take(bytes: all)
      try spool?.append(UnsafeRawBufferPointer(rebasing: free[..<count]))
      return count
    }
    self.limit = limit
    if read == .end { reader.finish() }
    if read == .idle { try limit.checkTime() }
    return read != .idle
  }

  private mutating func fillFromSpool() throws {
    guard let spool else { return }
    let count = try reader.fill(minimum: Self.readSize) { free throws(InputError) in
      try spool.read(into: free)
    }
    if count == 0 { reader.finish() }
  }

  /// Keeps the rows on disk, reads on to the names, and comes back to the rows with them.
  ///
  /// An error behind the names waits until the rows are delivered.
  private mutating func spoolRows() throws {
    let spool = try Spool(for: input.name)
    try reader.withHeldBytes { bytes in try bytes.withUnsafeBytes { try spool.append($0) } }
    var isFollowed = false
    do {
      reading: while true {
        switch try reader.next() {
        case .document:
          isFollowed = true
          break reading
        case .end: break reading
        default: _ = try fill(until: nil, keeping: spool)
        }
      }
    } catch {
      guard reader.surroundings.names != nil else { throw error }
      waiting = error
    }
    ended = reader.surroundings
    endedLayout = reader.layout
    var rows = reader.rowsReader()
    swap(&reader, &rows)
    if isFollowed { next = consume rows }
    try spool.rewind()
    self.spool = spool
  }

  private mutating func endDocument() throws(ImportError) {
    try check.end(envelope, read: readOfDocument, input: name)
    readOfDocument = 0
    documents += 1
  }

  /// Goes to the document behind the one whose rows were spooled.
  ///
  /// - Returns: false when there is none.
  private mutating func goOnBehindSpool() -> Bool {
    guard var following = next.take() else { return false }
    following.count(upTo: reader.recordsRead)
    swap(&reader, &following)
    (spool, ended) = (nil, nil)
    return true
  }
}
