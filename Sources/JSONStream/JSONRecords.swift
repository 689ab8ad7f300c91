/// The records of JSON or delimited text that arrives in pieces, as a type of the caller's.
///
///     for try await quake in JSONRecords(body, as: Quake.self, at: "features") {
///       switch quake {
///       case .success(let quake): index.add(quake)
///       case .failure(let problem): log("\(problem)")
///       }
///     }
///
/// A record that is not of the type is an element too, and those behind it follow: also a line that is no JSON, in an input of
/// lines. `map { try $0.get() }` makes it an error that ends the sequence. An input that cannot be read further ends it with a
/// `JSONError`, behind all records before that place.
///
/// Memory is bounded by the largest record and piece; but rows that come before the names of their columns are held until the
/// names come. The next piece is asked for when the records before it were taken.
public struct JSONRecords<Pieces: AsyncSequence, Record: Decodable>: AsyncSequence
where Pieces.Element: Collection<UInt8> {
  private let pieces: Pieces
  private let shape: RecordShape
  private let limits: ReaderLimits

  /// The records of pieces of bytes, such as the body of a request.
  ///
  /// - Parameters:
  ///   - pieces: the bytes, in pieces of any size.
  ///   - type: see `RecordReader.decode(as:)`.
  ///   - shape: where the records are. No field is requested that could tell several arrays apart.
  ///   - limits: what to accept at most.
  public init(
    _ pieces: Pieces, as type: Record.Type, shape: RecordShape = .automatic,
    limits: ReaderLimits = ReaderLimits()
  ) {
    (self.pieces, self.shape, self.limits) = (pieces, shape, limits)
  }

  /// The elements of the array at a path.
  public init(
    _ pieces: Pieces, as type: Record.Type, at path: FieldPath, limits: ReaderLimits = ReaderLimits()
  ) {
    self.init(pieces, as: type, shape: .array(path: path.description), limits: limits)
  }

  /// The records of bytes that come one by one, such as those of a file handle.
  public init<Bytes>(
    _ bytes: Bytes, as type: Record.Type, shape: RecordShape = .automatic,
    limits: ReaderLimits = ReaderLimits()
  ) where Pieces == BytePieces<Bytes> {
    self.init(BytePieces(bytes), as: type, shape: shape, limits: limits)
  }

  /// The elements of the array at a path.
  public init<Bytes>(
    _ bytes: Bytes, as type: Record.Type, at path: FieldPath, limits: ReaderLimits = ReaderLimits()
  ) where Pieces == BytePieces<Bytes> {
    self.init(BytePieces(bytes), as: type, at: path, limits: limits)
  }

  /// Begins to read.
  public func makeAsyncIterator() -> Iterator {
    Iterator(pieces: pieces.makeAsyncIterator(), shape: shape, limits: limits)
  }

  /// Goes from one record to the next.
  public struct Iterator: AsyncIteratorProtocol {
    private var pieces: Pieces.AsyncIterator
    private let shape: RecordShape
    private let limits: ReaderLimits
    private var feed: RecordFeed?

    fileprivate init(pieces: Pieces.AsyncIterator, shape: RecordShape, limits: ReaderLimits) {
      (self.pieces, self.shape, self.limits) = (pieces, shape, limits)
    }

    /// The next record, or what is wrong with it; nil behind the last one.
    ///
    /// - Throws: `JSONError` where the input cannot be read further; `PathError` for a path of the shape that cannot be read;
    ///   and what the bytes' sequence throws.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Result<Record, RecordFailure>? {
      let feed = try self.feed ?? RecordFeed(RecordReader(fields: [], shape: shape, limits: limits))
      self.feed = feed
      while true {
        switch try feed.next() {
        case .record: return feed.record()
        case .end: return nil
        case .needsInput: feed.take(try await pieces.next(isolation: actor))
        }
      }
    }
  }
}

extension JSONRecords: Sendable where Pieces: Sendable {}

/// A reader that has its own way with rows that come before their names.
private final class RecordFeed {
  enum Step { case record, needsInput, end }

  private var reader: RecordReader
  /// The bytes from such rows on, until their names have come.
  private var held: [UInt8]?
  /// Reads on behind such rows, while these are read.
  private var following: RecordReader?
  private var isOfHeldRows = false
  /// What ended the input behind the names; the rows are delivered before.
  private var failure: JSONError?

  init(_ reader: consuming RecordReader) { self.reader = reader }

  /// The current record.
  func record<Record: Decodable>() -> Result<Record, RecordFailure> {
    do throws(RecordFailure) {
      return .success(try reader.decode())
    } catch {
      return .failure(error)
    }
  }

  /// Takes the input's next bytes; nil for its end.
  func take(_ piece: (some Collection<UInt8>)?) {
    guard let piece else { return reader.finish() }
    reader.append(piece)
    held?.append(contentsOf: piece)
  }

  func next() throws(JSONError) -> Step {
    while true {
      switch try step() {
      case .record: return .record
      case .needsInput:
        guard isOfHeldRows else { return .needsInput }
        reader.finish()
      case .rowsBeforeNames: held = reader.withHeldBytes { $0.withUnsafeBufferPointer(Array.init) }
      case .document: if let rows = held.take() { beginRows(rows, isFollowed: true) }
      case .end:
        if let rows = held.take() {
          beginRows(rows, isFollowed: false)
        } else if let failure {
          throw failure
        } else if !endRows() {
          return .end
        }
      }
    }
  }

  private func step() throws(JSONError) -> RecordReader.Step {
    do throws(JSONError) {
      return try reader.next()
    } catch {
      guard held != nil, reader.surroundings.names != nil else { throw error }
      failure = error
      return .end
    }
  }

  /// Reads the rows, whose names are known now.
  private func beginRows(_ bytes: [UInt8], isFollowed: Bool) {
    var rows = reader.rowsReader()
    rows.append(bytes)
    swap(&reader, &rows)
    if isFollowed { following = consume rows }
    isOfHeldRows = true
  }

  /// Goes on behind the rows.
  ///
  /// - Returns: false where nothing follows.
  private func endRows() -> Bool {
    guard var next = following.take() else { return false }
    next.count(upTo: reader.recordsRead)
    swap(&reader, &next)
    isOfHeldRows = false
    return true
  }
}
