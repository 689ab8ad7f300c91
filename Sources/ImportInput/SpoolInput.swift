extension ByteInput {
  /// Reads what was spooled, from its first byte, as plain bytes.
  ///
  /// - Parameters:
  ///   - spool: Nobody else reads it meanwhile.
  ///   - name: Whose bytes they are, for messages.
  /// - Throws: `cannotSpool`.
  package convenience init(
    rereading spool: Spool, name: String, cancellation: Cancellation
  ) throws(InputError) {
    try spool.rewind()
    self.init(SpoolInput(spool, name: name, cancellation: cancellation))
  }
}

/// Bytes that were spooled before.
final class SpoolInput: RawInput {
  let name: String
  let isStdin = false
  let emptyFact = Fact.silentStream
  private(set) var taken: Int64 = 0
  private let spool: Spool
  private let cancellation: Cancellation

  init(_ spool: Spool, name: String, cancellation: Cancellation) {
    self.spool = spool
    self.name = name
    self.cancellation = cancellation
  }

  var total: Int64? { spool.count }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, until deadline: ContinuousClock.Instant?
  ) throws(InputError) -> ByteInput.Read {
    if cancellation.isCancelled { throw InputError(.cancelled(byte: taken), input: name) }
    let count = try spool.read(into: buffer)
    taken += Int64(count)
    return count == 0 ? .end : .bytes(count)
  }
}
