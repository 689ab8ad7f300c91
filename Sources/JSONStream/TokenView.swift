/// The scanned bytes and their tokens, for the parts that walk them.
///
/// Valid until the next scan or fill.
struct TokenView {
  let bytes: UnsafePointer<UInt8>
  let tokens: UnsafePointer<UInt32>
  let count: Int
  let escapes: UnsafePointer<UInt32>
  /// Bytes of the buffer that are scanned.
  let end: Int
  /// Bytes of the buffer that are scanned and in which no fault can be found any more.
  let faultless: Int
  /// No token will follow.
  let isFinal: Bool

  @inline(__always) func offset(_ token: Int) -> Int { Int(tokens[token]) }
  @inline(__always) func byte(_ token: Int) -> UInt8 { bytes[Int(tokens[token])] }

  /// A number or a word is whole when a token follows it.
  @inline(__always) func isWhole(_ token: Int) -> Bool { token + 1 < count || isFinal }
}

/// How far a walk came.
enum Outcome {
  case done
  /// The tokens ended first.
  case needsInput
  /// This is not JSON, or is past a limit.
  ///
  /// The walker says where and why.
  case failed
}

/// Byte classes and the grammar of the tokens without structure.
enum Scalar {
  /// Whether a byte may follow a number or a word: white space, a quote or an operator.
  ///
  /// Any token after it is the grammar's to judge.
  @inline(__always) static func isEnd(_ byte: UInt8) -> Bool {
    // tab, line feed, carriage return, space, quote, comma, colon
    let low: UInt64 = 1 << 9 | 1 << 10 | 1 << 13 | 1 << 32 | 1 << 34 | 1 << 44 | 1 << 58
    // [ ] { }
    let high: UInt64 = 1 << 27 | 1 << 29 | 1 << 59 | 1 << 61
    guard byte < 128 else { return false }
    return (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 != 0
  }

  @inline(__always) static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
  }

  @inline(__always) static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  /// RFC 8259's number from `start` on.
  ///
  /// - Returns: The offset behind it, or the complement of the offset of the byte that cannot stand there.
  @inline(__always) static func number(_ bytes: UnsafePointer<UInt8>, _ start: Int) -> (
    end: Int, isInteger: Bool
  ) {
    var i = start
    var isInteger = true
    if bytes[i] == UInt8(ascii: "-") { i &+= 1 }
    if bytes[i] == UInt8(ascii: "0") {
      i &+= 1
    } else {
      guard isDigit(bytes[i]) else { return (~i, true) }
      repeat { i &+= 1 } while isDigit(bytes[i])
    }
    if bytes[i] == UInt8(ascii: ".") {
      isInteger = false
      i &+= 1
      guard isDigit(bytes[i]) else { return (~i, false) }
      repeat { i &+= 1 } while isDigit(bytes[i])
    }
    if bytes[i] | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      i &+= 1
      if bytes[i] == UInt8(ascii: "+") || bytes[i] == UInt8(ascii: "-") { i &+= 1 }
      guard isDigit(bytes[i]) else { return (~i, false) }
      repeat { i &+= 1 } while isDigit(bytes[i])
    }
    return (isEnd(bytes[i]) ? i : ~i, isInteger)
  }

  /// `true`, `false` or `null` from `start` on: its length, or 0.
  @inline(__always) static func word(_ bytes: UnsafePointer<UInt8>, _ start: Int) -> Int {
    let four = UnsafeRawPointer(bytes + start).loadUnaligned(as: UInt32.self).littleEndian
    let length: Int
    switch four {
    case 0x6c6c_756e, 0x6575_7274: length = 4  // "null", "true"
    case 0x736c_6166 where bytes[start + 4] == UInt8(ascii: "e"): length = 5  // "fals"
    default: return 0
    }
    return isEnd(bytes[start &+ length]) ? length : 0
  }

  /// Whether `count` bytes that end the input are the start of `true`, `false` or `null`.
  static func isCutWord(_ bytes: UnsafePointer<UInt8>, _ start: Int, end: Int) -> Bool {
    let found = UnsafeBufferPointer(start: bytes + start, count: end - start)
    return ["true", "false", "null"].contains { $0.utf8.count > found.count && $0.utf8.starts(with: found) }
  }

  /// Whether a whole `null` stands at `start`.
  @inline(__always) static func isNull(_ bytes: UnsafePointer<UInt8>, _ start: Int) -> Bool {
    UnsafeRawPointer(bytes + start).loadUnaligned(as: UInt32.self).littleEndian == 0x6c6c_756e
      && isEnd(bytes[start &+ 4])
  }

  /// The length of the escape at `backslash`, or 0 where JSON has no such escape.
  @inline(__always) static func escape(_ bytes: UnsafePointer<UInt8>, _ backslash: Int) -> Int {
    switch bytes[backslash + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return 2
    case UInt8(ascii: "u"):
      for i in 2..<6 where hexDigit(bytes[backslash + i]) == nil { return 0 }
      return 6
    default:
      return 0
    }
  }

  @inline(__always) static func hexDigit(_ byte: UInt8) -> UInt32? {
    if isDigit(byte) { return UInt32(byte &- 0x30) }
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? UInt32(letter) + 10 : nil
  }
}
