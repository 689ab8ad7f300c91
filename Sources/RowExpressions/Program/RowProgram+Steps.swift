internal import TypedRows

// What each step gives. The rules are those of SQLite's virtual machine: whole numbers that overflow go on as real ones,
// a division by nought is null, null makes null. Where versions of SQLite differ, or a text would become a number or a
// real number a text, the value is unknown.
extension RowProgram {
  func compute(_ cells: RowCells, _ memory: UnsafeMutablePointer<CellMemory>) {
    guard let first = steps.baseAddress else { return }
    let slots = slots
    var used = 0
    for number in 0..<steps.count {
      let step = first + number
      // Where `a` is a column, there is nothing to look at.
      let (a, b) = (slots + step.pointee.a, slots + step.pointee.b)
      let value: Value
      switch step.pointee.operation {
      case .load: value = load(step.pointee, cells, memory)
      case .loadDecimal: value = loadDecimal(step.pointee, cells)
      case .add, .subtract, .multiply, .divide, .remainder:
        value = calculate(step.pointee.operation, a.pointee, b.pointee)
      case .equal: value = truth(a.pointee, b.pointee) { $0 == 0 }
      case .unequal: value = truth(a.pointee, b.pointee) { $0 != 0 }
      case .less: value = truth(a.pointee, b.pointee) { $0 < 0 }
      case .lessOrEqual: value = truth(a.pointee, b.pointee) { $0 <= 0 }
      case .greater: value = truth(a.pointee, b.pointee) { $0 > 0 }
      case .greaterOrEqual: value = truth(a.pointee, b.pointee) { $0 >= 0 }
      case .isNull: value = a.pointee.kind == .unknown ? .unknown : .truth(a.pointee.kind == .null)
      case .isSame: value = isSame(a.pointee, b.pointee)
      case .and: value = combine(a.pointee, b.pointee, deciding: false)
      case .or: value = combine(a.pointee, b.pointee, deciding: true)
      case .not: value = negate(a.pointee)
      case .choose:
        switch a.pointee.kind {
        case .null: value = slots[step.pointee.c]
        case .integer, .real: value = a.pointee.isTrue ? b.pointee : slots[step.pointee.c]
        case .text, .blob, .unknown: value = .unknown
        }
      case .ifNull: value = a.pointee.kind == .null ? b.pointee : a.pointee
      case .smaller: value = extreme(a.pointee, b.pointee, isLargest: false)
      case .larger: value = extreme(a.pointee, b.pointee, isLargest: true)
      case .magnitude: value = magnitude(a.pointee)
      case .castInteger: value = castInteger(a.pointee)
      case .castReal: value = castReal(a.pointee)
      case .castText: value = text(a.pointee, &used)
      case .concatenate: value = concatenate(a.pointee, b.pointee, &used)
      case .length: value = length(a.pointee)
      case .lower: value = map(a.pointee, &used) { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
      case .upper: value = map(a.pointee, &used) { $0 &- 0x61 < 26 ? $0 & ~0x20 : $0 }
      case .part: value = part(a.pointee, from: step.pointee.b, count: Int(step.pointee.number))
      case .slice: value = slice(a.pointee, step.pointee.b, Int(step.pointee.number), of: step.pointee.c)
      case .template:
        value = fill(templates[Int(step.pointee.number)], a.pointee, of: step.pointee.c, &used)
      }
      slots[step.pointee.target] = value
    }
  }

  // MARK: Cells

  @inline(__always)
  private func load(_ step: Step, _ cells: RowCells, _ memory: UnsafeMutablePointer<CellMemory>) -> Value {
    guard let cell = cells.value(step.a) else { return missing(step, cells) }
    let kind = Value.Kind(rawValue: UInt8(truncatingIfNeeded: step.number)) ?? .unknown
    switch kind {
    case .integer, .real: return Value(kind: kind, bits: cell, count: 0)
    default:
      let bytes = memory.pointee.slice(cell, step.a)
      return Value(kind: kind, bits: UInt64(UInt(bitPattern: bytes.baseAddress)), count: bytes.count)
    }
  }

  private func loadDecimal(_ step: Step, _ cells: RowCells) -> Value {
    guard let cell = cells.value(step.a) else {
      let value = missing(step, cells)
      return value.kind == .integer ? number(value.integer, step) : value
    }
    return number(Int64(bitPattern: cell), step)
  }

  private func number(_ units: Int64, _ step: Step) -> Value {
    guard units.magnitude <= DecimalNumbers.mostUnits else { return .unknown }
    return .real(Double(units) / Double(bitPattern: step.number))
  }

  @inline(__always)
  private func missing(_ step: Step, _ cells: RowCells) -> Value {
    cells.state(step.a).pointee == CellState.absent.rawValue ? slots[step.b] : .null
  }

  // MARK: Numbers

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

  @inline(__always)
  private func truth(_ a: Value, _ b: Value, _ holds: (Int) -> Bool) -> Value {
    order(a, b).map { .truth(holds($0)) } ?? nothing(a, b)
  }

  @inline(__always)
  private func isSame(_ a: Value, _ b: Value) -> Value {
    if a.kind == .unknown || b.kind == .unknown { return .unknown }
    if a.kind == .null || b.kind == .null { return .truth(a.kind == b.kind) }
    return order(a, b).map { .truth($0 == 0) } ?? .unknown
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
