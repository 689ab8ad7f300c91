internal import FeedReading
internal import ImportModel
internal import JSONStream

/// One reading of an input that learns what its records are made of.
struct InferencePass {
  private(set) var inference = RecordInference()
  /// Records read.
  private(set) var records = 0
  /// Records that are not what the others are, such as a row of another length.
  private(set) var nonconforming = 0
  /// The keys of the map that the records are in.
  private(set) var wildcard = ColumnValues()
  /// What shape was found.
  private(set) var layout = Layout(rows: nil)
  private(set) var envelope: Envelope
  /// What the envelope's count is to be taken for, where a draft has to say it.
  private(set) var count: FeedCount?
  /// Names that more than one column has.
  private(set) var repeatedNames: [String] = []

  /// Reads the whole input.
  ///
  /// - Throws: what the reader and the input throw, and `ImportError` when the envelope does not fit the records.
  init(_ source: InferenceSource, shape: RecordShape, limits: ReaderLimits = ReaderLimits()) throws {
    let reader = try RecordReader(
      fields: [FieldPath(key: FoundLocation.wildcard)], shape: shape, limits: limits)
    var input = RecordInput(try source.open(), reader: reader, check: DocumentCheck(count: .ignore))
    envelope = input.envelope
    var columns: [InferredNode]?
    while case .record = try input.next(until: nil) {
      records += 1
      if input.isFirstOfDocument { columns = columnNodes(input.envelope.names) }
      if let problem = input.reader.problem {
        // An inference that reads with a low limit begins again with a higher one.
        if case .brokenLine(let error) = problem, error.code == .recordLimit { throw error }
        nonconforming += 1
        continue
      }
      input.reader.withJSON { record in
        if let columns {
          inference.take(row: record, columns: columns)
        } else {
          inference.take(object: record)
        }
      }
      let key = input.reader.fields[0]
      if key.kind == .string { wildcard.take(text: key.bytes) }
    }
    layout = input.layout ?? layout
    envelope = input.envelope
    if input.documents == 1, let counted = envelope.count { count = meaning(of: counted) }
  }

  /// What a count is that is not that of the records.
  private func meaning(of counted: Int) -> FeedCount? {
    if counted < records { return .ignore }
    return counted > records && envelope.meaningOfCount == .exact ? .total : nil
  }

  /// A node for each column of rows, in the columns' order; nil for records that are objects.
  private mutating func columnNodes(_ names: [String]?) -> [InferredNode]? {
    guard let names else { return nil }
    inference.setColumns(names)
    var seen: Set<String> = []
    repeatedNames = names.filter { !seen.insert($0).inserted }
    let byName = Dictionary(inference.root.children.map { ($0.name, $0) }) { first, _ in first }
    // A column without a node, past the most that are told apart, is read into one that nobody asks.
    return names.map { byName[$0] ?? InferredNode() }
  }
}
