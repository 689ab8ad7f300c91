internal import ImportModel
internal import SQLiteStore

/// Puts a source value into a chunk's cell by the rules of its attribute: type, missing spellings, range, length.
struct CellConverter {
  let column: Int
  let attribute: Attribute
  private let missing: [[UInt8]]
  let dateForm: DateForm?
  private let oneOf: [Value]
  private let isKey: Bool
  private let isRequired: Bool
  private let hasRules: Bool

  init(_ layout: ChunkLayout, column: Int, field: Field?, isOptional: Bool = false) {
    self.column = column
    attribute = layout.columns[column].attribute
    missing = (field?.missing ?? []).map { Array($0.utf8) }
    dateForm = field?.dateForm
    oneOf = attribute.oneOf
    isKey = layout.columns[column].isKey
    isRequired = attribute.isRequired && !isOptional
    hasRules =
      !attribute.oneOf.isEmpty || attribute.minimum != nil || attribute.maximum != nil
      || attribute.maximumLength != nil
  }

  /// Writes the cell of the row under way.
  ///
  /// - Returns: why the record is refused, or nil.
  func write(_ value: SourceValue, _ chunk: Chunk) -> Refusal? {
    if isMissing(value) {
      guard !isRequired else {
        return isKey
          ? Refusal(code: "null-key", message: "\(attribute.name) is part of the key and is null")
          : Refusal(code: "null", message: "\(attribute.name) is required and is null")
      }
      chunk.setNull(column)
      return nil
    }
    do throws(ConversionFailure) {
      try convert(value, chunk)
    } catch {
      return Refusal(code: error.code, message: "\(attribute.name): \(error.message)")
    }
    return hasRules ? brokenRule(chunk) : nil
  }

  private func isMissing(_ value: SourceValue) -> Bool {
    switch value {
    case .null: true
    case .text(let bytes), .number(let bytes): missing.contains { $0.elementsEqual(bytes) }
    case .integer(let number): !missing.isEmpty && missing.contains { $0.elementsEqual(String(number).utf8) }
    default: false
    }
  }

  // MARK: Rules

  @inline(never)
  private func brokenRule(_ chunk: Chunk) -> Refusal? {
    if !oneOf.isEmpty, !oneOf.contains(where: { chunk.holds($0, column) }) {
      return Refusal(code: "not-one-of", message: "\(attribute.name) is none of \(allowedValues)")
    }
    if let minimum = attribute.minimum, chunk.isLess(column, than: minimum) {
      return Refusal(code: "out-of-range", message: "\(attribute.name) is below the smallest value allowed")
    }
    if let maximum = attribute.maximum, chunk.isGreater(column, than: maximum) {
      return Refusal(code: "out-of-range", message: "\(attribute.name) is above the largest value allowed")
    }
    if let limit = attribute.maximumLength, chunk.length(column) > limit {
      return Refusal(code: "too-long", message: "\(attribute.name) is longer than \(limit)")
    }
    return nil
  }

  /// The values that the pipeline allows, for a sentence.
  private var allowedValues: String {
    oneOf.map { value in
      switch value {
      case .integer(let number): String(number)
      case .text(let text): text
      case .null, .real, .blob: "…"
      }
    }.joined(separator: ", ")
  }
}
