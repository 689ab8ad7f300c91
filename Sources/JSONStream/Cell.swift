/// What delimited text is made of.
enum Cell {
  static let quote = UInt8(ascii: "\"")

  @inline(__always) static func endsLine(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  /// Writes what stands between a cell's quotes, each two quotes as one.
  ///
  /// - Returns: bytes written, never more than there are in `content`.
  static func undouble(_ content: UnsafeBufferPointer<UInt8>, into target: UnsafeMutablePointer<UInt8>) -> Int
  {
    var written = 0
    var isSecond = false
    for byte in content {
      isSecond = byte == quote && !isSecond
      if isSecond { continue }
      target[written] = byte
      written += 1
    }
    return written
  }

  /// Lends the content of each cell of a sound line.
  static func each(
    of line: UnsafeBufferPointer<UInt8>, delimiter: UInt8, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    var rest = line[...]
    var hasMore = true
    while hasMore {
      var end = rest.startIndex
      var isOpen = rest.first == quote
      if isOpen { end += 1 }
      while end < rest.endIndex, isOpen || rest[end] != delimiter {
        if rest.first == quote, rest[end] == quote { isOpen.toggle() }
        end += 1
      }
      take(UnsafeBufferPointer(rebasing: rest[..<end]), body)
      hasMore = end < rest.endIndex
      rest = hasMore ? rest[(end + 1)...] : rest[end...]
    }
  }

  private static func take(
    _ cell: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    guard cell.first == quote else { return body(cell) }
    let content = UnsafeBufferPointer(rebasing: cell.dropFirst().dropLast())
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(content.count, 1)) { target in
      guard let start = target.baseAddress else { return }
      let count = undouble(content, into: start)
      body(UnsafeBufferPointer(start: start, count: count))
    }
  }

  /// A sound line as a JSON array: of numbers where cells read like one, of null for empty ones, else of strings.
  static func json(of line: UnsafeBufferPointer<UInt8>, delimiter: UInt8) -> [UInt8] {
    var json = [UInt8(ascii: "[")]
    json.reserveCapacity(line.count + line.count / 4 + 2)
    each(of: line, delimiter: delimiter) { cell in
      if json.count > 1 { json.append(UInt8(ascii: ",")) }
      if cell.isEmpty { return json += Array("null".utf8) }
      if isNumber(cell) { return json += cell }
      json.append(quote)
      for byte in cell {
        switch byte {
        case quote, UInt8(ascii: "\\"): json += [UInt8(ascii: "\\"), byte]
        case 0..<0x20: json += Array("\\u00".utf8) + hex(byte)
        default: json.append(byte)
        }
      }
      json.append(quote)
    }
    json.append(UInt8(ascii: "]"))
    return json
  }

  private static func isNumber(_ cell: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = cell.first, Scalar.isDigit(first) || first == UInt8(ascii: "-") else { return false }
    // The grammar looks at the byte behind.
    return (Array(cell) + [0x20]).withUnsafeBufferPointer { padded in
      padded.baseAddress.map { Scalar.number($0, 0).end == cell.count } ?? false
    }
  }

  private static func hex(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }
}
