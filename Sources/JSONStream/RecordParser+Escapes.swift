// Strings with escapes, and the memory for what they stand for.
extension RecordParser {
  mutating func escapedString(
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
    if let unpaired = decoded.unpaired, !hasProblem {
      note(.unpairedSurrogate(field: slot, offset: open + 1 + unpaired - recordStart))
    }
    fields[slot] = RecordField(
      start: UnsafePointer(target), count: decoded.count, offset: open - recordStart, token: 0, kind: .string)
    return .done
  }

  /// Nil when the key holds something that is no escape.
  mutating func escapedChild(_ view: TokenView, of node: Int32, _ open: Int, _ close: Int) -> Int32? {
    guard passEscapes(view, to: close) else { return nil }
    let target = scratchSpace(view)
    let decoded = StringDecoding.decode(view.bytes + open + 1, count: close - open - 1, into: target)
    return decoded.unpaired == nil ? plan.searchAndNote(node, target, decoded.count) : FieldPlan.none
  }

  mutating func passEscapes(_ view: TokenView, to close: Int) -> Bool {
    while Int(view.escapes[escape]) < close {
      guard Scalar.escape(view.bytes, Int(view.escapes[escape])) > 0 else { return false }
      escape &+= 1
    }
    return true
  }

  /// Room for whatever the record still holds: decoded text is never longer than its source, so the memory
  /// does not move while fields point into it.
  mutating func scratchSpace(_ view: TokenView) -> UnsafeMutablePointer<UInt8> {
    let most = view.end - recordStart
    if scratchCount == 0 && scratchCapacity < most {
      scratch.deallocate()
      scratchCapacity = max(most, scratchCapacity * 2)
      scratch = .allocate(capacity: scratchCapacity + RecordField.padding)
    }
    return scratch + scratchCount
  }
}
