/// What a reader accepts at most.
///
/// Past a limit it throws an error that says the limit.
public struct ReaderLimits: Sendable, Hashable {
  /// Arrays and objects within each other, counted from the document's top.
  public var depth: Int
  /// Bytes of one record, from its first to its last byte.
  ///
  /// A record is held in memory.
  public var recordBytes: Int
  /// Bytes of one string between its quotes, as written.
  public var stringBytes: Int
  /// Bytes of one number, as written.
  public var numberBytes: Int

  /// Limits; without arguments, the ones a feed never meets.
  public init(
    depth: Int = 512,
    recordBytes: Int = 64 << 20,
    stringBytes: Int = 64 << 20,
    numberBytes: Int = 4096
  ) {
    precondition(depth > 0 && depth <= 1 << 20, "a depth limit lies between 1 and 2^20")
    precondition(recordBytes > 0 && recordBytes <= 1 << 30, "a record limit lies between 1 byte and 1 GiB")
    precondition(stringBytes > 0 && stringBytes <= 1 << 30, "a string limit lies between 1 byte and 1 GiB")
    precondition(numberBytes > 0 && numberBytes <= 1 << 30, "a number limit lies between 1 byte and 1 GiB")
    self.depth = depth
    self.recordBytes = recordBytes
    self.stringBytes = stringBytes
    self.numberBytes = numberBytes
  }
}
