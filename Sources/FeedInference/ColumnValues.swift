internal import ImportModel
internal import JSONStream
internal import TypedRows

/// What all values of one column show: sets of types that only shrink, and counts.
struct ColumnValues {
  /// Records that bring null.
  private(set) var nulls = 0
  private(set) var booleans = 0
  private(set) var numbers = 0
  private(set) var texts = 0
  /// Objects and arrays that are kept whole.
  private(set) var structures = 0
  /// Arrays among them, and those that hold nothing.
  private(set) var arrays = 0
  private(set) var emptyArrays = 0
  /// What those show that could be points.
  private(set) var points = PointValues()
  /// The text that all texts are; nil where they differ, or are long.
  private(set) var onlyText: [UInt8]?
  /// Texts that could be numbers.
  private(set) var numberTexts = 0
  private(set) var facts: ValueFacts = []
  /// What every value could be.
  private(set) var candidates = TypeCandidates.all
  /// What every value could be that is no spelling of missing.
  private(set) var spelledCandidates = TypeCandidates.all
  private(set) var spellings: [MissingSpelling] = []
  /// Smallest and largest whole number, and whether all are whole thousands.
  private(set) var smallest = Int64.max
  private(set) var largest = Int64.min
  private(set) var areThousands = true
  /// Values other than the words `0` and `1` that a boolean is written with.
  private(set) var hasBooleanWords = false
  /// Texts that are a direction, such as `N`; that are a number with one behind it, such as `22.0S`; and empty ones.
  private(set) var directions = 0
  private(set) var numbersWithDirection = 0
  private(set) var emptyTexts = 0
  /// The directions that were seen.
  private(set) var compass: Compass = []
  /// The numbers, of texts too, that may stand for no value, and the range of the others.
  private(set) var sentinels: [MissingSpelling] = []
  private(set) var lowest = Double.infinity
  private(set) var highest = -Double.infinity
  /// The fewest and most decimals that numbers are written with, the most digits before them, and whether any has an
  /// exponent.
  private var fewestDecimals = Int.max
  private var mostDecimals = 0
  private var mostDigits = 0
  private var hasExponent = false

  /// Values that are there.
  var count: Int { booleans + numbers + texts + structures }

  /// How many of them are no objects or arrays.
  var scalars: Int { booleans + numbers + texts }

  /// The fewest and most decimals that numbers are written with; nil where they have none, or more than amounts of money
  /// have, and where a decimal does not hold them.
  var decimals: (fewest: Int, most: Int)? {
    guard 1...4 ~= mostDecimals, !hasExponent, mostDigits <= 14 else { return nil }
    return (fewestDecimals, mostDecimals)
  }

  mutating func takeNull() { nulls += 1 }

  mutating func takeObject() { structures += 1 }

  mutating func takeArray(_ elements: PointValues.Elements) {
    structures += 1
    arrays += 1
    if elements.count == 0 { emptyArrays += 1 }
    points.take(elements)
  }

  mutating func takeBoolean() {
    booleans += 1
    hasBooleanWords = true
    candidates.formIntersection(.ofBoolean)
    spelledCandidates.formIntersection(.ofBoolean)
  }

  mutating func take(number bytes: UnsafeBufferPointer<UInt8>) {
    numbers += 1
    takeMagnitude(bytes)
    narrow(bytes, to: TypeCandidates(number: bytes, &facts))
  }

  mutating func take(text bytes: UnsafeBufferPointer<UInt8>) {
    texts += 1
    if texts == 1, bytes.count <= MissingSpelling.longest { onlyText = Array(bytes) }
    if let text = onlyText, !bytes.elementsEqual(text) { onlyText = nil }
    if bytes.count > 20, !facts.contains(.accessKey), Self.hasAccessKey(bytes) { facts.insert(.accessKey) }
    let found = TypeCandidates(
      text: bytes, among: candidates.union(spelledCandidates).union([.double]), &facts)
    if found.contains(.double) || found.contains(.integer) {
      numberTexts += 1
      takeMagnitude(bytes)
    }
    takeDirection(bytes)
    if found.contains(.boolean), bytes.count > 1 { hasBooleanWords = true }
    narrow(bytes, to: found)
  }

  /// Notes where the values lie, apart from those that often stand for none.
  private mutating func takeMagnitude(_ bytes: UnsafeBufferPointer<UInt8>) {
    takeDecimals(bytes)
    if bytes.count <= MissingSpelling.longest, MissingSpelling.isSentinel(bytes) {
      return MissingSpelling.count(bytes, in: &sentinels)
    }
    guard let number = NumberParsing.double(bytes, grammar: .text) else { return }
    lowest = min(lowest, number)
    highest = max(highest, number)
  }

  /// Notes how a number is written.
  private mutating func takeDecimals(_ bytes: UnsafeBufferPointer<UInt8>) {
    let point = bytes.firstIndex(of: UInt8(ascii: "."))
    let decimals = point.map { bytes.count - $0 - 1 } ?? 0
    fewestDecimals = min(fewestDecimals, decimals)
    mostDecimals = max(mostDecimals, decimals)
    mostDigits = max(mostDigits, (point ?? bytes.count) - (bytes[0].isDigit ? 0 : 1))
    hasExponent = hasExponent || bytes.contains { $0 | 0x20 == UInt8(ascii: "e") }
  }

  private mutating func takeDirection(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let last = bytes.last else { return emptyTexts += 1 }
    guard let direction = Compass(last) else { return }
    if bytes.count == 1 {
      directions += 1
    } else {
      let number = UnsafeBufferPointer(rebasing: bytes.dropLast())
      guard number[0].isDigit, NumberParsing.double(number, grammar: .text) != nil else { return }
      numbersWithDirection += 1
    }
    compass.insert(direction)
  }

  /// Whether a link carries what gives its caller access.
  private static func hasAccessKey(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.contains(UInt8(ascii: "?")) || bytes.contains(UInt8(ascii: "&")) else { return false }
    let text = String(decoding: bytes, as: UTF8.self).lowercased()
    return ["api_key=", "apikey=", "access_token=", "api-key="].contains { text.contains($0) }
  }

  private mutating func narrow(_ bytes: UnsafeBufferPointer<UInt8>, to found: TypeCandidates) {
    if found.contains(.integer), let number = try? IntegerText.value(bytes) {
      smallest = min(smallest, number)
      largest = max(largest, number)
      if number % 1000 != 0 { areThousands = false }
    }
    candidates.formIntersection(found)
    guard !spelledCandidates.isSubset(of: found) else { return }
    if bytes.count <= MissingSpelling.longest, MissingSpelling.isKnown(bytes) {
      MissingSpelling.count(bytes, in: &spellings)
    } else {
      spelledCandidates.formIntersection(found)
    }
  }
}

/// A text that may mean that there is no value, and how often it came.
struct MissingSpelling {
  let text: String
  private(set) var count = 1

  static let longest = 7

  private static let words: Set<String> = [
    "", "na", "n/a", "#n/a", "-", "--", "---", ".", "?", "null", "none", "nil", "nan", "missing", "unknown",
    "tbd", "999", "9999", "99999", "999999", "-1", "-99", "-999", "-9999", "-99999", "999.9", "9999.9",
  ]

  /// Numbers that stand for no value in many feeds, and are far from what is measured.
  private static let sentinelWords: Set<String> = [
    "-9", "-99", "-999", "-9999", "-99999", "-999.0", "-999.9", "-9999.0", "-9999.9", "999", "9999", "99999",
    "999999",
    "999.0", "999.9", "9999.0", "9999.9", "99999.0", "99999.9", "99.99", "999.99",
  ]

  static func isSentinel(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = bytes.first, first == UInt8(ascii: "9") || first == UInt8(ascii: "-") else {
      return false
    }
    return sentinelWords.contains(String(decoding: bytes, as: UTF8.self))
  }

  static func isKnown(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    words.contains(String(decoding: bytes, as: UTF8.self).lowercased())
  }

  static func count(_ bytes: UnsafeBufferPointer<UInt8>, in spellings: inout [MissingSpelling]) {
    if let index = spellings.firstIndex(where: { $0.text.utf8.elementsEqual(bytes) }) {
      spellings[index].count += 1
    } else {
      spellings.append(MissingSpelling(text: String(decoding: bytes, as: UTF8.self)))
    }
  }
}
