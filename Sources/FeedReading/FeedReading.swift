internal import ImportInput
package import ImportModel
internal import JSONStream
package import TypedRows

/// The reading side of an import without the rest, as far as one wants it: for measures.
package enum FeedReading {
  /// How far the bytes go.
  package enum Depth: Sendable {
    /// Read, and unpacked when they are gzip or zstd.
    case bytes
    /// Parsed into records.
    case records
    /// Typed into the rows of a chunk.
    case rows
    /// With the results of expressions, sorted by key.
    case chunks
  }

  /// Reads a whole input on the calling thread.
  ///
  /// - Parameters:
  ///   - visit: called with each chunk when `depth` is `chunks`; its `order` has the rows that would land.
  /// - Returns: how many bytes came, inflated, or how many records.
  /// - Throws: `ImportError`, as the import would. Rejected records are no error.
  @discardableResult
  package static func read(
    _ pipeline: Pipeline, from path: String, to depth: Depth, visit: (Chunk) throws -> Void = { _ in }
  ) throws -> Int {
    do {
      return try readAll(pipeline, try ByteInput(.path(path), cancellation: Cancellation()), depth, visit)
    } catch {
      throw ImportError(reading: error, input: path, isStored: false)
    }
  }

  private static func readAll(
    _ pipeline: Pipeline, _ input: ByteInput, _ depth: Depth, _ visit: (Chunk) throws -> Void
  ) throws -> Int {
    if depth == .bytes { return try count(input) }
    let layout = ChunkLayout(pipeline, model: pipeline.model)
    let stage = try RecordStage(pipeline, layout: layout, input: input.name)
    var records = RecordInput(input, reader: try stage.reader(RecordShape(pipeline.records)))
    let chunk = Chunk(layout: layout)
    let limits = ChunkLimits()
    var count = 0
    func flushBatch() throws {
      if depth == .chunks { return try stage.flushBatch(chunk) }
      // A record with very many children has some of theirs evaluated all the same.
      for rows in chunk.children + [chunk] { rows.flushBatch() }
    }
    func finish() throws {
      try flushBatch()
      if depth == .chunks {
        chunk.sortAndFold()
        try visit(chunk)
      }
      chunk.clear()
    }
    while case .record = try records.next(until: nil) {
      count += 1
      guard depth != .records else { continue }
      if chunk.isBatchFull { try flushBatch() }
      try stage.add(&records.reader, to: chunk)
      if chunk.recordsRead >= limits.rows || chunk.byteCount >= limits.bytes { try finish() }
    }
    try finish()
    return count
  }

  private static func count(_ input: ByteInput) throws -> Int {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 64)
    defer { buffer.deallocate() }
    var count = 0
    while true {
      switch try input.read(into: buffer, until: nil) {
      case .bytes(let read): count += read
      case .idle: continue
      case .end: return count
      }
    }
  }
}
