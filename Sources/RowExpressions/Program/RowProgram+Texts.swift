internal import TypedRows

// Steps that make texts, or look into them. A text may hold U+0000, at which some functions of SQLite end it.
extension RowProgram {
  /// Room for a text of this row; nil where there is no more.
  @inline(__always)
  private func reserve(_ count: Int, _ used: inout Int) -> UnsafeMutablePointer<UInt8>? {
    guard used + count <= Self.roomBytes else { return nil }
    defer { used += count }
    return room + used
  }

  @inline(__always)
  private func made(_ start: UnsafeMutablePointer<UInt8>, _ count: Int) -> Value {
    .text(UnsafeBufferPointer(start: start, count: count))
  }

  /// A value as text.
  func text(_ a: Value, _ used: inout Int) -> Value {
    switch a.kind {
    case .null, .text: return a
    case .integer:
      guard let start = reserve(IntegerText.mostDigits, &used) else { return .unknown }
      return made(start, IntegerText.write(a.integer, to: start))
    case .real, .blob, .unknown: return .unknown
    }
  }

  func concatenate(_ a: Value, _ b: Value, _ used: inout Int) -> Value {
    if a.kind == .unknown || b.kind == .unknown { return .unknown }
    if a.kind == .null || b.kind == .null { return .null }
    let (first, second) = (text(a, &used), text(b, &used))
    guard first.kind == .text, second.kind == .text,
      let start = reserve(first.count + second.count, &used)
    else { return .unknown }
    if let bytes = first.bytes.baseAddress { start.update(from: bytes, count: first.count) }
    if let bytes = second.bytes.baseAddress { (start + first.count).update(from: bytes, count: second.count) }
    return made(start, first.count + second.count)
  }

  /// The text with other letters of ASCII.
  @inline(__always)
  func map(_ a: Value, _ used: inout Int, _ letter: (UInt8) -> UInt8) -> Value {
    guard a.kind == .text else { return a.kind == .null ? .null : .unknown }
    guard let start = reserve(a.count, &used) else { return .unknown }
    for (place, byte) in a.bytes.enumerated() { start[place] = letter(byte) }
    return made(start, a.count)
  }

  /// Goes on to the next character.
  @inline(__always)
  private func skip(_ bytes: UnsafeBufferPointer<UInt8>, _ place: inout Int) {
    let isLead = bytes[place] >= 0xc0
    place += 1
    while isLead, place < bytes.count, bytes[place] & 0xc0 == 0x80 { place += 1 }
  }

  func length(_ a: Value) -> Value {
    guard a.kind == .text else { return a.kind == .null ? .null : .unknown }
    let bytes = a.bytes
    var (place, count) = (0, 0)
    while place < bytes.count, bytes[place] != 0 {
      skip(bytes, &place)
      count += 1
    }
    return .integer(Int64(count))
  }

  /// - Parameter from: the first character's place, from 1.
  func part(_ a: Value, from: Int, count: Int) -> Value {
    guard a.kind == .text else { return a.kind == .null ? .null : .unknown }
    let bytes = a.bytes
    var place = 0
    func go(on count: Int) {
      var left = count
      while left > 0, place < bytes.count, bytes[place] != 0 {
        skip(bytes, &place)
        left -= 1
      }
    }
    go(on: from - 1)
    let start = place
    go(on: count)
    return .text(UnsafeBufferPointer(rebasing: bytes[start..<place]))
  }

  /// - Parameter length: how many bytes the text has, where it is what it should be.
  @inline(__always)
  func slice(_ a: Value, _ start: Int, _ count: Int, of length: Int) -> Value {
    guard a.kind == .text, a.count == length else { return a.kind == .null ? .null : .unknown }
    return .text(UnsafeBufferPointer(rebasing: a.bytes[start..<start + count]))
  }

  func fill(_ template: [Int], _ a: Value, of length: Int, _ used: inout Int) -> Value {
    guard a.kind == .text, a.count == length else { return a.kind == .null ? .null : .unknown }
    guard let start = reserve(template.count, &used) else { return .unknown }
    for (place, from) in template.enumerated() {
      start[place] = from < 256 ? a.bytes[from] : UInt8(truncatingIfNeeded: from)
    }
    return made(start, template.count)
  }
}
