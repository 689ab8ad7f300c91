internal import CJSONStream

/// Where the tokens of the buffered bytes stand: stage 1's result, kept up as bytes arrive.
///
///     tokens   | committed: whole blocks of 64 | tentative: the last, partial block |
///              ^ dropped up to the reader's cursor before each further scan
///
/// A partial block is scanned from the state before it and again when more of it is there: a byte's meaning hangs
/// on the bytes before it alone, so a second scan lists the same tokens first, and cursors into them stay right.
struct TokenIndex: ~Copyable {
  private(set) var tokens: UnsafeMutablePointer<UInt32>
  private(set) var count = 0
  /// Every escaping backslash within a string; a last entry that no position reaches ends the list.
  private(set) var escapes: UnsafeMutablePointer<UInt32>
  private(set) var escapeCount = 0
  /// Bytes of the buffer that are scanned, or the place of the fault.
  private(set) var end: Int
  private(set) var fault: Fault?

  /// `end`, or the start of a UTF-8 sequence that is cut there and may yet turn out to be wrong.
  private(set) var faultless = 0

  /// What ends the scan: bytes that no text has, whatever stands around them; in JSON's strings, any control character.
  enum Fault { case controlInString, notUTF8 }

  private var tokenCapacity = 0
  private var escapeCapacity = 0
  private var committedTokens = 0
  private var committedEscapes = 0
  private var scan = CJSONScan()
  private var blockStart: Int
  private let level: Int32
  /// What stands between the cells of delimited text; nil for JSON.
  var delimiter: UInt8?

  /// One call scans at most this many bytes, so that the tokens stay in the fast cache.
  static let window = 16 << 10

  init(level: Int32) {
    self.level = level
    tokens = .allocate(capacity: 0)
    escapes = .allocate(capacity: 1)
    escapes[0] = .max
    end = 0
    blockStart = 0
  }

  deinit {
    tokens.deallocate()
    escapes.deallocate()
  }

  /// Starts behind a byte order mark.
  mutating func start(at offset: Int) {
    end = offset
    blockStart = offset
  }

  /// Starts anew behind a line that is given up: what is listed so far is forgotten.
  mutating func restart(at offset: Int) {
    (count, committedTokens, escapeCount, committedEscapes) = (0, 0, 0, 0)
    escapes[0] = .max
    scan = CJSONScan()
    fault = nil
    faultless = offset
    start(at: offset)
  }

  /// What may be dropped before a scan when all before these cursors is done with.
  func droppable(token: Int, escape: Int) -> (tokens: Int, escapes: Int) {
    (min(token, committedTokens), min(escape, committedEscapes))
  }

  /// The bytes before this offset are not needed when `keep` is the first that the reader needs.
  func forgettable(keep: Int) -> Int { min(keep, blockStart) }

  mutating func drop(tokens dropped: Int, escapes droppedEscapes: Int) {
    if dropped > 0 {
      count -= dropped
      committedTokens -= dropped
      tokens.update(from: tokens + dropped, count: count)
    }
    if droppedEscapes > 0 {
      escapeCount -= droppedEscapes
      committedEscapes -= droppedEscapes
      escapes.update(from: escapes + droppedEscapes, count: escapeCount + 1)
    }
  }

  /// The buffer's bytes moved `distance` towards its start.
  ///
  /// Dropped tokens must have been dropped before.
  mutating func move(by distance: Int) {
    guard distance > 0 else { return }
    let shift = UInt32(distance)
    for i in 0..<count { tokens[i] &-= shift }
    for i in 0..<escapeCount { escapes[i] &-= shift }
    end -= distance
    faultless -= distance
    blockStart -= distance
    scan.utf8Start &-= shift
  }

  /// Scans the next bytes of a buffer that holds `available`.
  mutating func extend(_ bytes: UnsafePointer<UInt8>, available: Int) {
    count = committedTokens
    escapeCount = committedEscapes
    let length = min(available - blockStart, TokenIndex.window)
    reserve(length)
    let whole = length & ~63
    end = blockStart
    var state = scan
    run(bytes, from: blockStart, count: whole, &state)
    scan = state
    committedTokens = count
    committedEscapes = escapeCount
    if fault == nil {
      blockStart += whole
      end = blockStart + (length - whole)
      run(bytes, from: blockStart, count: length - whole, &state)
    }
    escapes[escapeCount] = .max
    faultless = fault == nil && state.utf8Missing > 0 ? Int(state.utf8Start) : end
  }

  private mutating func run(
    _ bytes: UnsafePointer<UInt8>, from start: Int, count length: Int, _ state: inout CJSONScan
  ) {
    var found = CJSONTokens(
      tokens: tokens, tokenCount: count, escapes: escapes, escapeCount: escapeCount, faultAt: 0,
      fault: Int32(CJSON_NO_FAULT))
    if let delimiter {
      cdelimited_scan(level, &state, &found, bytes + start, UInt32(start), length, delimiter)
    } else {
      cjson_scan(level, &state, &found, bytes + start, UInt32(start), length)
    }
    count = found.tokenCount
    escapeCount = found.escapeCount
    guard found.fault != Int32(CJSON_NO_FAULT) else { return }
    end = Int(found.faultAt)
    fault = Int(found.fault) == CJSON_CONTROL_IN_STRING ? .controlInString : .notUTF8
  }

  /// Room for a token and an escape a byte, and for the 64 entries that a block may write beyond.
  private mutating func reserve(_ length: Int) {
    let wanted = length + 128
    if tokenCapacity - count < wanted {
      tokenCapacity = max(tokenCapacity * 2, count + wanted)
      tokens = TokenIndex.moved(tokens, count, to: tokenCapacity)
    }
    if escapeCapacity - escapeCount < wanted {
      escapeCapacity = max(escapeCapacity * 2, escapeCount + wanted)
      escapes = TokenIndex.moved(escapes, escapeCount, to: escapeCapacity)
    }
  }

  private static func moved(
    _ list: UnsafeMutablePointer<UInt32>, _ count: Int, to capacity: Int
  ) -> UnsafeMutablePointer<UInt32> {
    let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
    larger.update(from: list, count: count)
    list.deallocate()
    return larger
  }
}

/// Which version of the scan runs.
enum ScanLevel {
  /// Byte by byte, on any machine.
  static let scalar = Int32(CJSON_SCALAR)
  /// What every machine of this kind has: SSE2, or NEON.
  static let baseline = Int32(CJSON_BASELINE)
  /// The best that this machine has.
  static let best = cjson_has_avx2() ? Int32(CJSON_BEST) : Int32(CJSON_BASELINE)
}
