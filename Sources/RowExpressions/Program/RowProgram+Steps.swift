internal import TypedRows

// What each step gives. The rules are those of SQLite's virtual machine: whole numbers that overflow go on as real ones,
// a division by nought is null, null makes null. Where versions of SQLite differ, or a text would become a number or a
// real number a text, the value is unknown.
extension RowProgram {
  /// Runs every step for so many rows.
  func compute(_ count: Int, _ memory: UnsafeMutablePointer<CellMemory>) {
    var used = 0
    for step in steps {
      switch step.operation {
      case .load: load(step, count, memory)
      case .loadDecimal: loadDecimal(step, count)
      case .add: calculate(.add, step, count)
      case .subtract: calculate(.subtract, step, count)
      case .multiply: calculate(.multiply, step, count)
      case .divide: calculate(.divide, step, count)
      case .remainder: calculate(.remainder, step, count)
      case .equal: each(step, count) { truth(isEqual($0, $1), $0, $1) }
      case .unequal: each(step, count) { truth(isEqual($0, $1).map { !$0 }, $0, $1) }
      case .less: each(step, count) { truth(order($0, $1).map { $0 < 0 }, $0, $1) }
      case .lessOrEqual: each(step, count) { truth(order($0, $1).map { $0 <= 0 }, $0, $1) }
      case .greater: each(step, count) { truth(order($0, $1).map { $0 > 0 }, $0, $1) }
      case .greaterOrEqual: each(step, count) { truth(order($0, $1).map { $0 >= 0 }, $0, $1) }
      case .isNull: each(step, count) { a in a.kind == .unknown ? .unknown : .truth(a.kind == .null) }
      case .isSame: each(step, count, isSame)
      case .and: each(step, count) { combine($0, $1, deciding: false) }
      case .or: each(step, count) { combine($0, $1, deciding: true) }
      case .not: each(step, count) { a in negate(a) }
      case .choose: choose(step, count)
      case .ifNull: each(step, count) { $0.kind == .null ? $1 : $0 }
      case .smaller: each(step, count) { extreme($0, $1, isLargest: false) }
      case .larger: each(step, count) { extreme($0, $1, isLargest: true) }
      case .magnitude: each(step, count) { a in magnitude(a) }
      case .castInteger: each(step, count) { a in castInteger(a) }
      case .castReal: each(step, count) { a in castReal(a) }
      case .castText: each(step, count) { a in text(a, &used) }
      case .concatenate: each(step, count) { concatenate($0, $1, &used) }
      case .length: each(step, count) { a in length(a) }
      case .lower: each(step, count) { a in map(a, &used) { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 } }
      case .upper: each(step, count) { a in map(a, &used) { $0 &- 0x61 < 26 ? $0 & ~0x20 : $0 } }
      case .part:
        each(step, count) { a in part(a, from: step.b, count: Int(step.number)) }
      case .slice: each(step, count) { a in slice(a, step.b, Int(step.number), of: step.c) }
      case .template:
        each(step, count) { a in fill(templates[Int(step.number)], a, of: step.c, &used) }
      }
    }
  }

  /// Gives the step's slot a value for each row.
  @inline(__always)
  private func each(_ step: Step, _ count: Int, _ body: (Value) -> Value) {
    let (a, target) = (values(step.a), values(step.target))
    for place in 0..<count { target[place] = body(a[place]) }
  }

  @inline(__always)
  private func each(_ step: Step, _ count: Int, _ body: (Value, Value) -> Value) {
    let (a, b, target) = (values(step.a), values(step.b), values(step.target))
    for place in 0..<count { target[place] = body(a[place], b[place]) }
  }

  /// Which of the two it is cannot be foreseen: a choice between two addresses is no branch.
  private func choose(_ step: Step, _ count: Int) {
    let (a, b, c, target) = (values(step.a), values(step.b), values(step.c), values(step.target))
    for place in 0..<count {
      let condition = a[place]
      switch condition.kind {
      case .null: target[place] = c[place]
      case .integer, .real: target[place] = (condition.isTrue ? b : c)[place]
      case .text, .blob, .unknown: target[place] = .unknown
      }
    }
  }

  // MARK: Cells

  private func load(_ step: Step, _ count: Int, _ memory: UnsafeMutablePointer<CellMemory>) {
    let target = values(step.target)
    let kind = Value.Kind(rawValue: UInt8(truncatingIfNeeded: step.number)) ?? .unknown
    let isNumber = kind == .integer || kind == .real
    for place in 0..<count {
      guard let cell = cells[place].value(step.a) else {
        target[place] = missing(step, place)
        continue
      }
      guard !isNumber else {
        target[place] = Value(kind: kind, bits: cell, count: 0)
        continue
      }
      let bytes = memory.pointee.slice(cell, step.a)
      target[place] = Value(
        kind: kind, bits: UInt64(UInt(bitPattern: bytes.baseAddress)), count: bytes.count)
    }
  }

  private func loadDecimal(_ step: Step, _ count: Int) {
    let target = values(step.target)
    for place in 0..<count {
      if let cell = cells[place].value(step.a) {
        target[place] = number(Int64(bitPattern: cell), step)
      } else {
        let value = missing(step, place)
        target[place] = value.kind == .integer ? number(value.integer, step) : value
      }
    }
  }

  private func number(_ units: Int64, _ step: Step) -> Value {
    guard units.magnitude <= DecimalNumbers.mostUnits else { return .unknown }
    return .real(Double(units) / Double(bitPattern: step.number))
  }

  @inline(__always)
  private func missing(_ step: Step, _ place: Int) -> Value {
    cells[place].state(step.a).pointee == CellState.absent.rawValue ? values(step.b)[place] : .null
  }

  // MARK: Numbers

  @inline(__always)
  private func calculate(_ operation: Operation, _ step: Step, _ count: Int) {
    each(step, count) { calculate(operation, $0, $1) }
  }

  @inline(__always)
  private func calculate(_ operation: Operation, _ a: Value, _ b: Value) -> Value {
    if a.kind == .integer, b.kind == .integer {
      let result: (partialValue: Int64, overflow: Bool)
      switch operation {
      case .add: result = a.integer.addingReportingOverflow(b.integer)
      case .subtract: result = a.integer.subtractingReportingOverflow(b.integer)
      case .multiply: result = a.integer.multipliedReportingOverflow(by: b.integer)
      case .divide:
        guard b.integer != 0 else { return .null }
        result = a.integer.dividedReportingOverflow(by: b.integer)
      default:
        guard b.integer != 0 else { return .null }
        return .integer(b.integer == -1 ? 0 : a.integer % b.integer)
      }
      return result.overflow ? calculate(operation, a.widened, b.widened) : .integer(result.partialValue)
    }
    guard a.isNumber, b.isNumber, operation != .remainder else { return nothing(a, b) }
    return calculate(operation, a.widened, b.widened)
  }

  @inline(__always)
  private func calculate(_ operation: Operation, _ a: Double, _ b: Double) -> Value {
    switch operation {
    case .add: .real(a + b)
    case .subtract: .real(a - b)
    case .multiply: .real(a * b)
    default: b == 0 ? .null : .real(a / b)
    }
  }

  /// What a step gives that needs two other values than these: null where one is null, and the other is none to ask for.
  @inline(__always)
  private func nothing(_ a: Value, _ b: Value) -> Value {
    if a.kind == .unknown || b.kind == .unknown { return .unknown }
    return a.kind == .null || b.kind == .null ? .null : .unknown
  }

  private func magnitude(_ a: Value) -> Value {
    switch a.kind {
    case .null: .null
    case .integer: a.integer == .min ? .unknown : .integer(abs(a.integer))
    case .real: .real(a.real < 0 ? -a.real : a.real)
    case .text, .blob, .unknown: .unknown
    }
  }

  private func castInteger(_ a: Value) -> Value {
    switch a.kind {
    case .null, .integer: return a
    case .real:
      if a.real <= -0x1p63 { return .integer(.min) }
      return .integer(a.real >= 0x1p63 ? .max : Int64(a.real))
    case .text:
      // Only what is one to every version: a minus or none, and so many digits that none can be too many.
      let bytes = a.bytes
      let start = bytes.first == UInt8(ascii: "-") ? 1 : 0
      guard 1...18 ~= bytes.count - start else { return .unknown }
      var number: Int64 = 0
      for byte in bytes[start...] {
        guard byte &- 0x30 < 10 else { return .unknown }
        number = number * 10 + Int64(byte - 0x30)
      }
      return .integer(start == 1 ? -number : number)
    case .blob, .unknown: return .unknown
    }
  }

  private func castReal(_ a: Value) -> Value {
    switch a.kind {
    case .null, .real: a
    case .integer: .real(Double(a.integer))
    case .text, .blob, .unknown: .unknown
    }
  }

  // MARK: Conditions

  /// Less than 0, 0 or more than 0, as `a` is less than `b`, equal or greater; nil for what SQLite would convert first.
  @inline(__always)
  private func order(_ a: Value, _ b: Value) -> Int? {
    switch (a.kind, b.kind) {
    case (.integer, .integer): return a.integer < b.integer ? -1 : a.integer == b.integer ? 0 : 1
    case (.real, .real): return a.real < b.real ? -1 : a.real == b.real ? 0 : 1
    case (.integer, .real): return order(a.integer, b.real)
    case (.real, .integer): return -order(b.integer, a.real)
    case (.text, .text): return order(a.bytes, b.bytes)
    default: return nil
    }
  }

  @inline(__always)
  private func order(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
    var place = 0
    let both = min(a.count, b.count)
    while place < both {
      if a[place] != b[place] { return a[place] < b[place] ? -1 : 1 }
      place &+= 1
    }
    return a.count &- b.count
  }

  /// Compares a whole number with a real one, exactly.
  private func order(_ a: Int64, _ b: Double) -> Int {
    if b >= 0x1p63 { return -1 }
    if b < -0x1p63 { return 1 }
    let whole = Int64(b)
    if a != whole { return a < whole ? -1 : 1 }
    // What is behind the point decides; where there is something, the number is small enough to be exact.
    let number = Double(a)
    return number < b ? -1 : number == b ? 0 : 1
  }

  /// Whether two values are equal; nil as for `order`.
  @inline(__always)
  private func isEqual(_ a: Value, _ b: Value) -> Bool? {
    guard a.kind == .text, b.kind == .text else { return order(a, b).map { $0 == 0 } }
    guard a.count == b.count else { return false }
    // A letter or two are often all there is, and no branch tells which.
    var (difference, place): (UInt8, Int) = (0, 0)
    while place < a.count {
      difference |= a.bytes[place] ^ b.bytes[place]
      place &+= 1
      if place & 15 == 0, difference != 0 { return false }
    }
    return difference == 0
  }

  /// - Parameter holds: nil where the comparison knows of no answer.
  @inline(__always)
  private func truth(_ holds: Bool?, _ a: Value, _ b: Value) -> Value {
    holds.map { .truth($0) } ?? nothing(a, b)
  }

  @inline(__always)
  private func isSame(_ a: Value, _ b: Value) -> Value {
    if a.kind == .unknown || b.kind == .unknown { return .unknown }
    if a.kind == .null || b.kind == .null { return .truth(a.kind == b.kind) }
    return isEqual(a, b).map { .truth($0) } ?? .unknown
  }

  /// AND or OR.
  ///
  /// - Parameter deciding: what decides it, whatever the other one is.
  @inline(__always)
  private func combine(_ a: Value, _ b: Value, deciding: Bool) -> Value {
    guard a.isNumber || a.kind == .null, b.isNumber || b.kind == .null else { return .unknown }
    if a.isNumber, a.isTrue == deciding { return .truth(deciding) }
    if b.isNumber, b.isTrue == deciding { return .truth(deciding) }
    return a.kind == .null || b.kind == .null ? .null : .truth(!deciding)
  }

  private func negate(_ a: Value) -> Value {
    if a.kind == .null { return .null }
    return a.isNumber ? .truth(!a.isTrue) : .unknown
  }

  /// Of two equal ones the second is smaller, and the first larger: `min(1, 1.0)` is 1.0.
  private func extreme(_ a: Value, _ b: Value, isLargest: Bool) -> Value {
    guard let order = order(a, b) else { return nothing(a, b) }
    return (isLargest ? order < 0 : order >= 0) ? b : a
  }
}
