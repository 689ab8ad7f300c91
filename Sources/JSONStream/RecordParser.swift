/// One record's tokens -> its requested fields.
///
/// It never says what is wrong: see `GrammarWalker`.
struct RecordParser: ~Copyable {
  let plan: FieldPlan
  /// The current record's fields, by slot.
  let fields: UnsafeMutablePointer<RecordField>
  let fieldCount: Int
  /// The fields before a record is read: absent, but for those that hold the key of a wildcard.
  let template: UnsafeMutablePointer<RecordField>
  /// What is wrong with the record's content, its syntax being right.
  private(set) var problem: RecordProblem?
  /// Whether something is: to look at the problem itself costs as much as a cell.
  private(set) var hasProblem = false

  /// The next token, and the first escape that is not before it.
  var cursor = 0
  var escape = 0
  /// The record's first byte in the buffer.
  var recordStart = 0
  var nested: GrammarWalker
  let limits: ReaderLimits
  /// Strings with escapes, decoded.
  var scratch: UnsafeMutablePointer<UInt8>
  var scratchCapacity = 0
  var scratchCount = 0
  /// Keys of wildcards, by slot.
  var boundKeys: [Int: UnsafeMutablePointer<UInt8>] = [:]
  /// What to do with each column of rows that are arrays: its slot, or one of `Column`'s constants.
  var columns: UnsafeMutablePointer<Int32>
  /// The node of each column.
  var nodes: UnsafeMutablePointer<Int32>
  var columnCount = 0

  init(fields paths: [[String]?], limits: ReaderLimits) {
    plan = FieldPlan(paths)
    fieldCount = paths.count
    self.limits = limits
    nested = GrammarWalker(limits: limits)
    scratch = .allocate(capacity: RecordField.padding)
    columns = .allocate(capacity: 0)
    nodes = .allocate(capacity: 0)
    fields = .allocate(capacity: fieldCount)
    template = .allocate(capacity: fieldCount)
    let absent = RecordField(start: UnsafePointer(scratch), count: 0, offset: 0, token: 0, kind: .absent)
    fields.initialize(repeating: absent, count: fieldCount)
    template.initialize(repeating: absent, count: fieldCount)
  }

  deinit {
    for bytes in boundKeys.values { bytes.deallocate() }
    columns.deallocate()
    nodes.deallocate()
    fields.deallocate()
    template.deallocate()
    scratch.deallocate()
  }

  /// Lets a slot hold a wildcard's key in all records from here on.
  mutating func bind(slot: Int, to key: String) {
    if let old = boundKeys[slot] { old.deallocate() }
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: key.utf8.count + RecordField.padding)
    _ = UnsafeMutableBufferPointer(start: bytes, count: key.utf8.count).initialize(from: key.utf8)
    boundKeys[slot] = bytes
    template[slot] = RecordField(
      start: UnsafePointer(bytes), count: key.utf8.count, offset: 0, token: 0, kind: .string)
  }

  /// Reads the record that begins at `token`, `depth` containers deep.
  mutating func parse(
    _ view: TokenView, at token: Int, escape first: Int, depth: Int, isRow: Bool
  ) -> Outcome {
    cursor = token
    escape = first
    forgetProblem()
    scratchCount = 0
    recordStart = view.offset(token)
    let byte = view.bytes[recordStart]
    let outcome: Outcome
    if byte == UInt8(ascii: "[") && isRow && depth < limits.depth {
      outcome = row(view, depth: depth + 1)
    } else {
      fields.update(from: template, count: fieldCount)
      if plan.nodes[0].slot >= 0 {
        // Of an empty path the field is the value itself, of any kind.
        outcome = value(view, node: 0, depth: depth)
      } else if byte == UInt8(ascii: "{") && !isRow && depth < limits.depth {
        outcome = object(view, node: 0, depth: depth + 1)
      } else {
        note(isRow ? .notAnArray(FieldKind(byte)) : .notAnObject(FieldKind(byte)))
        outcome = skip(view, depth: depth)
      }
    }
    copyRepeatedFields()
    return outcome
  }

  /// Fields that ask for the same path hold the same.
  @inline(__always)
  mutating func copyRepeatedFields() {
    if !plan.copies.isEmpty {
      for copy in plan.copies { fields[copy.to] = fields[copy.from] }
    }
  }

  /// Takes what is no JSON as the current record: it has no fields.
  mutating func take(_ problem: RecordProblem) {
    note(problem)
    fields.update(from: template, count: fieldCount)
  }

  mutating func note(_ problem: RecordProblem) { (self.problem, hasProblem) = (problem, true) }

  @inline(__always)
  mutating func forgetProblem() {
    if hasProblem { (problem, hasProblem) = (nil, false) }
  }

  mutating func skip(_ view: TokenView, depth: Int) -> Outcome {
    nested.start(at: cursor, escape: escape, depth: depth)
    let outcome = nested.run(view, downTo: depth)
    cursor = nested.cursor
    escape = nested.escape
    return outcome
  }

  @inline(__always)
  mutating func store(
    _ view: TokenView, _ node: Int32, _ start: Int, _ count: Int, _ offset: Int, _ kind: FieldKind
  ) {
    let target = plan.nodes + Int(node)
    let slot = Int(target.pointee.slot)
    if slot >= 0 {
      fields[slot] = RecordField(
        start: view.bytes + start, count: count, offset: offset &- recordStart, token: 0, kind: kind)
    }
    // What is no object or array has nothing below it; a null has nulls.
    if target.pointee.childCount > 0 && kind.rawValue < FieldKind.object.rawValue {
      mark(node, kind == .null ? .null : .absent, offset)
    }
  }

  /// The field of `node` and all below it.
  mutating func empty(_ node: Int32, _ kind: FieldKind, _ offset: Int) {
    let slot = Int(plan.nodes[Int(node)].slot)
    if slot >= 0 {
      fields[slot] = RecordField(
        start: UnsafePointer(scratch), count: 0, offset: offset &- recordStart, token: 0, kind: kind)
    }
    mark(node, kind, offset)
  }

  /// All fields below `node`.
  mutating func mark(_ node: Int32, _ kind: FieldKind, _ offset: Int) {
    let parent = plan.nodes[Int(node)]
    for child in parent.firstChild..<parent.firstChild + parent.childCount {
      empty(child, kind, offset)
    }
  }

}
