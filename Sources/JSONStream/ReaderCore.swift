/// What a `RecordReader` is made of: the one place where bytes, tokens, envelope and records come together.
///
/// It lives behind a pointer. A large struct that is lent to a method of another module is copied for the call,
/// which cost a seventh of the reading time; a pointer is not.
struct ReaderCore: ~Copyable {
  /// What to do with the value under the cursor.
  enum Activity {
    case detecting
    case envelope
    /// Passing a value that nobody asked for, `floor` containers deep.
    case skipping(floor: Int)
    /// Waiting for a small value to be complete.
    case capturing(Capture, floor: Int)
    /// At or between records, `floor` containers deep; `isSingle` when there is one alone, in no array.
    case rows(floor: Int, isSingle: Bool)
    /// At or within lines of cells.
    case cells(delimiter: UInt8)
    /// Behind a document that another one follows.
    case betweenDocuments
    case ended
  }

  enum Capture { case names(source: Int), count }

  let requested: [FieldPath]
  let children: [ChildFields]
  let limits: ReaderLimits
  var input: InputBuffer
  var index: TokenIndex
  var walker: GrammarWalker
  var parser: RecordParser
  var activity: Activity
  /// What was thrown, and will be again.
  var failure: JSONError?
  var layout = Layout(rows: nil)
  var envelope = Envelope()
  var route = Route()
  /// The slots that hold the key of a wildcard, with the wildcard's component.
  var wildcardSlots: [(slot: Int, component: String)] = []
  /// Records are arrays, their cells named by their place.
  var parsesRows = false
  /// The next record may be the names of those after it.
  var mayBeHeader = false
  /// Where rows stand that come before their names.
  var rowsStart: Position?
  private var detector: ShapeDetector
  var hasStarted: Bool

  /// What the record's parser decodes besides the requested fields.
  let recordPaths: [[String]]
  /// One for each of `children`.
  let childReaders: [ChildReader]

  /// Where the record under way began: its first token, and the first escape not before it.
  var recordToken = 0
  var recordEscape = 0
  /// The record is longer than what was scanned when its turn came; the walker looks for its end.
  var isPassingRecord = false
  /// Where the current record ends in the buffer.
  var recordEnd = 0
  var recordCount = 0
  /// Whether every record so far was one line, and the line of the last one; 0 before the first.
  var areLines = true
  var lastLine = 0
  /// A line that cannot be read, while it is not known whether another one follows.
  var brokenLine: BrokenLine?
  /// Of delimited text, the line under way.
  var cells = CellWalker()
  /// The names of the requested fields, and those of each of `children`, once one was asked for by its name.
  private(set) lazy var fieldNames = ([requested] + children.map(\.fields)).map { $0.map(\.description) }
  /// Made with the first record that is read as a type.
  lazy var decoder = RecordDecoder()

  init(
    fields: [FieldPath], children: [ChildFields], layout: Layout?, limits: ReaderLimits,
    at position: Position, level: Int32
  ) {
    requested = fields
    self.children = children
    let plan = ChildPlan(children, requested: fields.count)
    recordPaths = plan.recordPaths
    childReaders = plan.lists.map { ChildReader($0, limits: limits) }
    self.limits = limits
    input = InputBuffer(at: position, level: level)
    index = TokenIndex(level: level)
    walker = GrammarWalker(limits: limits)
    parser = RecordParser(fields: [], limits: limits)
    hasStarted = position.byte > 0
    activity = .detecting
    detector = ShapeDetector(fields: fields, limits: limits)
    if let layout { adopt(layout) }
  }

  /// Forgets what is done with, makes room, and lets `body` write into it.
  mutating func fill<E: Error>(
    minimum: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) -> Int {
    let cursor = firstNeeded
    let keep = index.forgettable(keep: offset(ofToken: cursor.token))
    drop(before: cursor)
    index.move(by: input.makeRoom(for: minimum, keep: keep))
    return try input.append(body)
  }

  mutating func next() throws(JSONError) -> RecordReader.Step {
    if let failure { throw failure }
    do {
      return try brokenLine == nil ? advanceOverLines() : passBrokenLine()
    } catch {
      failure = error
      throw error
    }
  }

  private mutating func advanceOverLines() throws(JSONError) -> RecordReader.Step {
    do {
      return try advance()
    } catch {
      try breakLine(error)
      return try passBrokenLine()
    }
  }

  private mutating func advance() throws(JSONError) -> RecordReader.Step {
    while true {
      let view = self.view
      let outcome: Outcome
      switch activity {
      case .rows(let floor, let isSingle):
        switch try nextRow(view, floor: floor, isSingle: isSingle) {
        case .record: return .record
        case .over:
          activity = layout.endsWithRows ? .ended : .envelope
          continue
        case .needsInput: outcome = .needsInput
        }
      case .cells(let delimiter):
        switch try nextLine(view, delimiter: delimiter) {
        case .record: return .record
        case .over:
          activity = .ended
          continue
        case .needsInput: outcome = .needsInput
        }
      case .envelope:
        switch try envelopeStep(view) {
        case .goOn: continue
        case .rowsBeforeNames: return .rowsBeforeNames
        case .documentEnds:
          try checkNames()
          activity = .betweenDocuments
          return .document
        case .needsInput: outcome = .needsInput
        }
      case .skipping(let floor):
        outcome = walker.run(view, downTo: floor)
        if outcome == .done { activity = .envelope }
      case .capturing(let capture, let floor):
        outcome = walker.run(view, downTo: floor)
        if outcome == .done {
          try take(capture, view)
          activity = .envelope
        }
      case .detecting:
        if let layout = try detect(view) {
          adopt(layout)
          continue
        }
        outcome = .needsInput
      case .betweenDocuments:
        beginDocument()
        continue
      case .ended: return .end
      }
      switch outcome {
      case .done: continue
      case .failed: throw syntaxError()
      case .needsInput:
        if try scanMore() { continue }
        guard input.isFinished else { return .needsInput }
        if view.isFinal {
          try inputEnded()
          return .end
        }
      }
    }
  }

  /// The layout, once the bytes that are there decide it.
  private mutating func detect(_ view: TokenView) throws(JSONError) -> Layout? {
    guard hasStarted else { return nil }
    let isLast = view.isFinal || index.fault != nil
    switch detector.look(view, isLast: isLast) {
    case .found(let layout): return layout
    case .needsInput: return nil
    case .ambiguous(let places): throw error(.ambiguousRecords, at: view.offset(0), candidates: places)
    }
  }

  /// Lists more tokens; false when all buffered bytes are scanned.
  private mutating func scanMore() throws(JSONError) -> Bool {
    if !hasStarted {
      guard try start() else { return false }
    }
    if let fault = index.fault { throw faultError(fault) }
    try checkRecordLimit()
    guard index.end < input.count else { return false }
    drop(before: firstNeeded)
    index.extend(input.bytes, available: input.count)
    return true
  }

  /// The first token and escape that are still needed.
  private var firstNeeded: (token: Int, escape: Int) {
    switch activity {
    case .detecting: (0, 0)
    case .capturing: (recordToken, recordEscape)
    default: isPassingRecord ? (recordToken, recordEscape) : (walker.cursor, walker.escape)
    }
  }

  /// Where a token begins that is still needed; of delimited text, its line.
  func offset(ofToken token: Int) -> Int {
    if index.delimiter != nil { return cells.line - input.origin }
    return token < index.count ? Int(index.tokens[token]) : index.end
  }

  private mutating func drop(before cursor: (token: Int, escape: Int)) {
    let dropped = index.droppable(token: cursor.token, escape: cursor.escape)
    index.drop(tokens: dropped.tokens, escapes: dropped.escapes)
    walker.cursor -= dropped.tokens
    walker.escape -= dropped.escapes
    recordToken -= dropped.tokens
    recordEscape -= dropped.escapes
  }

  var layoutIsKnown: Bool {
    if case .detecting = activity { false } else { true }
  }

  var view: TokenView {
    TokenView(
      bytes: input.bytes, tokens: index.tokens, count: index.count, escapes: index.escapes, end: index.end,
      faultless: index.faultless,
      isFinal: input.isFinished && index.fault == nil && index.end == input.count && hasStarted)
  }
}
