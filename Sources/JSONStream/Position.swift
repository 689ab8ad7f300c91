/// A place in the input.
public struct Position: Sendable, Hashable {
  /// Bytes before this place, from 0.
  public var byte: Int
  /// The line, from 1.
  ///
  /// Lines end with a line feed.
  public var line: Int
  /// Bytes from the line's start, from 1.
  public var column: Int

  /// A place; without arguments, the input's start.
  public init(byte: Int = 0, line: Int = 1, column: Int = 1) {
    self.byte = byte
    self.line = line
    self.column = column
  }
}
