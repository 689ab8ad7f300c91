/// Walks tokens by JSON's grammar, validates every one, and can stop after any of them: stage 2 for all that is not a
/// record's own field.
///
/// It is the only place that finds syntax errors. The faster record parsers stop at the first thing they do not
/// like, and this walker then goes over the same record to say what it was.
struct GrammarWalker: ~Copyable {
  private(set) var state = GrammarState()
  private let containers: UnsafeMutablePointer<UInt64>
  private let limits: ReaderLimits

  init(limits: ReaderLimits) {
    self.limits = limits
    containers = .allocate(capacity: limits.depth / 64 + 1)
    containers.initialize(repeating: 0, count: limits.depth / 64 + 1)
  }

  deinit { containers.deallocate() }

  /// The next token.
  var cursor: Int {
    get { state.cursor }
    set { state.cursor = newValue }
  }
  /// The first escape that is not before the next token.
  var escape: Int {
    get { state.escape }
    set { state.escape = newValue }
  }
  var expectation: GrammarState.Expectation {
    get { state.expectation }
    set { state.expectation = newValue }
  }
  var depth: Int { state.depth }
  var failure: (code: JSONError.Code, offset: Int) { (state.failureCode.code, state.failureOffset) }
  var isInObject: Bool { state.isInObject(containers) }

  /// Stands before a value that lies `depth` containers deep; what these are is not known and not asked.
  mutating func start(at token: Int, escape: Int, depth: Int) {
    state.cursor = token
    state.escape = escape
    state.depth = depth
    state.expectation = .value
  }

  /// Goes on until the value that began at `floor` open containers is complete.
  mutating func run(_ view: TokenView, downTo floor: Int) -> Outcome {
    // A copy that no pointer leads to stays in registers: a third faster than stepping in place.
    var local = state
    var outcome: Outcome
    repeat {
      outcome = local.step(view, containers, limits)
    } while outcome == .done && (local.depth > floor || !local.isBetweenValues)
    state = local
    return outcome
  }

  /// Takes one token; a string's two quotes are one.
  mutating func step(_ view: TokenView) -> Outcome { state.step(view, containers, limits) }
}
