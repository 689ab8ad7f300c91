internal import ImportInput
internal import JSONStream

/// An input as records: fills the reader from the bytes, and spools rows that come before their names.
struct RecordInput: ~Copyable {
  /// The reader; its current record is valid until the next `next`.
  var reader: RecordReader
  private let input: ByteInput
  /// Goes on with the import's next input.
  private(set) var limit: InputLimit
  /// The spooled rows that are read now, when they came before their names.
  private var spool: Spool?
  /// What the reader of the whole input knew at its end.
  private var ended: Envelope?
  private var endedShape: String?
  /// What went wrong behind the spooled rows; thrown after them.
  private var waiting: (any Error)?

  /// What `next` came to.
  enum Step {
    case record
    /// Nothing came until the deadline.
    case idle
    case end
  }

  private static let readSize = 256 * 1024

  init(_ input: ByteInput, reader: consuming RecordReader, limit: InputLimit = InputLimit()) {
    self.input = input
    self.limit = limit
    self.reader = reader
  }

  /// The input's name, as messages say it.
  var name: String { input.name }

  /// Input bytes taken so far, compressed ones of a compressed input.
  var bytes: Int { Int(input.bytesRead) }

  /// The input's size in the same bytes, if it is known.
  var totalBytes: Int? { input.totalBytes.map(Int.init) }

  /// The digest of the bytes taken so far, of a file that may be known again.
  var digest: [UInt8]? { input.digest }

  /// What stands around the records, as far as it was read; all of it after the end.
  var envelope: Envelope { ended ?? reader.surroundings }

  /// What shape was found, in one line of plain words; nil before the bytes decided it.
  var shapeDescription: String? { endedShape ?? reader.shapeDescription }

  /// Goes on to the next record.
  ///
  /// - Parameter deadline: when to give up waiting for a slow pipe.
  mutating func next(until deadline: ContinuousClock.Instant?) throws -> Step {
    while true {
      switch try reader.next() {
      case .record:
        try limit.takeRecord()
        return .record
      case .end:
        if let waiting { throw waiting }
        return .end
      case .needsInput:
        if spool == nil {
          guard try fill(until: deadline) else { return .idle }
        } else {
          try fillFromSpool()
        }
      case .rowsBeforeNames:
        try spoolRows()
      }
    }
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
    do {
      while try reader.next() != .end { _ = try fill(until: nil, keeping: spool) }
    } catch {
      guard reader.surroundings.names != nil else { throw error }
      waiting = error
    }
    ended = reader.surroundings
    endedShape = reader.shapeDescription
    reader = reader.rowsReader()
    try spool.rewind()
    self.spool = spool
  }
}
