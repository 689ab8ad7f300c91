internal import FeedReading
internal import ImportModel
internal import JSONStream

/// One reading of an input, or of several in turn, that learns what the records are made of.
struct InferencePass {
  private(set) var inference = RecordInference()
  /// Records read.
  private(set) var records = 0
  /// Records that are not what the others are, such as a row of another length.
  private(set) var nonconforming = 0
  /// The keys of the map that the records are in.
  private(set) var wildcard = ColumnValues()
  /// What shape was found, in the last input.
  private(set) var layout = Layout(rows: nil)
  /// The keys around the records, and the columns' names, in the last input.
  private(set) var keys: [String] = []
  private(set) var columns: [String]?
  /// Whether all inputs that have records have them in that shape.
  private(set) var isOfOneShape = true
  /// The inputs that have none, by their place among the inputs.
  private(set) var empty: [Int] = []
  /// What the envelope's count is to be taken for, where a draft has to say it, with the count that tells so.
  private(set) var count: (meaning: FeedCount, counted: Int, input: String)?
  /// Names that more than one column has.
  private(set) var repeatedNames: [String] = []

  /// Reads the whole input.
  ///
  /// - Throws: what the reader and the input throw, and `ImportError` when the envelope does not fit the records.
  init(_ source: InferenceSource, shape: RecordShape, limits: ReaderLimits = ReaderLimits()) throws {
    try take(source, shape, limits)
  }

  /// Reads several inputs.
  init(_ sources: [InferenceSource], shape: RecordShape) throws(ImportError) {
    for (index, source) in sources.enumerated() {
      let (layout, records, nonconforming) = (layout, records, nonconforming)
      do {
        try take(source, shape, ReaderLimits())
      } catch {
        throw ImportError(reading: error, input: source.name, isStored: false)
      }
      // An array at the path may be empty; what has no records in another shape is of none.
      if self.records == records, case .array = shape {
        empty.append(index)
        continue
      }
      let isAsBefore = records == 0 || layout.description == self.layout.description
      let isOfObjects = self.records - records > self.nonconforming - nonconforming
      isOfOneShape = isOfOneShape && isAsBefore && isOfObjects
    }
  }

  private mutating func take(_ source: InferenceSource, _ shape: RecordShape, _ limits: ReaderLimits) throws {
    let before = records
    let reader = try RecordReader(
      fields: [FieldPath(key: FoundLocation.wildcard)], shape: shape, limits: limits)
    var input = RecordInput(try source.open(), reader: reader, check: DocumentCheck(count: .ignore))
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
    (keys, self.columns) = (input.envelope.keys, input.envelope.names)
    guard input.documents == 1, let meaning = meaning(ofCountIn: input.envelope, read: records - before),
      count == nil || meaning.meaning == .ignore
    else { return }
    count = (meaning.meaning, meaning.counted, source.name)
  }

  /// What a count is that is not that of the records.
  private func meaning(ofCountIn envelope: Envelope, read: Int) -> (meaning: FeedCount, counted: Int)? {
    guard let counted = envelope.count else { return nil }
    if counted < read { return (.ignore, counted) }
    return counted > read && envelope.meaningOfCount == .exact ? (.total, counted) : nil
  }

  /// A node for each column of rows, in the columns' order; nil for records that are objects.
  private mutating func columnNodes(_ names: [String]?) -> [InferredNode]? {
    guard let names else { return nil }
    inference.setColumns(names)
    var seen: Set<String> = []
    repeatedNames += names.filter { !seen.insert($0).inserted && !repeatedNames.contains($0) }
    let byName = Dictionary(inference.root.children.map { ($0.name, $0) }) { first, _ in first }
    // A column without a node, past the most that are told apart, is read into one that nobody asks.
    return names.map { byName[$0] ?? InferredNode() }
  }
}
