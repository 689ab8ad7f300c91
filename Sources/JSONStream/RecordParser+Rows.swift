// Rows: records that are arrays.
extension RecordParser {
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

  /// A row of cells, the columns known by their place.
  ///
  /// The fields are not emptied before: every column's cell is written over, or emptied when it is not there.
  /// Text and null, nearly all that feeds have, are taken here; `value` does the rest.
  mutating func row(_ view: TokenView, depth: Int) -> Outcome {
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
    if column != expected { endRow(at: column) }
    return .done
  }

  /// The row has more or fewer cells than there are columns; those that it does not have are absent.
  mutating func endRow(at count: Int) {
    note(.wrongLength(found: count, expected: columnCount))
    for column in stride(from: count, to: columnCount, by: 1) where columns[column] != Column.none {
      empty(nodes[column], .absent, recordStart)
    }
  }
}
