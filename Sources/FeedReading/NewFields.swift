public import ImportModel
internal import JSONStream

/// A field of the records that the pipeline does not use, and that no earlier run has met.
public struct NewField: Sendable, Hashable {
  /// Its key, or its column's name.
  public var name: String
  /// What the first value is that is not null: `a text`, `an object`; `null` if none of the first 1,000 records has one.
  public var kind: String
  /// That value, as JSON and cut; nil unless values are to be shown.
  public var example: String?
  /// The attribute that was added for it.
  public var attribute: Attribute?
}

/// Finds fields that the feed has had only since now.
package struct NewFields {
  /// Keys that earlier runs met and the pipeline does not use; nil before the first good run: then all are taken as known.
  private let known: Set<String>?
  private let policy: NewFieldPolicy
  /// Whether a new field ends the import.
  private let fails: Bool
  private let showsValues: Bool
  /// Takes each value of a new field, as JSON; nil where fields are told of only.
  package typealias Collector = (String, Slice<UnsafeBufferPointer<UInt8>>) -> Void
  private let collect: Collector?
  private(set) var found: [NewField] = []
  /// How many keys the reader had noted at the last look.
  private var noted = 0
  /// Where in `found` those are that had no value but null so far, and how many records were asked for one.
  private var nulls: [Int] = []
  private var asked = 0

  private static let longestExample = 40
  /// Fields that are told of in a run.
  private static let most = 20
  private static let mostAsked = 1_000

  package init(known: Set<String>?, settings: ImportSettings, collect: Collector?) {
    self.known = known
    self.collect = collect
    policy = settings.newFieldPolicy
    fails = policy == .fail && !settings.acceptedGuards.contains(.onNewField)
    showsValues = settings.showsValues
  }

  /// Goes on with another input, whose reader has noted no key yet.
  mutating func beginInput() { noted = 0 }

  /// Looks at the reader's current record, if it has brought a key that no record before it had.
  ///
  /// - Throws: `ImportError` when a new field ends the import.
  mutating func look(_ records: borrowing RecordInput) throws(ImportError) {
    try findNew(records)
    if !nulls.isEmpty { findValues(records) }
    guard let collect, !records.reader.hasProblem else { return }
    guard !found.isEmpty else { return }
    let columns = records.envelope.names
    records.reader.withJSON { text in
      for field in found {
        guard let value = JSONCursor.value(of: field.name, columns: columns, in: text) else { continue }
        collect(field.name, value)
      }
    }
  }

  private mutating func findNew(_ records: borrowing RecordInput) throws(ImportError) {
    let count = records.reader.unrequestedKeyCount
    // What a broken line has is no field.
    guard count != noted, !records.reader.hasProblem else { return }
    noted = count
    guard let known, policy != .ignore else { return }
    for name in records.reader.unrequestedKeys where !known.contains(name) {
      guard found.count < Self.most || collect != nil, !found.contains(where: { $0.name == name }) else {
        continue
      }
      if fails { throw Self.error(name, records) }
      let (field, isNull) = newField(name, records)
      if isNull { nulls.append(found.count) }
      found.append(field)
    }
  }

  /// Looks for values of new fields that were null so far.
  private mutating func findValues(_ records: borrowing RecordInput) {
    guard !records.reader.hasProblem else { return }
    asked += 1
    var left: [Int] = []
    for place in nulls {
      let (field, isNull) = newField(found[place].name, records)
      if isNull { left.append(place) } else { found[place] = field }
    }
    nulls = asked < Self.mostAsked ? left : []
  }

  private static func error(_ name: String, _ records: borrowing RecordInput) -> ImportError {
    let place = records.reader.recordPosition
    return .newField(
      name, record: records.reader.recordNumber, at: "\(records.name):\(place.line):\(place.column)")
  }

  /// What stands under a key of the current record, or in its column, and whether that is no value.
  private func newField(_ name: String, _ records: borrowing RecordInput) -> (NewField, isNull: Bool) {
    let columns = records.envelope.names
    return records.reader.withJSON { text in
      guard let value = JSONCursor.value(of: name, columns: columns, in: text) else {
        return (NewField(name: name, kind: FieldKind.absent.article), true)
      }
      let kind = Self.kind(value)
      var field = NewField(name: name, kind: kind.article)
      if showsValues, kind != .null {
        let json = String(decoding: value.prefix(Self.longestExample), as: UTF8.self)
        field.example = value.count > Self.longestExample ? json + "…" : json
      }
      return (field, kind == .null)
    }
  }

  private static func kind(_ value: Slice<UnsafeBufferPointer<UInt8>>) -> FieldKind {
    var cursor = JSONCursor(UnsafeBufferPointer(rebasing: value))
    return switch cursor.item() {
    case .null: .null
    case .boolean: .true
    case .number: .decimal
    case .string: .string
    case .object: .object
    case .array: .array
    }
  }
}

extension JSONCursor {
  /// The text of a record's value: under a key of an object, or in the column of a row.
  static func value(
    of name: String, columns: [String]?, in text: UnsafeBufferPointer<UInt8>
  ) -> Slice<UnsafeBufferPointer<UInt8>>? {
    var cursor = JSONCursor(text)
    switch cursor.item() {
    case .object:
      var escaped = EscapedText()
      while let key = cursor.key() {
        let isWanted = escaped.withContent(of: key) { $0.elementsEqual(name.utf8) } ?? false
        let value = cursor.passValue()
        if isWanted { return value }
      }
    case .array:
      for column in columns ?? [] where cursor.hasElement() {
        let value = cursor.passValue()
        if column == name { return value }
      }
    default: break
    }
    return nil
  }
}
