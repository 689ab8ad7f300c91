internal import FeedReading
internal import ImportModel

/// The type that is proposed for a column, and what a person should know about it.
struct TypeChoice {
  var type: AttributeType
  var dateForm: DateForm?
  /// Whether there are times without a zone.
  private(set) var hasLocalTimes = false
  /// Remarks, each a few words.
  var notes: [String] = []
  /// Whether the attribute is written as a comment: what it holds should not be kept unasked.
  var isLeftOut = false
  /// What the column would be if the texts in `missing` meant that there is no value.
  var alternative: (type: AttributeType, dateForm: DateForm?, missing: [String])?

  /// A type that needs no choice.
  init(_ type: AttributeType) {
    self.type = type
  }

  /// Chooses for a column of the given name.
  init(_ values: ColumnValues, name: String) {
    hasLocalTimes = values.facts.contains(.localTime)
    guard values.count > 0 else {
      type = .string
      notes = ["never has a value"]
      return
    }
    guard values.structures == 0 else {
      type = .json
      if values.scalars > 0 { notes = ["mixed: not always an object or array"] }
      return
    }
    if values.candidates.isEmpty {
      type = .json
      notes = ["mixed: booleans and other values"]
      return
    }
    let choice = Self.typed(values.candidates, values, name)
    type = choice?.type ?? .string
    dateForm = choice?.form
    if type == .integer64, values.texts > 0 {
      // As a number `007` would be `7`, and two codes one.
      type = .string
      alternative = (.integer64, nil, [])
      notes = ["digits in texts, kept as they are; if they are numbers:"]
    }
    if values.candidates.contains(.bareDay), type != .day, dateForm?.isEpoch != true {
      alternative = (.day, nil, [])
      notes = ["could be days such as 20251231 or 2025-365, or codes; if they are days:"]
      return
    }
    if alternative != nil { return }
    if let note = choice?.note { notes.append(note) }
    if choice != nil { proposeSentinels(values) }
    guard choice == nil else { return }
    isLeftOut = values.facts.contains(.accessKey)
    notes += Self.notesOnText(values)
    proposeMissing(values, name)
  }

  // MARK: Types

  /// The narrowest type; nil when only text is left.
  private static func typed(
    _ candidates: TypeCandidates, _ values: ColumnValues, _ name: String
  ) -> (type: AttributeType, form: DateForm?, note: String?)? {
    if candidates.contains(.bareDay), namesTime(name, or: ["day", "on"]) {
      return (.day, nil, "days such as 20251231 or 2025-365, by the name")
    }
    if candidates.contains(.integer) {
      if let epoch = epoch(values, name) { return epoch }
      return (.integer64, nil, nil)
    }
    if candidates.contains(.boolean) { return (.boolean, nil, nil) }
    if candidates.contains(.double) { return (.double, nil, nil) }
    if candidates.contains(.uuid) { return (.uuid, nil, nil) }
    let type =
      values.facts.contains(.timeOfDay)
      ? AttributeType.date(precision: precision(values.facts)) : .day
    switch candidates.intersection(.dates) {
    case let dates where dates.contains(.date): return (type, nil, nil)
    case .monthFirst: return (type, .monthFirst, nil)
    case .dayFirst: return (type, .dayFirst, nil)
    default: return nil
    }
  }

  private static func precision(_ facts: ValueFacts) -> DatePrecision {
    if facts.contains(.microseconds) { return .microseconds }
    return facts.contains(.fraction) ? .milliseconds : .seconds
  }

  /// Whole numbers that count from 1970, by name and by size: 1990 to 2049.
  private static func epoch(
    _ values: ColumnValues, _ name: String
  ) -> (type: AttributeType, form: DateForm?, note: String?)? {
    let seconds: Range<Int64> = 631_152_000..<2_524_608_000
    guard namesTime(name) else { return nil }
    if seconds.contains(values.smallest), seconds.contains(values.largest) {
      return (.date(precision: .seconds), .epochSeconds, "numbers, taken as seconds since 1970")
    }
    guard seconds.contains(values.smallest / 1000), seconds.contains(values.largest / 1000) else {
      return nil
    }
    return (
      .date(precision: values.areThousands ? .seconds : .milliseconds), .epochMilliseconds,
      "numbers, taken as milliseconds since 1970"
    )
  }

  /// Whether a name speaks of a time.
  private static func namesTime(_ name: String, or others: [String] = []) -> Bool {
    let words = NameWords.of(name).map { $0.lowercased() }
    let known =
      ["time", "date", "at", "ts", "timestamp", "datetime", "updated", "created", "modified", "epoch"]
    return words.contains { known.contains($0) || others.contains($0) } && words.last != "zone"
  }

  // MARK: Remarks

  private static func notesOnText(_ values: ColumnValues) -> [String] {
    var notes: [String] = []
    if values.facts.contains(.accessKey) { notes.append("left out: its links carry the caller's access key") }
    if values.facts.contains(.beyond64Bits) { notes.append("numbers beyond 64 bits: kept as text") }
    if values.facts.contains(.leadingZero) { notes.append("leading noughts: kept as text") }
    if values.candidates.contains([.monthFirst, .dayFirst]) {
      notes.append("dates that could be day-first or month-first: say which with `format:`")
    }
    let numbers = values.numbers + values.numberTexts
    if notes.isEmpty, numbers > 0, numbers < values.count, values.spellings.isEmpty {
      notes.append("mixed: \(numbers.grouped) of \(values.count.grouped) are numbers")
    } else if notes.isEmpty, values.numbers > 0, values.texts > 0, values.spellings.isEmpty {
      notes.append("mixed: numbers and texts")
    }
    return notes
  }

  /// Numbers that are far from all others, and that many feeds write where there is no value.
  private mutating func proposeSentinels(_ values: ColumnValues) {
    guard values.lowest <= values.highest else { return }
    let reach = max(abs(values.lowest), abs(values.highest))
    let found = values.sentinels.filter { sentinel in
      guard let number = Double(sentinel.text) else { return false }
      return number < 0 ? values.lowest >= 0 || -number > 10 * reach : number > 10 * reach
    }
    guard !found.isEmpty, found.reduce(0, { $0 + $1.count }) < values.count else { return }
    alternative = (type, dateForm, found.map(\.text))
    let list = found.prefix(4).map { "\($0.text) in \($0.count.grouped)" }
    notes.append("\(list.joined(separator: ", ")), far from the others; if that means missing:")
  }

  private mutating func proposeMissing(_ values: ColumnValues, _ name: String) {
    guard !values.spellings.isEmpty, values.spelledCandidates != .all,
      let choice = Self.typed(values.spelledCandidates, values, name), choice.form?.isEpoch != true
    else { return }
    let obstacles = values.spellings.filter { !$0.isTaken(by: values.spelledCandidates) }
    guard !obstacles.isEmpty else { return }
    alternative = (choice.type, choice.form, obstacles.map(\.text))
    let list = obstacles.prefix(4).map { "\(YAMLText.quoted($0.text)) in \($0.count.grouped)" }
    notes.append("text because of \(list.joined(separator: ", ")); if that means missing:")
  }
}

extension DateForm {
  /// Whether dates are numbers.
  var isEpoch: Bool { self == .epochSeconds || self == .epochMilliseconds }
}

extension MissingSpelling {
  /// Whether the spelling is a value like any other for the narrowest of the types.
  fileprivate func isTaken(by candidates: TypeCandidates) -> Bool {
    var facts: ValueFacts = []
    let own = Array(text.utf8).withUnsafeBufferPointer {
      TypeCandidates(text: $0, among: .all, &facts)
    }
    return candidates.subtracting(.string).isSubset(of: own)
  }
}
