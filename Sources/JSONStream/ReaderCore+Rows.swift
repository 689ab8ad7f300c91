extension ReaderCore {
  enum RowStep { case record, over, needsInput }

  /// The next record of an array, or of the values at the top.
  mutating func nextRow(_ view: TokenView, floor: Int, isSingle: Bool) throws(JSONError) -> RowStep {
    while true {
      if isPassingRecord {
        switch walker.run(view, downTo: floor) {
        case .needsInput: return .needsInput
        case .failed: throw syntaxError()
        case .done: isPassingRecord = false
        }
        guard let step = try finishRecord(view, floor: floor) else { continue }
        return step
      }
      if isSingle && walker.expectation != .value { return .over }
      guard walker.cursor < view.count else { return .needsInput }
      let byte = view.byte(walker.cursor)
      switch walker.expectation {
      case .commaOrEnd where byte == UInt8(ascii: ","):
        // Records stand in an array: the walker's own step, without asking it in what.
        walker.cursor &+= 1
        walker.expectation = .value
        continue
      case .elementOrEnd where byte == UInt8(ascii: "]"), .commaOrEnd:
        guard walker.step(view) == .done else { throw syntaxError() }
        if walker.depth < floor { return .over }
        continue
      case .nothing:
        walker.expectation = .value
      default:
        break
      }
      if byte == 0xef, floor == 0 {
        switch passMark(view, byte) {
        case .done: continue
        case .needsInput: return .needsInput
        case .failed: break
        }
      }
      recordToken = walker.cursor
      recordEscape = walker.escape
      switch parser.parse(view, at: recordToken, escape: recordEscape, depth: floor, isRow: parsesRows) {
      case .done:
        walker.cursor = parser.cursor
        walker.escape = parser.escape
        walker.expectation = floor == 0 ? .nothing : .commaOrEnd
        guard let step = try deliver(view, floor: floor) else { continue }
        return step
      case .needsInput, .failed:
        isPassingRecord = true
      }
    }
  }

  /// The walker found the end of a record that was not whole before.
  private mutating func finishRecord(_ view: TokenView, floor: Int) throws(JSONError) -> RowStep? {
    let outcome = parser.parse(view, at: recordToken, escape: recordEscape, depth: floor, isRow: parsesRows)
    precondition(
      outcome == .done && parser.cursor == walker.cursor, "two readings of one record came to different ends")
    return try deliver(view, floor: floor)
  }

  private mutating func deliver(_ view: TokenView, floor: Int) throws(JSONError) -> RowStep? {
    recordEnd = endOffset(view)
    let length = recordEnd - parser.recordStart
    if length > limits.stringBytes { try checkStrings(view, floor: floor) }
    if length > limits.recordBytes {
      isPassingRecord = true
      throw recordLimitError()
    }
    if areLines && layout.isConcatenated { noteLine() }
    if mayBeHeader {
      guard try !takesHeader(view) else { return nil }
    }
    recordCount += 1
    for child in childReaders { child.restart() }
    return .record
  }

  /// Where the value that ended at the walker's cursor ends.
  private func endOffset(_ view: TokenView) -> Int {
    let last = view.offset(walker.cursor - 1)
    switch view.bytes[last] {
    case UInt8(ascii: "\""), UInt8(ascii: "]"), UInt8(ascii: "}"): return last + 1
    default:
      var end = last
      while !Scalar.isEnd(view.bytes[end]) { end += 1 }
      return end
    }
  }

  /// The parser measures no string; a record that could hold one past the limit is walked for it.
  private mutating func checkStrings(_ view: TokenView, floor: Int) throws(JSONError) {
    let after = (walker.cursor, walker.escape, walker.expectation)
    walker.start(at: recordToken, escape: recordEscape, depth: floor)
    isPassingRecord = true
    guard walker.run(view, downTo: floor) == .done else { throw syntaxError() }
    isPassingRecord = false
    (walker.cursor, walker.escape, walker.expectation) = after
  }

  func childrenField(_ list: Int) -> RecordField {
    precondition(children.indices.contains(list), "children are known by their index in the requested ones")
    let list = childReaders[list].list
    return list.within.map { childReaders[$0].field(list.array) } ?? parser.fields[list.array]
  }

  mutating func nextChild(of list: Int) -> Bool {
    let (reader, view) = (childReaders[list], self.view)
    let escape = reader.list.within.map { childReaders[$0].firstEscape } ?? recordEscape
    guard reader.advance(view, in: childrenField(list), firstEscape: escape) else { return false }
    for borrowed in reader.list.borrowed {
      if let owner = borrowed.owner {
        let around = childReaders[owner]
        reader.lend(around.field(borrowed.source), from: around.start, to: borrowed.slot, view)
      } else {
        reader.lend(parser.fields[borrowed.source], from: parser.recordStart, to: borrowed.slot, view)
      }
    }
    reader.read(view)
    for inner in reader.list.lists { childReaders[inner].restart() }
    return true
  }

  /// How many keys were noted so far; of rows, whose names are all known, less than none.
  var unrequestedKeyCount: Int { envelope.names == nil ? parser.plan.unrequestedKeyCount : -1 }

  /// Keys, or names of columns, that lead to no field: the first ones.
  var unrequestedKeys: [String] {
    guard let names = envelope.names else { return parser.plan.unrequestedKeys }
    var unrequested: [String] = []
    for name in names {
      let isRequested =
        requested.contains { $0.components[0].utf8.elementsEqual(name.utf8) }
        || recordPaths.contains { $0.first?.utf8.elementsEqual(name.utf8) == true }
      if !isRequested { unrequested.append(name) }
      if unrequested.count == KeyGuesses.mostOthers { break }
    }
    return unrequested
  }
}
