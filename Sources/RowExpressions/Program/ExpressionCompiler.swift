internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import TypedRows

/// Turns expressions into the steps of a `RowProgram`.
///
/// It compiles what SQLite has taken already, so it looks for no mistakes: whatever it does not know, or means something else
/// to another version of SQLite, is left to SQLite, and the whole expression with it.
struct ExpressionCompiler {
  typealias Kinds = Set<RowProgram.Value.Kind>

  /// The expression is SQLite's.
  struct NotCompiled: Error {}

  /// Where a part's value is.
  struct Operand {
    let slot: Int
    /// What it may be, besides null.
    let kinds: Kinds
    /// The number that the part is, as written.
    var literal: String?
    /// The column that the part is.
    var column: Int?
  }

  static let numbers: Kinds = [.integer, .real]

  let layout: ChunkLayout
  /// Whether `lower` and `upper` know the letters of ASCII alone, which another build of SQLite may not.
  let mapsASCII: Bool
  private let db: Database
  private var columns: [String: Int] = [:]
  private var loaded: [Int: Operand] = [:]

  // What the program is made of.
  private(set) var steps: [RowProgram.Step] = []
  private(set) var constants: [(slot: Int, value: Value)] = []
  var templates: [[Int]] = []
  /// The first one is null.
  private(set) var slotCount = 1

  init(_ db: Database, layout: ChunkLayout) throws {
    self.db = db
    self.layout = layout
    mapsASCII = try db.integer("SELECT lower('\u{c9}') = '\u{c9}' AND upper('\u{e9}') = '\u{e9}'") == 1
    for column in layout.columns.indices where layout.isAttribute(column) {
      columns[layout.columns[column].name.caseFolded] = column
    }
  }

  /// The slot that an expression's value will be in; nil when it is left to SQLite.
  mutating func compile(_ text: String) -> Int? {
    let before = self
    // What is not known here is SQLite's to read.
    guard let tree = try? ExpressionTree(text), let value = try? value(tree) else {
      self = before
      return nil
    }
    return value.slot
  }

  // MARK: Emitting

  var null: Operand { Operand(slot: 0, kinds: []) }

  mutating func emit(
    _ operation: RowProgram.Operation, _ a: Int, _ b: Int = 0, _ c: Int = 0, number: UInt64 = 0,
    giving kinds: Kinds
  ) -> Operand {
    steps.append(
      RowProgram.Step(operation: operation, target: slotCount, a: a, b: b, c: c, number: number))
    slotCount += 1
    return Operand(slot: slotCount - 1, kinds: kinds)
  }

  /// - Parameter sql: a literal; SQLite says what it is.
  mutating func constant(_ sql: String) throws(NotCompiled) -> Operand {
    guard let value = try? db.value("SELECT \(sql)") else { throw NotCompiled() }
    return try constant(value)
  }

  private mutating func constant(_ value: Value) throws(NotCompiled) -> Operand {
    let kinds: Kinds
    switch value {
    case .null: return null
    case .integer: kinds = [.integer]
    case .real: kinds = [.real]
    case .text: kinds = [.text]
    case .blob: throw NotCompiled()
    }
    constants.append((slotCount, value))
    slotCount += 1
    return Operand(slot: slotCount - 1, kinds: kinds)
  }

  /// The value of an attribute, read once a row however often it is used.
  mutating func attribute(_ name: String) throws(NotCompiled) -> Operand {
    guard let column = columns[name.caseFolded] else { throw NotCompiled() }
    if let operand = loaded[column] { return operand }
    let (attribute, storage) = (layout.columns[column].attribute, layout.columns[column].storage)
    let missing = try constant(attribute.defaultValue ?? .null)
    let kind: RowProgram.Value.Kind =
      switch storage {
      case .integer: .integer
      case .real: .real
      case .text: .text
      case .blob: .blob
      }
    guard missing.kinds.isSubset(of: [kind]) else { throw NotCompiled() }
    var operand: Operand
    if case .decimal(let scale) = attribute.type, scale > 0 {
      let power = DecimalNumbers.powerOfTen(Int32(truncatingIfNeeded: scale))
      operand = emit(.loadDecimal, column, missing.slot, number: power.bitPattern, giving: [.real])
    } else {
      operand = emit(.load, column, missing.slot, number: UInt64(kind.rawValue), giving: [kind])
      operand.column = column
    }
    loaded[column] = operand
    return operand
  }

  /// Leaves an expression to SQLite in which an operand can only be what the step does not know.
  func require(_ operands: Operand..., among kinds: Kinds) throws(NotCompiled) {
    for operand in operands where !operand.kinds.isEmpty && operand.kinds.isDisjoint(with: kinds) {
      throw NotCompiled()
    }
  }

  // MARK: Comparing and choosing

  /// A comparison: of two numbers, or of two texts. Between a text and a number SQLite may convert one of them.
  mutating func comparison(
    _ operation: RowProgram.Operation, _ a: Operand, _ b: Operand
  ) throws(NotCompiled) -> Operand {
    try requireAlike(a, b)
    return emit(operation, a.slot, b.slot, giving: [.integer])
  }

  func requireAlike(_ a: Operand, _ b: Operand) throws(NotCompiled) {
    if a.kinds.isEmpty || b.kinds.isEmpty { return }
    for kinds in [Self.numbers, [.text]] where !a.kinds.isDisjoint(with: kinds) {
      if !b.kinds.isDisjoint(with: kinds) { return }
    }
    throw NotCompiled()
  }

  mutating func conjunction(
    _ operation: RowProgram.Operation, _ a: Operand, _ b: Operand
  ) throws(NotCompiled) -> Operand {
    try require(a, b, among: Self.numbers)
    return emit(operation, a.slot, b.slot, giving: [.integer])
  }

  mutating func negation(_ a: Operand) throws(NotCompiled) -> Operand {
    try require(a, among: Self.numbers)
    return emit(.not, a.slot, giving: [.integer])
  }

  mutating func choice(_ condition: Operand, _ yes: Operand, _ no: Operand) throws(NotCompiled) -> Operand {
    try require(condition, among: Self.numbers)
    return emit(.choose, condition.slot, yes.slot, no.slot, giving: yes.kinds.union(no.kinds))
  }
}
