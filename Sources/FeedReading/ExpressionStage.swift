internal import ImportInput
internal import ImportModel
internal import JSONStream
internal import RowExpressions
internal import TypedRows

/// Fills the columns that expressions give, and rejects the records for which a check does not hold, or that the store cannot hold.
struct ExpressionStage {
  private let scan: ExpressionScan?
  private let converters: [CellConverter]
  private let rules: [CellRules]
  /// For each column of the chunk, the converter of its expression's results.
  private let converterOf: [Int]
  private let checks: [String]
  private let stop: Cancellation
  /// The input's name, for rejections.
  var input: String

  /// Bytes that the results for the rows of a window may take together.
  private static let mostResults = 256 << 20

  /// - Parameter stop: ends an evaluation between two rows.
  package init(_ pipeline: Pipeline, layout: ChunkLayout, input: String, stop: Cancellation) throws {
    self.input = input
    self.stop = stop
    checks = pipeline.checks
    var expressions: [ExpressionScan.Expression] = []
    var converters: [CellConverter] = []
    var rules: [CellRules] = []
    var converterOf = [Int](repeating: -1, count: layout.columns.count)
    func convert(_ column: Int, _ field: Field?, isOptional: Bool = false) {
      let rule = CellRules(layout, column: column, field: field)
      rules.append(rule)
      converterOf[column] = converters.count
      converters.append(
        CellConverter(column: column, rules: rule, isOptional: isOptional))
    }
    for field in pipeline.fields {
      guard case .expression(let text) = field.source, let column = layout.column(of: field.attribute)
      else { continue }
      convert(column, field)
      expressions.append(
        ExpressionScan.Expression(
          .value(column: column), text, takesReals: converters.last?.takesReals == true))
    }
    for (number, text) in pipeline.checks.enumerated() {
      expressions.append(ExpressionScan.Expression(.check(number: number), text))
    }
    for (link, owner) in zip(pipeline.links, layout.owners) {
      for (key, column) in zip(link.ownerKey, owner.columns) {
        expressions.append(ExpressionScan.Expression(.value(column: column), key.expression))
        // A null makes no link, so it is no reason to reject the record.
        convert(column, nil, isOptional: true)
      }
    }
    self.converters = converters
    self.rules = rules
    self.converterOf = converterOf
    scan = expressions.isEmpty ? nil : try ExpressionScan(expressions, layout: layout)
  }

  /// Evaluates everything for the rows of the chunk's window, and ends it.
  func flushBatch(_ chunk: Chunk) throws {
    let limits = chunk.layout.storeLimits
    guard scan != nil || limits != nil else { return chunk.flushBatch() }
    let batch = chunk.batch
    var removed = [Bool](repeating: false, count: batch.count)
    func reject(_ row: Int, _ rejection: RejectionReason, attribute: String?) {
      removed[row - batch.lowerBound] = true
      chunk.reject(row, rejection, attribute: attribute, input: input)
    }
    var room = Self.mostResults
    try scan?.evaluate(chunk) {
      if stop.isCancelled { throw ImportError.cancelled }
    } visit: { row, purpose, outcome in
      room -= outcome.byteCount
      guard let rejection = room < 0 ? .resultsTooLarge : apply(purpose, outcome, chunk, row)
      else { return true }
      reject(row, rejection, attribute: attribute(purpose, chunk))
      return false
    }
    // A key's expression that reads an absent field gives nothing: such a row has no place in the key's order.
    for column in chunk.layout.keyColumns where converterOf[column] >= 0 {
      for row in batch where !removed[row - batch.lowerBound] {
        chunk.row = row
        guard chunk.isAbsent(column) else { continue }
        let name = chunk.layout.columns[column].name
        reject(row, .missingKey(name), attribute: name)
      }
    }
    if let limits {
      for row in batch where !removed[row - batch.lowerBound] {
        guard let refusal = limits.refusal(chunk, row) else { continue }
        reject(row, refusal.reason, attribute: refusal.attribute)
      }
    }
    chunk.flushBatch(removed: removed)
  }

  private func apply(
    _ purpose: ExpressionScan.Expression.Purpose, _ outcome: ExpressionScan.Outcome, _ chunk: Chunk,
    _ row: Int
  ) -> RejectionReason? {
    if case .failed(let reason) = outcome { return .expressionFailed(reason) }
    switch purpose {
    case .check(let number):
      return .checkFailed(checks[number])
    case .value(let column):
      let place = converterOf[column]
      var value = outcome.value
      // The text that an expression makes is a text's, and JSON where it is some.
      if case .json = converters[place].type, case .text(let bytes) = value, !rules[place].isMissing(value),
        CanonicalJSON.text(of: bytes) != nil
      {
        value = .structure(bytes)
      }
      return converters[place].write(value, chunk)
    }
  }

  private func attribute(_ purpose: ExpressionScan.Expression.Purpose, _ chunk: Chunk) -> String? {
    guard case .value(let column) = purpose else { return nil }
    return chunk.layout.columns[column].attribute.name
  }
}

extension ExpressionScan.Outcome {
  fileprivate var byteCount: Int {
    switch self {
    case .text(let bytes), .blob(let bytes): bytes.count
    case .null, .integer, .real, .failed: 0
    }
  }

  fileprivate var value: SourceValue {
    switch self {
    case .null, .failed: .null
    case .integer(let number): .integer(number)
    case .real(let number): .real(number)
    case .text(let bytes): .text(bytes)
    case .blob(let bytes): .blob(bytes)
    }
  }
}
