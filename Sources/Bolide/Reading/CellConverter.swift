internal import ImportModel
internal import SQLiteStore

/// Puts a source value into a chunk's cell by its attribute's type; see `CellTypes.swift` for each type.
///
/// Used for every cell of every record, so it is a handful of plain bytes: nothing in it is counted or copied with
/// care. The rules that few cells need are elsewhere; whoever made the converter keeps them.
struct CellConverter {
  let column: Int
  let type: AttributeType
  let dateForm: DateForm?
  private let rules: Unmanaged<CellRules>
  private let isRequired: Bool
  private let hasMissing: Bool
  private let hasLimits: Bool

  /// - Parameters:
  ///   - rules: kept alive by the caller for as long as the converter is used.
  ///   - isOptional: null is taken although the attribute is required: it means that there is no link.
  init(column: Int, field: Field?, rules: CellRules, isOptional: Bool = false) {
    self.column = column
    type = rules.attribute.type
    dateForm = field?.dateForm
    self.rules = .passUnretained(rules)
    isRequired = rules.attribute.isRequired && !isOptional
    hasMissing = rules.hasMissing
    hasLimits = rules.hasLimits
  }

  /// Writes the cell of the chunk's row under way.
  ///
  /// - Returns: why the record is refused, or nil.
  func write(_ value: SourceValue, _ chunk: Chunk) -> Refusal? {
    if value.isNull || hasMissing && rules.takeUnretainedValue().isMissing(value) {
      if isRequired { return rules.takeUnretainedValue().nullRefusal }
      chunk.setNull(column)
      return nil
    }
    do throws(ConversionFailure) {
      try convert(value, chunk)
    } catch {
      return rules.takeUnretainedValue().refusal(error)
    }
    return hasLimits ? rules.takeUnretainedValue().brokenLimit(chunk, column) : nil
  }
}
