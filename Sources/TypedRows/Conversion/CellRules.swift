package import ImportModel

/// What a pipeline demands of an attribute besides its type: missing spellings, null, allowed values, range, length, pattern.
///
/// Apart from `CellConverter`, which is used for every cell and so holds nothing that would be counted.
public final class CellRules {
  package let attribute: Attribute
  private let missing: [[UInt8]]
  private let isKey: Bool
  /// The texts of `oneOf`, one after the other, and where each ends: compared for every record.
  private let allowedBytes: [UInt8]
  private let allowedEnds: [Int]
  private let isOneOf: Bool
  /// The texts of `oneOf`, as `shortText` has them, where they are short and nothing else is demanded; nil otherwise.
  let shortTexts: UnsafeMutableBufferPointer<UInt64>?
  private let isText: Bool
  private let isBounded: Bool
  private let pattern: TextPattern?
  /// How dates are read where something is declared of them.
  let dateReading: DateReading?

  package init(_ layout: ChunkLayout, column: Int, field: Field?) {
    attribute = layout.columns[column].attribute
    missing = (field?.missing ?? []).map { Array($0.utf8) }
    isKey = layout.columns[column].isKey
    let texts = attribute.oneOf.compactMap { if case .text(let text) = $0 { Array(text.utf8) } else { nil } }
    allowedBytes = texts.flatMap(\.self)
    allowedEnds = texts.indices.map { texts[...$0].reduce(0) { $0 + $1.count } }
    isOneOf = !attribute.oneOf.isEmpty
    isText = attribute.type.storage == .text
    isBounded = attribute.minimum != nil || attribute.maximum != nil || attribute.maximumLength != nil
    pattern = attribute.pattern.map(Self.pattern)
    dateReading = field.flatMap(DateReading.init)
    let isPlain = attribute.type == .string && missing.isEmpty && !isBounded && pattern == nil
    shortTexts =
      isPlain && !texts.isEmpty && texts.allSatisfy { $0.count < 8 } ? .allocate(capacity: texts.count) : nil
    _ = shortTexts?.initialize(
      from: texts.map { text in
        Self.shortText(text.reversed().reduce(0) { $0 << 8 | UInt64($1) }, count: text.count)
      })
  }

  deinit { shortTexts?.deallocate() }

  /// A text of seven bytes at most as a number that no other text is: its bytes, the first one lowest, and their count.
  ///
  /// - Parameter word: has the bytes, and any above them.
  @inline(__always)
  static func shortText(_ word: UInt64, count: Int) -> UInt64 {
    word & ((1 as UInt64) &<< UInt64(8 &* count) &- 1) | UInt64(count) &<< 56
  }

  private static func pattern(_ text: String) -> TextPattern {
    guard let pattern = try? TextPattern(text) else { preconditionFailure("the pipeline was not checked") }
    return pattern
  }

  /// Whether some texts or numbers mean null.
  var hasMissing: Bool { !missing.isEmpty }

  /// Whether values are limited.
  var hasLimits: Bool { isOneOf || isBounded || pattern != nil }

  /// Whether the value is one of the spellings of null.
  @usableFromInline package func isMissing(_ value: SourceValue) -> Bool {
    switch value {
    case .text(let bytes), .number(let bytes): missing.contains { $0.elementsEqual(bytes) }
    case .integer(let number): missing.contains { $0.elementsEqual(String(number).utf8) }
    default: false
    }
  }

  /// The rejection of null.
  @usableFromInline var nullRejection: RejectionReason {
    isKey ? .nullKey(attribute.name) : .null(attribute.name)
  }

  /// The rejection of a value that its type does not take.
  @usableFromInline package func rejection(_ failure: ConversionFailure) -> RejectionReason {
    .conversion(attribute, failure)
  }

  /// The limit that the cell just written breaks, if it breaks one.
  @usableFromInline func brokenLimit(_ chunk: Chunk, _ column: Int) -> RejectionReason? {
    if isOneOf, !isAllowed(chunk, column) { return .notOneOf(attribute.name, allowedValues) }
    // First what costs least: a text that is too long is not read.
    return brokenBound(chunk, column) ?? pattern.flatMap { unlike($0, chunk.bytes(column, chunk.row)) }
  }

  private func unlike(_ pattern: TextPattern, _ text: UnsafeBufferPointer<UInt8>) -> RejectionReason? {
    switch pattern.compare(text.span) {
    case .matches: nil
    case .differs: .unlikePattern(attribute.name)
    case .tooLong: .tooLongForPattern(attribute.name)
    }
  }

  private func brokenBound(_ chunk: Chunk, _ column: Int) -> RejectionReason? {
    guard isBounded else { return nil }
    if let minimum = attribute.minimum, chunk.isLess(column, than: minimum) {
      return .tooSmall(attribute.name)
    }
    if let maximum = attribute.maximum, chunk.isGreater(column, than: maximum) {
      return .tooLarge(attribute.name)
    }
    if let limit = attribute.maximumLength, chunk.length(column) > limit {
      return .tooLong(attribute.name, limit)
    }
    return nil
  }

  private func isAllowed(_ chunk: Chunk, _ column: Int) -> Bool {
    guard isText else {
      return attribute.oneOf.contains { chunk.holds($0, column) }
    }
    let text = chunk.bytes(column, chunk.row)
    var start = 0
    for end in allowedEnds {
      if text.count == end - start {
        var place = 0
        while place < text.count, text[place] == allowedBytes[start + place] { place += 1 }
        if place == text.count { return true }
      }
      start = end
    }
    return false
  }

  /// The values that the pipeline allows, for a sentence.
  private var allowedValues: String {
    attribute.oneOf.map { value in
      switch value {
      case .integer(let number): String(number)
      case .text(let text): text
      case .null, .real, .blob: "…"
      }
    }.joined(separator: ", ")
  }
}
