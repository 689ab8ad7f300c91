internal import ImportModel
internal import JSONStream
internal import TypedRows

/// The types that a value, or all values of a column, could be converted to.
struct TypeCandidates: OptionSet {
  let rawValue: UInt16

  init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  static let boolean = TypeCandidates(rawValue: 1 << 0)
  static let integer = TypeCandidates(rawValue: 1 << 1)
  static let double = TypeCandidates(rawValue: 1 << 2)
  static let uuid = TypeCandidates(rawValue: 1 << 3)
  /// A date or day whose form needs no declaration.
  static let date = TypeCandidates(rawValue: 1 << 4)
  static let monthFirst = TypeCandidates(rawValue: 1 << 5)
  static let dayFirst = TypeCandidates(rawValue: 1 << 6)
  static let string = TypeCandidates(rawValue: 1 << 7)

  /// A day that a number or a code could be too, in this century or the two around it: `20251231`, `2026-328`.
  static let bareDay = TypeCandidates(rawValue: 1 << 8)

  static let all = TypeCandidates(rawValue: 0x1ff)
  static let dates: TypeCandidates = [.date, .monthFirst, .dayFirst]

  /// A boolean of JSON.
  static let ofBoolean: TypeCandidates = .boolean

  /// What a number of JSON could be.
  ///
  /// - Parameter facts: gets what else there is to say of it.
  init(number bytes: UnsafeBufferPointer<UInt8>, _ facts: inout ValueFacts) {
    self = .string
    guard bytes.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: "-") }) else {
      if let number = NumberParsing.double(bytes, grammar: .json), number.isFinite { insert(.double) }
      return
    }
    insertInteger(bytes, &facts)
    if bytes.count == 8 { insertBareDay(bytes) }
  }

  /// What a text could be.
  ///
  /// - Parameter known: the candidates that are still of interest; others are not tried.
  init(text bytes: UnsafeBufferPointer<UInt8>, among known: TypeCandidates, _ facts: inout ValueFacts) {
    self = .string
    guard let first = bytes.first, known != .string else { return }
    if known.contains(.boolean), (try? BooleanText.value(bytes)) != nil { insert(.boolean) }
    if !known.isDisjoint(with: [.integer, .double]) { insertNumber(bytes, &facts) }
    if known.contains(.uuid), bytes.contains(UInt8(ascii: "-")), Self.isUUID(bytes) { insert(.uuid) }
    if Self.isBare(bytes) {
      if known.contains(.bareDay) { insertBareDay(bytes) }
    } else if first.isDigit || Self.beginsName(first), !known.isDisjoint(with: Self.dates) {
      insertDates(bytes, among: known, &facts)
    }
  }

  // MARK: Numbers

  private mutating func insertNumber(_ bytes: UnsafeBufferPointer<UInt8>, _ facts: inout ValueFacts) {
    let isSigned = bytes[0] == UInt8(ascii: "-") || bytes[0] == UInt8(ascii: "+")
    let digits = bytes.dropFirst(isSigned ? 1 : 0)
    guard let first = digits.first, first.isDigit || first == UInt8(ascii: ".") else { return }
    // A code, not a number: it would lose its noughts.
    if first == UInt8(ascii: "0"), digits.count > 1, digits[digits.startIndex + 1].isDigit {
      if digits.allSatisfy(\.isDigit) { facts.insert(.leadingZero) }
      return
    }
    if digits.allSatisfy(\.isDigit) { return insertInteger(bytes, &facts) }
    if let number = NumberParsing.double(bytes, grammar: .text), number.isFinite { insert(.double) }
  }

  private mutating func insertInteger(_ bytes: UnsafeBufferPointer<UInt8>, _ facts: inout ValueFacts) {
    guard let number = try? IntegerText.value(bytes) else {
      facts.insert(.beyond64Bits)
      return
    }
    insert(.integer)
    // A double past this skips whole numbers: two ids could become one.
    if number.magnitude <= 1 << 53 { insert(.double) }
  }

  // MARK: Texts of a form

  /// Whether only digits stand there, or the year and the day of the year: a day in this form has nothing of a date's look.
  private static func isBare(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let isOrdinal = bytes.count == 8 && bytes[4] == UInt8(ascii: "-")
    return bytes.enumerated().allSatisfy { $1.isDigit || isOrdinal && $0 == 4 }
  }

  private mutating func insertBareDay(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count == 8, let date = try? DateScanner(bytes, form: nil), date.isOfOurTime else { return }
    insert(.bareDay)
  }

  /// Whether a letter or a slash can begin a date: `Tue, 24 Nov 2026`, `Nov 24, 2026`, `/Date(0)/`.
  private static func beginsName(_ byte: UInt8) -> Bool {
    switch byte | 0x20 {
    case UInt8(ascii: "a"), UInt8(ascii: "d"), UInt8(ascii: "f"), UInt8(ascii: "j"), UInt8(ascii: "m"),
      UInt8(ascii: "n"), UInt8(ascii: "o"), UInt8(ascii: "s"), UInt8(ascii: "t"), UInt8(ascii: "w"),
      UInt8(ascii: "/"):
      true
    default: false
    }
  }

  private static func isUUID(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: UUIDText.length) { output in
      guard let start = output.baseAddress else { return false }
      return (try? UUIDText.write(bytes, to: start)) != nil
    }
  }

  private mutating func insertDates(
    _ bytes: UnsafeBufferPointer<UInt8>, among known: TypeCandidates, _ facts: inout ValueFacts
  ) {
    let forms: [(TypeCandidates, DateForm?)] = [
      (.date, nil), (.monthFirst, .monthFirst), (.dayFirst, .dayFirst),
    ]
    for (candidate, form) in forms where known.contains(candidate) {
      guard let date = try? DateScanner(bytes, form: form) else { continue }
      insert(candidate)
      if date.time.microsecond != 0 || date.hasRest { facts.insert(.fraction) }
      if date.time.microsecond % 1000 != 0 || date.hasRest { facts.insert(.microseconds) }
      if date.hasTime { facts.insert(.timeOfDay) }
      if date.isLocal { facts.insert(.localTime) }
      // Where no form must be said, none makes a difference.
      if form == nil {
        formUnion(Self.dates)
        return
      }
    }
  }
}

/// What values show besides their types.
struct ValueFacts: OptionSet {
  let rawValue: UInt8

  /// Digits that begin with a nought, as codes do.
  static let leadingZero = ValueFacts(rawValue: 1 << 0)
  /// A whole number that 64 bits do not hold.
  static let beyond64Bits = ValueFacts(rawValue: 1 << 1)
  /// A date with a time.
  static let timeOfDay = ValueFacts(rawValue: 1 << 2)
  /// A date with a fraction of a second.
  static let fraction = ValueFacts(rawValue: 1 << 3)
  /// A link with the caller's key in it.
  static let accessKey = ValueFacts(rawValue: 1 << 4)
  /// A time without a zone.
  static let localTime = ValueFacts(rawValue: 1 << 5)
  /// A date with a fraction of a millisecond.
  static let microseconds = ValueFacts(rawValue: 1 << 6)
}
