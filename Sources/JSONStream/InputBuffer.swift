internal import CJSONStream

/// The bytes that are not done with, in one block that the caller fills.
///
///     bytes            +keep                    +count          +capacity   +64
///     | done with       | needed, or not looked at | free         | slack     |
///       ^ byte `origin` of the input
///
/// The slack is always readable: a block of 64 may be looked at, though not believed, beyond the end.
struct InputBuffer: ~Copyable {
  private(set) var bytes: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// Bytes filled, from the block's start.
  private(set) var count = 0
  /// The input's offset of the block's first byte.
  private(set) var origin: Int
  private(set) var isFinished = false
  /// A place of the block whose line is known.
  private struct Mark {
    var offset: Int
    var line: Int
    /// The input's offset of the line's first byte.
    var lineStart: Int

    init(_ position: Position, offset: Int) {
      self.offset = offset
      line = position.line
      lineStart = position.byte - (position.column - 1)
    }
  }

  private var blockStart: Mark
  /// Moves with the records, so that their positions together cost one look at each byte.
  private var mark: Mark
  /// The end of a record that is one line: from there on the next one's place is counted.
  private var lineMark: Mark

  private static let slack = 64

  private let level: Int32

  init(at position: Position, level: Int32) {
    self.level = level
    capacity = 0
    bytes = .allocate(capacity: InputBuffer.slack)
    bytes.initialize(repeating: 0, count: InputBuffer.slack)
    origin = position.byte
    blockStart = Mark(position, offset: 0)
    mark = blockStart
    lineMark = blockStart
  }

  deinit { bytes.deallocate() }

  /// Makes room for `minimum` bytes, and forgets bytes before `keep` where that makes it cheaper.
  ///
  /// A move costs the bytes kept, so it waits until as many were used up: linear over the whole input.
  ///
  /// - Returns: How far the kept bytes moved towards the start.
  mutating func makeRoom(for minimum: Int, keep: Int) -> Int {
    let kept = count - keep
    var moved = 0
    if keep > 0 && kept <= keep {
      forget(keep)
      moved = keep
    }
    if capacity - count < minimum { grow(to: max(count + minimum, capacity * 2)) }
    return moved
  }

  /// Lets `body` write behind the last byte.
  mutating func append<E: Error>(_ body: (UnsafeMutableRawBufferPointer) throws(E) -> Int) throws(E) -> Int {
    let free = UnsafeMutableRawBufferPointer(start: bytes + count, count: capacity - count)
    let written = try body(free)
    precondition(written >= 0 && written <= free.count, "a fill wrote more bytes than there was room for")
    count += written
    return written
  }

  /// No byte will follow.
  ///
  /// What stands behind the last byte now ends a number or a word.
  mutating func finish() {
    isFinished = true
    bytes[count] = UInt8(ascii: " ")
  }

  /// The line and column of a byte of the block.
  ///
  /// Linear in the bytes between it and the mark, or the block's start when the mark is behind it.
  func position(of offset: Int) -> Position {
    precondition(offset >= 0 && offset <= count, "a position is asked for bytes still in the buffer")
    let later = lineMark.offset > mark.offset && lineMark.offset <= offset ? lineMark : mark
    let known = offset >= later.offset ? later : blockStart
    let lines = InputBuffer.newlines(bytes + known.offset, count: offset - known.offset, level: level)
    var start = known.lineStart
    if lines > 0 {
      var before = offset
      while bytes[before - 1] != UInt8(ascii: "\n") { before -= 1 }
      start = origin + before
    }
    return Position(byte: origin + offset, line: known.line + lines, column: origin + offset - start + 1)
  }

  /// As `position(of:)`, and sets the mark there: for places that are asked for one after the other.
  mutating func markedPosition(of offset: Int) -> Position {
    let position = position(of: offset)
    mark = Mark(position, offset: offset)
    return position
  }

  /// As `markedPosition(of: start)`, and looks whether the bytes up to `end` are of one line.
  ///
  /// - Returns: the line, and whether they are.
  mutating func markLine(from start: Int, to end: Int) -> (line: Int, isOne: Bool) {
    let position = markedPosition(of: start)
    guard InputBuffer.newlines(bytes + start, count: end - start, level: level) == 0 else {
      return (position.line, false)
    }
    lineMark = mark
    lineMark.offset = end
    return (position.line, true)
  }

  static func newlines(_ bytes: UnsafePointer<UInt8>, count: Int, level: Int32) -> Int {
    cjson_newlines(level, bytes, count)
  }

  private mutating func forget(_ done: Int) {
    let next = position(of: done)
    blockStart = Mark(next, offset: 0)
    mark = blockStart
    lineMark = blockStart
    origin = next.byte
    count -= done
    bytes.update(from: bytes + done, count: count)
  }

  private mutating func grow(to size: Int) {
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: size + InputBuffer.slack)
    larger.update(from: bytes, count: count)
    (larger + count).initialize(repeating: 0, count: size + InputBuffer.slack - count)
    bytes.deallocate()
    bytes = larger
    capacity = size
  }
}
