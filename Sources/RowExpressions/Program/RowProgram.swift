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
    /// A whole number, the bits of a real one, or the address of bytes.
    var bits: UInt64
    /// How many bytes.
    var count: Int

    static let null = Value(kind: .null, bits: 0, count: 0)
    static let unknown = Value(kind: .unknown, bits: 0, count: 0)
  }

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
  let slots: UnsafeMutablePointer<Value>
  /// The slots of the expressions' values.
  private let results: UnsafeMutableBufferPointer<Int>
  /// The bytes of the texts that expressions have.
  private let texts: [UnsafeMutableBufferPointer<UInt8>]
  /// Of each template, the places of a text's bytes, or 256 and a byte of its own.
  let templates: [[Int]]

  /// The texts that are made for a row; one that finds no room is unknown.
  let room: UnsafeMutablePointer<UInt8>
  static let roomBytes = 1 << 16

  /// - Parameter results: the slots to look at after a run.
  init(_ compiler: ExpressionCompiler, results: [Int]) {
    steps = .allocate(capacity: compiler.steps.count)
    _ = steps.initialize(from: compiler.steps)
    self.results = .allocate(capacity: results.count)
    _ = self.results.initialize(from: results)
    templates = compiler.templates
    slots = .allocate(capacity: compiler.slotCount)
    slots.initialize(repeating: .null, count: compiler.slotCount)
    room = .allocate(capacity: Self.roomBytes)
    var texts: [UnsafeMutableBufferPointer<UInt8>] = []
    for (slot, value) in compiler.constants {
      switch value {
      case .integer(let number): slots[slot] = .integer(number)
      case .real(let number): slots[slot] = .real(number)
      case .text(let text):
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = bytes.initialize(from: text.utf8)
        texts.append(bytes)
        slots[slot] = .text(UnsafeBufferPointer(bytes))
      case .null, .blob: break
      }
    }
    self.texts = texts
  }

  deinit {
    steps.deallocate()
    results.deallocate()
    slots.deallocate()
    room.deallocate()
    for text in texts { text.deallocate() }
  }

  /// What the last run left in a slot. Bytes are valid until the next one.
  subscript(slot: Int) -> Value { slots[slot] }

  /// Computes all values for a row.
  ///
  /// - Returns: false when one of them is unknown.
  func run(_ cells: RowCells, _ memory: UnsafeMutablePointer<CellMemory>) -> Bool {
    compute(cells, memory)
    for slot in results where slots[slot].kind == .unknown { return false }
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
