extension ReaderCore {
  /// Reads a small value of the envelope that is complete now.
  mutating func take(_ capture: Capture, _ view: TokenView) throws(JSONError) {
    switch capture {
    case .count:
      envelope.count = declaredCount(view)
    case .names(let source):
      guard envelope.names == nil, case .found(let sources) = layout.names else { return }
      try name(columnNames(view, key: sources[source].key), at: recordToken, view)
    }
  }

  /// `1060` or `"1060"`; nil for anything else.
  private func declaredCount(_ view: TokenView) -> Int? {
    var start = view.offset(recordToken)
    if view.bytes[start] == UInt8(ascii: "\"") { start += 1 }
    var end = start
    while Scalar.isDigit(view.bytes[end]) { end += 1 }
    guard end > start, Scalar.isEnd(view.bytes[end]) else { return nil }
    return Int(
      String(decoding: UnsafeBufferPointer(start: view.bytes + start, count: end - start), as: UTF8.self))
  }

  /// An array of strings, or of objects that each have a name under `key`.
  private func columnNames(_ view: TokenView, key: String?) throws(JSONError) -> [String] {
    var names: [String] = []
    var token = recordToken
    guard view.byte(token) == UInt8(ascii: "[") else { throw error(.malformedNames, at: view.offset(token)) }
    var element = RecordParser(fields: key.map { [[$0]] } ?? [], limits: limits)
    element.escape = recordEscape
    token += 1
    while view.byte(token) != UInt8(ascii: "]") {
      let offset = view.offset(token)
      if key == nil {
        guard view.bytes[offset] == UInt8(ascii: "\"") else { throw error(.malformedNames, at: offset) }
        names.append(
          StringDecoding.string(view.bytes + offset + 1, count: view.offset(token + 1) - offset - 1))
        token += 2
      } else {
        _ = element.parse(view, at: token, escape: element.escape, depth: 0, isRow: false)
        guard element.problem == nil, element.fields[0].kind == .string else {
          throw error(.malformedNames, at: offset)
        }
        names.append(String(decoding: element.fields[0].bytes, as: UTF8.self))
        token = element.cursor
      }
      if view.byte(token) == UInt8(ascii: ",") { token += 1 }
    }
    return names
  }

  private mutating func name(_ names: [String], at token: Int, _ view: TokenView) throws(JSONError) {
    envelope.names = names
    if let column = parser.setColumns(names) {
      throw error(.duplicateName, at: view.offset(token), candidates: [names[column]])
    }
  }

  /// Whether the record just parsed is a first row of names; then it is taken as such.
  mutating func takesHeader(_ view: TokenView) throws(JSONError) -> Bool {
    mayBeHeader = false
    switch layout.names {
    case .firstRow:
      guard isRowOfStrings(view) else { throw error(.noNames, at: view.offset(recordToken)) }
    case .none where layout.mayHaveHeader && isRowOfStrings(view):
      layout.names = .firstRow
      parsesRows = true
    default: return false
    }
    try name(columnNames(view, key: nil), at: recordToken, view)
    return true
  }

  private func isRowOfStrings(_ view: TokenView) -> Bool {
    guard view.byte(recordToken) == UInt8(ascii: "[") else { return false }
    var token = recordToken + 1
    while token < walker.cursor - 1 {
      guard view.byte(token) == UInt8(ascii: "\"") else { return false }
      token += 3
    }
    return token > recordToken + 1
  }
}
