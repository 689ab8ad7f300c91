/// Where a walk stands: a plain value of a few words.
struct GrammarState {
  /// What may come next.
  enum Expectation: UInt8 {
    case value, elementOrEnd, keyOrEnd, key, colon, commaOrEnd
    /// The top-level value is complete.
    case nothing
  }

  /// What a walk can fail for; the codes of the errors are strings, and have no place in a tight loop.
  enum FailureCode: UInt8 {
    case expectedValue, expectedValueOrBracket, expectedKey, expectedColon, expectedCommaOrBracket
    case expectedCommaOrBrace, unexpectedWord, malformedNumber, malformedEscape, contentAfterDocument
    case depthLimit, stringLimit, numberLimit
  }

  /// One bit for each open container, the innermost at `depth - 1`: 1 is an object.
  typealias Containers = UnsafeMutablePointer<UInt64>

  /// The next token, and the first escape that is not before it.
  var cursor = 0
  var escape = 0
  var expectation = Expectation.value
  /// Arrays and objects that are open.
  var depth = 0
  /// Why and where (an offset in the buffer) the walk failed.
  private(set) var failureCode = FailureCode.expectedValue
  private(set) var failureOffset = 0

  func isInObject(_ containers: Containers) -> Bool {
    depth > 0 && containers[(depth &- 1) / 64] &>> UInt64((depth &- 1) % 64) & 1 != 0
  }

  /// Whether a value has just ended.
  var isBetweenValues: Bool { expectation.rawValue >= Expectation.commaOrEnd.rawValue }

  /// Takes one token; a string's two quotes are one.
  @inline(__always)
  mutating func step(_ view: TokenView, _ containers: Containers, _ limits: ReaderLimits) -> Outcome {
    guard cursor < view.count else { return .needsInput }
    let offset = view.offset(cursor)
    let byte = view.bytes[offset]
    switch expectation {
    case .elementOrEnd where byte == UInt8(ascii: "]"):
      close()
    case .value, .elementOrEnd:
      return value(view, byte, offset, containers, limits)
    case .keyOrEnd where byte == UInt8(ascii: "}"):
      close()
    case .key, .keyOrEnd:
      guard byte == UInt8(ascii: "\"") else { return fail(.expectedKey, offset) }
      let outcome = string(view, offset, limits)
      guard outcome == .done else { return outcome }
      expectation = .colon
    case .colon:
      guard byte == UInt8(ascii: ":") else { return fail(.expectedColon, offset) }
      cursor &+= 1
      expectation = .value
    case .commaOrEnd:
      let inObject = isInObject(containers)
      if byte == UInt8(ascii: ",") {
        cursor &+= 1
        expectation = inObject ? .key : .value
      } else if byte == (inObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
        close()
      } else {
        return fail(inObject ? .expectedCommaOrBrace : .expectedCommaOrBracket, offset)
      }
    case .nothing:
      return fail(.contentAfterDocument, offset)
    }
    return .done
  }

  @inline(__always)
  private mutating func value(
    _ view: TokenView, _ byte: UInt8, _ offset: Int, _ containers: Containers, _ limits: ReaderLimits
  ) -> Outcome {
    switch byte {
    case UInt8(ascii: "\""):
      let outcome = string(view, offset, limits)
      guard outcome == .done else { return outcome }
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard depth < limits.depth else { return fail(.depthLimit, offset) }
      let bit = 1 &<< UInt64(depth % 64)
      let isObject = byte == UInt8(ascii: "{")
      if isObject { containers[depth / 64] |= bit } else { containers[depth / 64] &= ~bit }
      depth &+= 1
      cursor &+= 1
      expectation = isObject ? .keyOrEnd : .elementOrEnd
      return .done
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      let end = Scalar.number(view.bytes, offset).end
      let stop = end < 0 ? ~end : end
      // A number is decided where the first byte that is no part of it is certain.
      guard stop < view.faultless || view.isWhole(cursor) else {
        return view.faultless - offset > limits.numberBytes ? fail(.numberLimit, offset) : .needsInput
      }
      guard stop - offset <= limits.numberBytes else { return fail(.numberLimit, offset) }
      if end < 0 { return view.isFinal && stop >= view.end ? .needsInput : fail(.malformedNumber, stop) }
      cursor &+= 1
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
      guard view.isWhole(cursor) || isDecided(view, word: offset) else { return .needsInput }
      if Scalar.word(view.bytes, offset) == 0 {
        let isCut = view.isFinal && Scalar.isCutWord(view.bytes, offset, end: view.end)
        return isCut ? .needsInput : fail(.unexpectedWord, offset)
      }
      cursor &+= 1
    default:
      return fail(expectation == .elementOrEnd ? .expectedValueOrBracket : .expectedValue, offset)
    }
    complete()
    return .done
  }

  @inline(__always)
  private mutating func string(_ view: TokenView, _ open: Int, _ limits: ReaderLimits) -> Outcome {
    let isClosed = cursor &+ 1 < view.count
    let close = isClosed ? view.offset(cursor &+ 1) : view.faultless
    let limit = open &+ 1 &+ limits.stringBytes
    while Int(view.escapes[escape]) < close {
      let backslash = Int(view.escapes[escape])
      // Of two mistakes the one that shows first counts; in a string that goes on, only what is all there.
      guard backslash &+ 5 < limit || close <= limit else { break }
      guard isClosed || backslash &+ 5 < close else { return .needsInput }
      if Scalar.escape(view.bytes, backslash) == 0 { return fail(.malformedEscape, backslash) }
      escape &+= 1
    }
    guard close <= limit else { return fail(.stringLimit, open) }
    guard isClosed else { return .needsInput }
    cursor &+= 2
    return .done
  }

  private mutating func close() {
    cursor &+= 1
    depth &-= 1
    complete()
  }

  private mutating func complete() { expectation = depth == 0 ? .nothing : .commaOrEnd }

  /// Whether a word that no token follows yet has its end in sight, or is longer than any there is.
  private func isDecided(_ view: TokenView, word start: Int) -> Bool {
    let last = min(start + 5, view.faultless - 1)
    guard start <= last else { return false }
    return last == start + 5 || (start...last).contains { Scalar.isEnd(view.bytes[$0]) }
  }

  private mutating func fail(_ code: FailureCode, _ offset: Int) -> Outcome {
    failureCode = code
    failureOffset = offset
    return .failed
  }
}

extension GrammarState.FailureCode {
  var code: JSONError.Code {
    switch self {
    case .expectedValue: .expectedValue
    case .expectedValueOrBracket: .expectedValueOrBracket
    case .expectedKey: .expectedKey
    case .expectedColon: .expectedColon
    case .expectedCommaOrBracket: .expectedCommaOrBracket
    case .expectedCommaOrBrace: .expectedCommaOrBrace
    case .unexpectedWord: .unexpectedWord
    case .malformedNumber: .malformedNumber
    case .malformedEscape: .malformedEscape
    case .contentAfterDocument: .contentAfterDocument
    case .depthLimit: .depthLimit
    case .stringLimit: .stringLimit
    case .numberLimit: .numberLimit
    }
  }
}
