// Lines of delimited text: records that are cells.
extension RecordParser {
  /// Reads the line that begins at `start`, its columns known by their place.
  ///
  /// It never says what is wrong: see `CellWalker`.
  ///
  /// - Parameter token: the first one that is not before `start`.
  /// - Returns: the offset where the line ends, the cursor being at the token there; nil when it is malformed or not whole.
  mutating func line(_ view: TokenView, at start: Int, token: Int, delimiter: UInt8) -> Int? {
    let (bytes, tokens, count) = (view.bytes, view.tokens, view.count)
    let (columns, expected, fields) = (columns, columnCount, fields)
    forgetProblem()
    scratchCount = 0
    recordStart = start
    var next = token
    var cell = start
    var column = 0
    var end = 0
    while true {
      let target = column < expected ? columns[column] : Column.none
      if next < count, bytes[Int(tokens[next])] != Cell.quote {
        end = Int(tokens[next])
        if target >= 0 {
          fields[Int(target)] = RecordField(
            start: bytes + cell, count: end &- cell, offset: cell &- start, token: 0, kind: .string)
        } else if target == Column.nested {
          store(view, nodes[column], cell, end &- cell, cell, .string)
        }
      } else {
        cursor = next
        guard let found = cellEnd(view, from: cell) else { return nil }
        next = cursor
        end = found
        if target != Column.none { store(view, nodes[column], cell: cell, to: end) }
      }
      column &+= 1
      guard next < count, bytes[end] == delimiter else { break }
      next &+= 1
      cell = end &+ 1
    }
    cursor = next
    if column != expected { endRow(at: column) }
    copyRepeatedFields()
    return end
  }

  /// Where the cell ends that begins at `cell` and has quotes, or is the input's last; the cursor comes to the token there.
  ///
  /// - Returns: nil where the bytes do not show it, or where it is malformed.
  private mutating func cellEnd(_ view: TokenView, from cell: Int) -> Int? {
    if cursor < view.count, view.offset(cursor) == cell {
      cursor += 1
      // Two quotes within are one; the one that another byte follows is the last.
      while cursor < view.count {
        let offset = view.offset(cursor)
        cursor += 1
        guard view.bytes[offset] == Cell.quote else { continue }
        if cursor < view.count, view.offset(cursor) == offset + 1 {
          guard view.byte(cursor) == Cell.quote else { return offset + 1 }
          cursor += 1
        } else {
          return view.isFinal && offset + 1 == view.end ? view.end : nil
        }
      }
      return nil
    }
    while cursor < view.count, view.byte(cursor) == Cell.quote { cursor += 1 }
    if cursor < view.count { return view.offset(cursor) }
    return view.isFinal ? view.end : nil
  }

  /// A cell's content, without its quotes, into the slot of `node`.
  private mutating func store(_ view: TokenView, _ node: Int32, cell: Int, to end: Int) {
    guard cell < end, view.bytes[cell] == Cell.quote else {
      return store(view, node, cell, end - cell, cell, .string)
    }
    let content = UnsafeBufferPointer(start: view.bytes + cell + 1, count: end - cell - 2)
    guard content.contains(Cell.quote) else {
      return store(view, node, cell + 1, content.count, cell, .string)
    }
    mark(node, .absent, cell)
    guard plan.nodes[Int(node)].slot >= 0 else { return }
    let target = scratchSpace(view)
    let count = Cell.undouble(content, into: target)
    scratchCount += count
    fields[Int(plan.nodes[Int(node)].slot)] = RecordField(
      start: UnsafePointer(target), count: count, offset: cell - recordStart, token: 0, kind: .string)
  }
}
