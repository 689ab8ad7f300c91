// Objects and arrays, member by member, and their values.
extension RecordParser {
  /// An object's members, its keys looked up among the children of `node`.
  mutating func object(_ view: TokenView, node: Int32, depth: Int) -> Outcome {
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
  mutating func array(_ view: TokenView, node: Int32, depth: Int) -> Outcome {
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
  mutating func value(_ view: TokenView, node: Int32, depth: Int) -> Outcome {
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

  mutating func container(
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
}
