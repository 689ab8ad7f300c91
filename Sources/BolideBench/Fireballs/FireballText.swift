/// Puts rows into JSON text, in one buffer that is handed on whenever it is nearly full.
struct FireballText: ~Copyable {
  private static let capacity = 256 * 1024
  /// No row's text is longer.
  private static let longestRow = 256

  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 64)
  private let impacts = FireballImpacts()
  private var count = 0

  deinit { buffer.deallocate() }

  /// Whether the buffer should be handed on before the next row.
  var isNearlyFull: Bool { count > Self.capacity - Self.longestRow }

  /// Hands on what is there, and begins again.
  mutating func flush(to consumer: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    if count > 0 { try consumer(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
    count = 0
  }

  /// Text that stands between the rows; not longer than a row.
  mutating func append(_ text: String) {
    precondition(text.utf8.count <= Self.longestRow)
    for byte in text.utf8 { append(byte) }
  }

  /// A row as the feed writes it.
  ///
  /// `["2025-12-29 04:12:58","4.72","0.16","13.4","N","170.2","W","62.0",null]`
  mutating func append(_ row: FireballRow) {
    append(UInt8(ascii: "["))
    appendQuoted { $0.appendTime(row.time) }
    comma()
    appendQuoted { $0.appendEnergy(row.energy) }
    comma()
    let impact = impacts[row.energy]
    appendQuoted { text in
      for byte in impact { text.append(byte) }
    }
    comma()
    if let location = row.location {
      appendQuoted { $0.appendTenths(location.latitude) }
      append(location.isSouth ? #","S","# : #","N","#)
      appendQuoted { $0.appendTenths(location.longitude) }
      append(location.isWest ? #","W","# : #","E","#)
    } else {
      append("null,null,null,null,")
    }
    appendTenthsOrNull(row.altitude)
    comma()
    appendTenthsOrNull(row.velocity)
    append(UInt8(ascii: "]"))
  }

  private mutating func appendTenthsOrNull(_ tenths: Int?) {
    if let tenths {
      appendQuoted { $0.appendTenths(tenths) }
    } else {
      append("null")
    }
  }

  private mutating func appendTenths(_ tenths: Int) {
    appendNumber(tenths / 10)
    point()
    appendDigits(tenths % 10, 1)
  }

  private mutating func appendEnergy(_ energy: FireballEnergy) {
    switch energy.exponent {
    case 0:
      appendNumber(energy.digits / 100)
      if energy.decimals > 0 { point() }
      if energy.decimals == 1 { appendDigits(energy.digits / 10 % 10, 1) }
      if energy.decimals == 2 { appendDigits(energy.digits % 100, 2) }
    case 1:
      appendNumber(energy.digits / 10)
      if energy.decimals == 1 {
        point()
        appendDigits(energy.digits % 10, 1)
      }
    default:
      appendNumber(energy.digits)
      for _ in 2..<energy.exponent { append(UInt8(ascii: "0")) }
      if energy.decimals == 1 { append(".0") }
    }
  }

  /// A date as `YYYY-MM-DD hh:mm:ss`, in the Gregorian calendar, also before there was one.
  private mutating func appendTime(_ time: Int) {
    let day = (time >= 0 ? time : time - 86_399) / 86_400
    let second = time - day * 86_400
    let date = CalendarDay(day)
    appendDigits(date.year, 4)
    append(UInt8(ascii: "-"))
    appendDigits(date.month, 2)
    append(UInt8(ascii: "-"))
    appendDigits(date.day, 2)
    append(UInt8(ascii: " "))
    appendDigits(second / 3_600, 2)
    append(UInt8(ascii: ":"))
    appendDigits(second / 60 % 60, 2)
    append(UInt8(ascii: ":"))
    appendDigits(second % 60, 2)
  }

  private mutating func appendNumber(_ number: Int) {
    appendDigits(number, number < 10 ? 1 : number < 100 ? 2 : number < 1_000 ? 3 : 4)
  }

  /// The last `width` digits, with zeros in front.
  private mutating func appendDigits(_ number: Int, _ width: Int) {
    var rest = number
    for place in stride(from: count + width - 1, through: count, by: -1) {
      buffer[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += width
  }

  private mutating func appendQuoted(_ content: (inout FireballText) -> Void) {
    append(UInt8(ascii: "\""))
    content(&self)
    append(UInt8(ascii: "\""))
  }

  private mutating func append(_ text: StaticString) {
    buffer.baseAddress?.advanced(by: count).copyMemory(
      from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
    count += text.utf8CodeUnitCount
  }

  private mutating func append(_ byte: UInt8) {
    buffer[count] = byte
    count += 1
  }

  private mutating func comma() { append(UInt8(ascii: ",")) }
  private mutating func point() { append(UInt8(ascii: ".")) }
}
