package import ImportModel
public import NumberText

/// Puts a source value into a chunk's cell by its attribute's type; see `CellTypes.swift` for each type.
///
/// Used for every cell of every record, so it is a handful of plain bytes: nothing in it is counted or copied with
/// care. The rules that few cells need are elsewhere; whoever made the converter keeps them.
public struct CellConverter {
  @usableFromInline package let column: Int
  package let type: AttributeType
  /// The microseconds that a number counts as a date.
  let epochUnit: Int64?
  /// Whether dates are read as the rules say, and not as usual.
  let hasDateReading: Bool
  let cutsFractions: Bool
  @usableFromInline package let rules: Unmanaged<CellRules>
  @usableFromInline package let isRequired: Bool
  @usableFromInline let hasMissing: Bool
  @usableFromInline let hasLimits: Bool
  /// Whether a number is taken as it stands, without a look at rules.
  @usableFromInline let isPlainReal: Bool
  /// The texts of `one-of` where that is all there is to look at, as `CellRules.shortTexts`.
  private let shortTexts: UnsafeBufferPointer<UInt64>?
  @usableFromInline let hasShortTexts: Bool

  /// Whether null and any finite number are taken as they stand.
  package var takesReals: Bool { isPlainReal && !isRequired }

  /// - Parameters:
  ///   - rules: kept alive by the caller for as long as the converter is used.
  ///   - isOptional: null is taken although the attribute is required: it means that there is no link.
  package init(column: Int, rules: CellRules, isOptional: Bool = false) {
    self.column = column
    type = rules.attribute.type
    epochUnit = rules.dateReading?.epochUnit
    hasDateReading = rules.dateReading != nil
    cutsFractions = rules.attribute.cutsFractions
    self.rules = .passUnretained(rules)
    isRequired = rules.attribute.isRequired && !isOptional
    hasMissing = rules.hasMissing
    hasLimits = rules.hasLimits
    isPlainReal = type == .double && !hasMissing && !hasLimits
    shortTexts = rules.shortTexts.map { UnsafeBufferPointer($0) }
    hasShortTexts = shortTexts != nil
  }

  /// Writes a short number into a cell that takes any: `write` by a shorter way, for what most cells of most feeds are.
  ///
  /// - Returns: false when it is not one; nothing is written then.
  @inlinable @inline(__always)
  public func writeShortReal(_ start: UnsafePointer<UInt8>, count: Int, _ chunk: Chunk) -> Bool {
    guard isPlainReal, let number = NumberParsing.shortDouble(start, count: count) else { return false }
    set(number, chunk)
    return true
  }

  /// Writes one of the few texts that a cell takes: `write` by a shorter way, for letters and short words.
  ///
  /// - Parameter start: eight bytes of it are read, however few it has.
  /// - Returns: false when it is none; nothing is written then.
  @inlinable @inline(__always)
  public func writeShortText(_ start: UnsafePointer<UInt8>, count: Int, _ chunk: Chunk) -> Bool {
    hasShortTexts && writeOneOf(start, count: count, chunk)
  }

  @usableFromInline func writeOneOf(_ start: UnsafePointer<UInt8>, count: Int, _ chunk: Chunk) -> Bool {
    guard let shortTexts, count < 8 else { return false }
    let word = UInt64(littleEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt64.self))
    let text = CellRules.shortText(word, count: count)
    for allowed in shortTexts where allowed == text {
      chunk.set(text, count: count, column)
      return true
    }
    return false
  }

  /// Minus nought is nought: SQLite stores them alike, and the row would look changed for ever.
  @inlinable @inline(__always)
  public func set(_ number: Double, _ chunk: Chunk) {
    chunk.set(number == 0 ? 0 : number, column)
  }

  /// Writes the cell of the chunk's row under way.
  ///
  /// - Returns: why the record is rejected, or nil.
  @inlinable @inline(__always)
  public func write(_ value: SourceValue, _ chunk: Chunk) -> RejectionReason? {
    if isPlainReal, case .real(let number) = value, number.isFinite {
      set(number, chunk)
      return nil
    }
    if value.isNull || hasMissing && rules._withUnsafeGuaranteedRef({ $0.isMissing(value) }) {
      if isRequired { return rules.takeUnretainedValue().nullRejection }
      chunk.setNull(column)
      return nil
    }
    do throws(ConversionFailure) {
      try convert(value, chunk)
    } catch {
      return rules.takeUnretainedValue().rejection(error)
    }
    // Without a retain and a release, which cost more than the look itself.
    return hasLimits ? rules._withUnsafeGuaranteedRef { $0.brokenLimit(chunk, column) } : nil
  }
}
