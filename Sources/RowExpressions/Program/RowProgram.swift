internal import ImportModel
internal import TypedRows

/// Expressions as steps over a row's cells, which give what SQLite gives, to the bit.
///
///     CASE latDir WHEN 'N' THEN lat WHEN 'S' THEN -lat END
///
///     slots   0 NULL   1 latDir   2 'N'   3 ?   4 lat   5 'S'   6 ?   7 0   8 ?   9 ?   10 ?
///     steps   1 = load latDir      3 = 1 = 2     4 = load lat    6 = 1 = 5
///             8 = 7 - 4            9 = 6 ? 8 : 0     10 = 3 ? 4 : 9
///
/// Every step runs, also those of a branch that is not taken: a step cannot fail. Where one is not sure of what SQLite
/// gives, an error included, its value is `unknown`, and so is all that depends on it. SQLite is asked for such a row.
///
/// A step runs for several rows before the next one does: what to do is looked up once for all of them, and the processor
/// works on some at a time. A slot has a value for each of these rows, one after the other.
///
/// One thread at a time uses a program.
final class RowProgram {
  /// What a slot holds.
  struct Value: BitwiseCopyable {
    enum Kind: UInt8 {
      case null, integer, real, text, blob
      /// What SQLite is to be asked for.
      case unknown
    }
    var kind: Kind
    /// How many bytes.
    private var byteCount: UInt32
    /// A whole number, the bits of a real one, or the address of bytes.
    var bits: UInt64

    /// How many bytes: no text of a chunk has 4 GiB.
    var count: Int { Int(byteCount) }

    @inline(__always)
    init(kind: Kind, bits: UInt64, count: Int) {
      (self.kind, self.bits, byteCount) = (kind, bits, UInt32(truncatingIfNeeded: count))
    }

    static var null: Value { Value(kind: .null, bits: 0, count: 0) }
    static var unknown: Value { Value(kind: .unknown, bits: 0, count: 0) }
  }

  /// How many rows a step runs for.
  static let rowsAtOnce = 32

  /// What a step computes of the slots `a`, `b` and `c`.
  enum Operation: UInt8 {
    /// The cell in column `a`, of kind `number`; where it is absent, slot `b`.
    case load
    /// The units in column `a`, by the real number whose bits are `number`; where they are absent, slot `b`.
    case loadDecimal
    case add, subtract, multiply, divide, remainder
    case equal, unequal, less, lessOrEqual, greater, greaterOrEqual, isNull, isSame
    case and, or, not
    /// `b` where `a` is true, `c` where it is false or null.
    case choose
    /// `a`, or `b` where that is null.
    case ifNull
    case smaller, larger, magnitude
    case castInteger, castReal, castText
    case concatenate, length, lower, upper
    /// The characters of `a` from place `b` of them on, `number` at most.
    case part
    /// From byte `b` of `a` on, `number` of them; `c` is how many there are.
    case slice
    /// The bytes of `a` that template `number` names; `c` is how many there are.
    case template
  }

  struct Step: BitwiseCopyable {
    let operation: Operation
    let target: Int
    var a = 0
    var b = 0
    var c = 0
    var number: UInt64 = 0
  }

  let steps: UnsafeMutableBufferPointer<Step>
  private let slots: UnsafeMutablePointer<Value>
  /// The cells of the rows under way.
  let cells: UnsafeMutablePointer<RowCells>
  /// The slots of the expressions' values.
  private let results: UnsafeMutableBufferPointer<Int>
  /// The bytes of the texts that expressions have.
  private let texts: [UnsafeMutableBufferPointer<UInt8>]
  /// Of each template, the places of a text's bytes, or 256 and a byte of its own.
  let templates: [[Int]]

  /// The texts that are made for the rows under way; one that finds no room is unknown.
  let room: UnsafeMutablePointer<UInt8>
  static let roomBytes = 1 << 17

  /// - Parameter results: the slots to look at after a run.
  init(_ compiler: ExpressionCompiler, results: [Int]) {
    steps = .allocate(capacity: compiler.steps.count)
    _ = steps.initialize(from: compiler.steps)
    self.results = .allocate(capacity: results.count)
    _ = self.results.initialize(from: results)
    templates = compiler.templates
    let slotCount = compiler.slotCount * Self.rowsAtOnce
    slots = .allocate(capacity: slotCount)
    slots.initialize(repeating: .null, count: slotCount)
    cells = .allocate(capacity: Self.rowsAtOnce)
    room = .allocate(capacity: Self.roomBytes)
    var texts: [UnsafeMutableBufferPointer<UInt8>] = []
    for (slot, value) in compiler.constants {
      let constant: Value
      switch value {
      case .integer(let number): constant = .integer(number)
      case .real(let number): constant = .real(number)
      case .text(let text):
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = bytes.initialize(from: text.utf8)
        texts.append(bytes)
        constant = .text(UnsafeBufferPointer(bytes))
      case .null, .blob: continue
      }
      (slots + slot * Self.rowsAtOnce).update(repeating: constant, count: Self.rowsAtOnce)
    }
    self.texts = texts
  }

  deinit {
    steps.deallocate()
    results.deallocate()
    slots.deallocate()
    cells.deallocate()
    room.deallocate()
    for text in texts { text.deallocate() }
  }

  /// A slot's values, by row.
  @inline(__always)
  func values(_ slot: Int) -> UnsafeMutablePointer<Value> { slots + slot &* Self.rowsAtOnce }

  /// What the last run left in a slot for one of its rows, counted from 0. Bytes are valid until the next run.
  subscript(slot: Int, place: Int) -> Value { values(slot)[place] }

  /// Computes all values for the first of some rows.
  ///
  /// - Returns: for how many.
  func run(_ rows: ArraySlice<Int32>, of memory: UnsafeMutablePointer<CellMemory>) -> Int {
    let count = min(rows.count, Self.rowsAtOnce)
    for (place, row) in rows.prefix(count).enumerated() {
      cells[place] = memory.pointee.cells(ofRow: Int(row))
    }
    compute(count, memory)
    return count
  }

  /// Of so many rows of the last run, how many there are before the first of which a value is unknown.
  func sureRows(of count: Int) -> Int {
    var sure = count
    for slot in results {
      let values = values(slot)
      var place = 0
      while place < sure, values[place].kind != .unknown { place &+= 1 }
      sure = place
    }
    return sure
  }

  /// Writes a slot's values for the first rows of the last run into a column of real numbers. A null that comes of an absent
  /// cell leaves the column absent.
  ///
  /// - Parameter reads: the columns that the slot's expression reads.
  /// - Returns: false at a value that is no finite number.
  func writeReals(_ slot: Int, _ count: Int, to column: Int, _ reads: [Int]) -> Bool {
    let values = values(slot)
    for place in 0..<count {
      let cells = cells[place]
      let value = values[place]
      switch value.kind {
      case .null:
        if reads.contains(where: { cells.state($0).pointee == CellState.absent.rawValue }) { continue }
        cells.state(column).pointee = CellState.null.rawValue
      case .integer, .real:
        let number = value.widened
        guard number.isFinite else { return false }
        // As `CellConverter.set`: minus nought is nought.
        cells.cell(column).pointee = (number == 0 ? 0 : number).bitPattern
        cells.state(column).pointee = CellState.value.rawValue
      case .text, .blob, .unknown: return false
      }
    }
    return true
  }
}

extension RowProgram.Value {
  @inline(__always)
  static func integer(_ number: Int64) -> Self {
    Self(kind: .integer, bits: UInt64(bitPattern: number), count: 0)
  }

  /// What is not a number is null.
  @inline(__always)
  static func real(_ number: Double) -> Self {
    number.isNaN ? .null : Self(kind: .real, bits: number.bitPattern, count: 0)
  }

  @inline(__always)
  static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> Self {
    Self(kind: .text, bits: UInt64(UInt(bitPattern: bytes.baseAddress)), count: bytes.count)
  }

  @inline(__always)
  static func truth(_ isTrue: Bool) -> Self { .integer(isTrue ? 1 : 0) }

  @inline(__always) var integer: Int64 { Int64(bitPattern: bits) }
  @inline(__always) var real: Double { Double(bitPattern: bits) }
  @inline(__always) var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: UnsafePointer(bitPattern: UInt(bits)), count: count)
  }
  @inline(__always) var isNumber: Bool { kind == .integer || kind == .real }
  /// A number as a real one.
  @inline(__always) var widened: Double { kind == .integer ? Double(integer) : real }
  /// Whether a number is not nought.
  @inline(__always) var isTrue: Bool { kind == .integer ? integer != 0 : real != 0 }
  /// Whether it is a number, and nought: a condition that does not hold.
  @inline(__always) var isFalse: Bool { isNumber && !isTrue }
}
