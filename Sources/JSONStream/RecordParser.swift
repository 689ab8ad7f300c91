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
  var problem: RecordProblem?

  /// The next token, and the first escape that is not before it.
  var cursor = 0
  var escape = 0
  /// The record's first byte in the buffer.
  private(set) var recordStart = 0
  private var nested: GrammarWalker
  private let limits: ReaderLimits
  /// Strings with escapes, decoded.
  private var scratch: UnsafeMutablePointer<UInt8>
  private var scratchCapacity = 0
  private var scratchCount = 0
  /// Keys of wildcards, by slot.
  private var boundKeys: [Int: UnsafeMutablePointer<UInt8>] = [:]
  /// What to do with each column of rows that are arrays: its slot, or one of `Column`'s constants.
  private var columns: UnsafeMutablePointer<Int32>
  /// The node of each column.
  private var nodes: UnsafeMutablePointer<Int32>
  private var columnCount = 0

  init(fields paths: [[String]?], limits: ReaderLimits) {
    plan = FieldPlan(paths)
    fieldCount = paths.count
    self.limits = limits
    nested = GrammarWalker(limits: limits)
    scratch = .allocate(capacity: 0)
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
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: key.utf8.count)
    _ = UnsafeMutableBufferPointer(start: bytes, count: key.utf8.count).initialize(from: key.utf8)
    boundKeys[slot] = bytes
    template[slot] = RecordField(
      start: UnsafePointer(bytes), count: key.utf8.count, offset: 0, token: 0, kind: .string)
  }

  /// Gives each column the node that asks for its name.
  ///
  /// - Returns: The first column whose node an earlier one has already, or nil.
  mutating func setColumns(_ names: [String]) -> Int? {
    columns.deallocate()
    nodes.deallocate()
    columns = .allocate(capacity: names.count)
    nodes = .allocate(capacity: names.count)
    columnCount = names.count
    var seen: Set<Int32> = []
    var repeated: Int?
    for (column, name) in names.enumerated() {
      let key = Array(name.utf8)
      let node = key.withUnsafeBufferPointer { bytes in
        bytes.baseAddress.map { plan.search(0, $0, bytes.count) } ?? FieldPlan.none
      }
      (nodes + column).initialize(to: node)
      (columns + column).initialize(to: plan.target(of: node))
      if node >= 0 && !seen.insert(node).inserted && repeated == nil { repeated = column }
    }
    fields.update(from: template, count: fieldCount)
    return repeated
  }

  /// Reads the record that begins at `token`, `depth` containers deep.
  mutating func parse(
    _ view: TokenView, at token: Int, escape first: Int, depth: Int, isRow: Bool
  ) -> Outcome {
    cursor = token
    escape = first
    problem = nil
    scratchCount = 0
    recordStart = view.offset(token)
    let byte = view.bytes[recordStart]
    let outcome: Outcome
    if byte == UInt8(ascii: "[") && isRow && depth < limits.depth {
      outcome = row(view, depth: depth + 1)
    } else {
      fields.update(from: template, count: fieldCount)
      if byte == UInt8(ascii: "{") && !isRow && depth < limits.depth {
        outcome = object(view, node: 0, depth: depth + 1)
      } else {
        problem = isRow ? .notAnArray(FieldKind(byte)) : .notAnObject(FieldKind(byte))
        outcome = skip(view, depth: depth)
      }
    }
    if !plan.copies.isEmpty {
      for copy in plan.copies { fields[copy.to] = fields[copy.from] }
    }
    return outcome
  }

  /// A row of cells, the columns known by their place.
  ///
  /// The fields are not emptied before: every column's cell is written over, or emptied when it is not there.
  /// Text and null, nearly all that feeds have, are taken here; `value` does the rest.
  private mutating func row(_ view: TokenView, depth: Int) -> Outcome {
    let (bytes, tokens, count) = (view.bytes, view.tokens, view.count)
    let (columns, expected, fields, start) = (columns, columnCount, fields, recordStart)
    var next = cursor &+ 1
    var backslash = Int(view.escapes[escape])
    var column = 0
    guard next < count else { return .needsInput }
    if bytes[Int(tokens[next])] == UInt8(ascii: "]") {
      next &+= 1
    } else {
      while true {
        guard next &+ 1 < count else { return .needsInput }
        let offset = Int(tokens[next])
        let close = Int(tokens[next &+ 1])
        let target = column < expected ? columns[column] : Column.none
        if bytes[offset] == UInt8(ascii: "\""), backslash >= close, target >= Column.none {
          if target >= 0 {
            fields[Int(target)] = RecordField(
              start: bytes + (offset &+ 1), count: close &- offset &- 1, offset: offset &- start, token: 0,
              kind: .string)
          }
          next &+= 2
        } else if Scalar.isNull(bytes, offset), target >= Column.none {
          if target >= 0 {
            fields[Int(target)] = RecordField(
              start: bytes + offset, count: 4, offset: offset &- start, token: 0, kind: .null)
          }
          next &+= 1
        } else {
          cursor = next
          let outcome = value(
            view, node: target == Column.none ? FieldPlan.none : nodes[column], depth: depth)
          guard outcome == .done else { return outcome }
          next = cursor
          backslash = Int(view.escapes[escape])
        }
        column &+= 1
        guard next < count else { return .needsInput }
        let byte = bytes[Int(tokens[next])]
        next &+= 1
        if byte == UInt8(ascii: ",") { continue }
        guard byte == UInt8(ascii: "]") else { return .failed }
        break
      }
    }
    cursor = next
    if column != expected {
      problem = .wrongLength(found: column, expected: expected)
      while column < expected {
        if columns[column] != Column.none { empty(nodes[column], .absent, recordStart) }
        column &+= 1
      }
    }
    return .done
  }

  /// An object's members, its keys looked up among the children of `node`.
  private mutating func object(_ view: TokenView, node: Int32, depth: Int) -> Outcome {
    cursor &+= 1
    guard cursor < view.count else { return .needsInput }
    if view.byte(cursor) == UInt8(ascii: "}") {
      cursor &+= 1
      return .done
    }
    var member = 0
    while true {
      guard cursor &+ 3 < view.count else { return .needsInput }
      let open = view.offset(cursor)
      guard view.bytes[open] == UInt8(ascii: "\""), view.byte(cursor &+ 2) == UInt8(ascii: ":") else {
        return .failed
      }
      let close = view.offset(cursor &+ 1)
      let child: Int32
      if Int(view.escapes[escape]) < close {
        guard let found = escapedChild(view, of: node, open, close) else { return .failed }
        child = found
      } else {
        child = plan.child(of: node, key: view.bytes + open + 1, count: close &- open &- 1, member: member)
      }
      cursor &+= 3
      let outcome = value(view, node: child, depth: depth)
      guard outcome == .done else { return outcome }
      member &+= 1
      guard cursor < view.count else { return .needsInput }
      let byte = view.byte(cursor)
      cursor &+= 1
      if byte == UInt8(ascii: ",") { continue }
      return byte == UInt8(ascii: "}") ? .done : .failed
    }
  }

  /// An array's elements, its indexes looked up among the children of `node`.
  private mutating func array(_ view: TokenView, node: Int32, depth: Int) -> Outcome {
    cursor &+= 1
    guard cursor < view.count else { return .needsInput }
    if view.byte(cursor) == UInt8(ascii: "]") {
      cursor &+= 1
      return .done
    }
    var index = 0
    while true {
      let outcome = value(view, node: plan.child(of: node, index: index), depth: depth)
      guard outcome == .done else { return outcome }
      index &+= 1
      guard cursor < view.count else { return .needsInput }
      let byte = view.byte(cursor)
      cursor &+= 1
      if byte == UInt8(ascii: ",") { continue }
      return byte == UInt8(ascii: "]") ? .done : .failed
    }
  }

  /// One value, into the slot of `node`.
  @inline(__always)
  private mutating func value(_ view: TokenView, node: Int32, depth: Int) -> Outcome {
    guard cursor < view.count else { return .needsInput }
    let offset = view.offset(cursor)
    let byte = view.bytes[offset]
    if byte == UInt8(ascii: "\"") {
      guard cursor &+ 1 < view.count else { return .needsInput }
      let close = view.offset(cursor &+ 1)
      cursor &+= 2
      if Int(view.escapes[escape]) < close { return escapedString(view, node, offset, close) }
      if node >= 0 { store(view, node, offset + 1, close &- offset &- 1, offset, .string) }
      return .done
    }
    if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
      return container(view, node, offset, byte, depth)
    }
    guard view.isWhole(cursor) else { return .needsInput }
    if byte == UInt8(ascii: "-") || Scalar.isDigit(byte) {
      let (end, isInteger) = Scalar.number(view.bytes, offset)
      guard end >= 0, end &- offset <= limits.numberBytes else { return .failed }
      cursor &+= 1
      if node >= 0 { store(view, node, offset, end &- offset, offset, isInteger ? .integer : .decimal) }
      return .done
    }
    let length = Scalar.word(view.bytes, offset)
    guard length > 0 else { return .failed }
    cursor &+= 1
    if node >= 0 {
      let kind: FieldKind = byte == UInt8(ascii: "n") ? .null : byte == UInt8(ascii: "t") ? .true : .false
      store(view, node, offset, length, offset, kind)
    }
    return .done
  }

  private mutating func container(
    _ view: TokenView, _ node: Int32, _ offset: Int, _ byte: UInt8, _ depth: Int
  ) -> Outcome {
    let token = cursor
    let outcome: Outcome
    if node >= 0 && plan.nodes[Int(node)].childCount > 0 {
      guard depth < limits.depth else { return .failed }
      // A key that comes twice: the last one counts, with all that hangs on it.
      mark(node, .absent, offset)
      outcome =
        byte == UInt8(ascii: "{")
        ? object(view, node: node, depth: depth + 1) : array(view, node: node, depth: depth + 1)
    } else {
      outcome = skip(view, depth: depth)
    }
    guard outcome == .done, node >= 0, plan.nodes[Int(node)].slot >= 0 else { return outcome }
    let kind: FieldKind = byte == UInt8(ascii: "{") ? .object : .array
    store(view, node, offset, view.offset(cursor - 1) + 1 - offset, offset, kind)
    fields[Int(plan.nodes[Int(node)].slot)].token = UInt32(token)
    return .done
  }

  private mutating func skip(_ view: TokenView, depth: Int) -> Outcome {
    nested.start(at: cursor, escape: escape, depth: depth)
    let outcome = nested.run(view, downTo: depth)
    cursor = nested.cursor
    escape = nested.escape
    return outcome
  }

  @inline(__always)
  private mutating func store(
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
  private mutating func empty(_ node: Int32, _ kind: FieldKind, _ offset: Int) {
    let slot = Int(plan.nodes[Int(node)].slot)
    if slot >= 0 {
      fields[slot] = RecordField(
        start: UnsafePointer(scratch), count: 0, offset: offset &- recordStart, token: 0, kind: kind)
    }
    mark(node, kind, offset)
  }

  /// All fields below `node`.
  private mutating func mark(_ node: Int32, _ kind: FieldKind, _ offset: Int) {
    let parent = plan.nodes[Int(node)]
    for child in parent.firstChild..<parent.firstChild + parent.childCount {
      empty(child, kind, offset)
    }
  }

  private mutating func escapedString(
    _ view: TokenView, _ node: Int32, _ open: Int, _ close: Int
  ) -> Outcome {
    guard passEscapes(view, to: close) else { return .failed }
    guard node >= 0 else { return .done }
    mark(node, .absent, open)
    guard plan.nodes[Int(node)].slot >= 0 else { return .done }
    let slot = Int(plan.nodes[Int(node)].slot)
    let target = scratchSpace(view)
    let decoded = StringDecoding.decode(view.bytes + open + 1, count: close - open - 1, into: target)
    scratchCount += decoded.count
    if let unpaired = decoded.unpaired, problem == nil {
      problem = .unpairedSurrogate(field: slot, offset: open + 1 + unpaired - recordStart)
    }
    fields[slot] = RecordField(
      start: UnsafePointer(target), count: decoded.count, offset: open - recordStart, token: 0, kind: .string)
    return .done
  }

  /// Nil when the key holds something that is no escape.
  private mutating func escapedChild(_ view: TokenView, of node: Int32, _ open: Int, _ close: Int) -> Int32? {
    guard passEscapes(view, to: close) else { return nil }
    let target = scratchSpace(view)
    let decoded = StringDecoding.decode(view.bytes + open + 1, count: close - open - 1, into: target)
    return decoded.unpaired == nil ? plan.searchAndNote(node, target, decoded.count) : FieldPlan.none
  }

  private mutating func passEscapes(_ view: TokenView, to close: Int) -> Bool {
    while Int(view.escapes[escape]) < close {
      guard Scalar.escape(view.bytes, Int(view.escapes[escape])) > 0 else { return false }
      escape &+= 1
    }
    return true
  }

  /// Room for whatever the record still holds: decoded text is never longer than its source, so the memory
  /// does not move while fields point into it.
  private mutating func scratchSpace(_ view: TokenView) -> UnsafeMutablePointer<UInt8> {
    let most = view.end - recordStart
    if scratchCount == 0 && scratchCapacity < most {
      scratch.deallocate()
      scratchCapacity = max(most, scratchCapacity * 2)
      scratch = .allocate(capacity: scratchCapacity)
    }
    return scratch + scratchCount
  }
}
