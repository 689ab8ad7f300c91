internal import ImportModel
internal import NumberText

// One method a type: what a source value of each kind becomes, or why it cannot. Nothing is guessed: a text becomes
// a number only by a number's grammar, a number never becomes a date without a declared epoch.
extension CellConverter {
  /// Converts the value by the attribute's type, into the cell.
  @usableFromInline package func convert(_ value: SourceValue, _ chunk: Chunk) throws(ConversionFailure) {
    switch type {
    case .integer16, .integer32, .integer64:
      let number = try integer(value)
      try IntegerText.check(number, type: type)
      chunk.set(number, column)
    case .double: set(try real(value), chunk)
    case .float:
      let number = Double(Float(try real(value)))
      guard number.isFinite else { throw .outOfRange }
      set(number, chunk)
    case .decimal(let scale): chunk.set(try decimal(value, scale), column)
    case .string: try string(value, chunk)
    case .boolean: chunk.set(try boolean(value) ? 1 : 0 as Int64, column)
    case .date(let precision):
      try date(value, DateText.Form(precision: precision, cutsFractions: cutsFractions), chunk)
    case .day: try day(value, chunk)
    case .uuid:
      try UUIDText.write(try text(value, else: .notAUUID), to: chunk.reserve(UUIDText.length, column))
      chunk.setReserved(UUIDText.length, column)
    case .binary: try binary(value, chunk)
    case .json: try json(value, chunk)
    }
  }

  // MARK: Numbers

  private func integer(_ value: SourceValue) throws(ConversionFailure) -> Int64 {
    switch value {
    case .integer(let number): return number
    case .real(let number): return try IntegerText.value(number)
    case .number(let bytes), .text(let bytes): return try IntegerText.value(bytes)
    case .structure: throw .notOneValue
    case .null, .boolean, .blob: throw .notANumber
    }
  }

  private func real(_ value: SourceValue) throws(ConversionFailure) -> Double {
    let number: Double
    switch value {
    case .integer(let integer): number = Double(integer)
    case .real(let real): number = real
    case .number(let bytes), .text(let bytes):
      guard let parsed = NumberParsing.double(bytes, grammar: .text) else { throw .notANumber }
      number = parsed
    case .structure: throw .notOneValue
    case .null, .boolean, .blob: throw .notANumber
    }
    guard number.isFinite else { throw .outOfRange }
    return number
  }

  private func decimal(_ value: SourceValue, _ scale: Int) throws(ConversionFailure) -> Int64 {
    switch value {
    case .number(let bytes), .text(let bytes): return try DecimalText.units(bytes, scale: scale)
    case .integer(let number): return try units(String(number), scale)
    // An expression's real number counts by its shortest decimal form, as a person would read it.
    case .real(let number): return try units(number.description, scale, excess: .rounded)
    case .structure: throw .notOneValue
    case .null, .boolean, .blob: throw .notANumber
    }
  }

  private func units(
    _ text: String, _ scale: Int, excess: DecimalText.Excess = .rejected
  ) throws(ConversionFailure) -> Int64 {
    let bytes = Array(text.utf8)
    let units = bytes.withUnsafeBufferPointer { bytes -> Result<Int64, ConversionFailure> in
      Result { () throws(ConversionFailure) in try DecimalText.units(bytes, scale: scale, excess: excess) }
    }
    return try units.get()
  }

  private func boolean(_ value: SourceValue) throws(ConversionFailure) -> Bool {
    switch value {
    case .boolean(let boolean): return boolean
    case .integer(let number): return try BooleanText.value(number)
    case .text(let bytes): return try BooleanText.value(bytes)
    case .structure: throw .notOneValue
    case .null, .real, .number, .blob: throw .notABoolean
    }
  }

  // MARK: Texts

  /// The text that dates and UUIDs are read from.
  private func text(
    _ value: SourceValue, else failure: ConversionFailure
  ) throws(ConversionFailure) -> UnsafeBufferPointer<UInt8> {
    switch value {
    case .text(let bytes): return bytes
    case .structure: throw .notOneValue
    default: throw failure
    }
  }

  /// A number keeps its own text: a code such as 501 stays what the feed wrote.
  private func string(_ value: SourceValue, _ chunk: Chunk) throws(ConversionFailure) {
    switch value {
    case .text(let bytes), .number(let bytes): chunk.set(bytes, column)
    case .integer(let number): set(String(number), chunk)
    case .real(let number): set(number.description, chunk)
    case .structure: throw .notOneValue
    case .null, .boolean, .blob: throw .notAString
    }
  }

  private func set(_ text: String, _ chunk: Chunk) {
    Array(text.utf8).withUnsafeBufferPointer { chunk.set($0, column) }
  }

  private func date(_ value: SourceValue, _ stored: DateText.Form, _ chunk: Chunk) throws(ConversionFailure) {
    let output = chunk.reserve(stored.length, column)
    switch value {
    case .text(let bytes):
      try DateText.write(bytes, reading: dateReading, as: stored, to: output)
    case .integer(let number):
      if let reading = patternReading {
        try Self.withDigits(of: number) { bytes in
          Result { () throws(ConversionFailure) in
            try DateText.write(bytes, reading: reading, as: stored, to: output)
          }
        }
      } else {
        try DateText.write(number, unit: epochUnit, as: stored, to: output)
      }
    case .number(let bytes):
      if let reading = patternReading {
        try DateText.write(bytes, reading: reading, as: stored, to: output)
      } else {
        try DateText.write(number: bytes, unit: epochUnit, as: stored, to: output)
      }
    case .real(let number): try DateText.write(number, unit: epochUnit, as: stored, to: output)
    case .structure: throw .notOneValue
    case .null, .boolean, .blob: throw .notADate
    }
    chunk.setReserved(stored.length, column)
  }

  /// A whole number of eight digits is a day: days have no epoch, so that it has no other reading.
  private func day(_ value: SourceValue, _ chunk: Chunk) throws(ConversionFailure) {
    let output = chunk.reserve(DayText.length, column)
    if case .integer(let number) = value {
      guard patternReading != nil || (10_000_000...99_999_999).contains(number) else { throw .notADate }
      let reading = dateReading
      try Self.withDigits(of: number) { bytes in
        Result { () throws(ConversionFailure) in try DayText.write(bytes, reading: reading, to: output) }
      }
    } else if case .number(let bytes) = value, let reading = patternReading {
      try DayText.write(bytes, reading: reading, to: output)
    } else {
      try DayText.write(try text(value, else: .notADate), reading: dateReading, to: output)
    }
    chunk.setReserved(DayText.length, column)
  }

  private var dateReading: DateReading? {
    hasDateReading ? rules._withUnsafeGuaranteedRef { $0.dateReading } : nil
  }

  /// How dates are read, where a pattern says where each digit belongs.
  private var patternReading: DateReading? {
    guard hasDateReading, let reading = dateReading, reading.hasPattern else { return nil }
    return reading
  }

  /// The digits of a number as JSON writes it, for the time of a call.
  private static func withDigits(
    of number: Int64, _ body: (UnsafeBufferPointer<UInt8>) -> Result<Void, ConversionFailure>
  ) throws(ConversionFailure) {
    try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: IntegerText.mostDigits) { digits in
      let count = digits.baseAddress.map { IntegerText.write(number, to: $0) } ?? 0
      return body(UnsafeBufferPointer(rebasing: digits[..<count]))
    }.get()
  }

  // MARK: Bytes and nested values

  private func binary(_ value: SourceValue, _ chunk: Chunk) throws(ConversionFailure) {
    if case .blob(let bytes) = value { return chunk.set(bytes, column) }
    let text = try text(value, else: .notBase64)
    let count = try Base64Text.decodedCount(text)
    try Base64Text.decode(text, to: chunk.reserve(count, column))
    chunk.setReserved(count, column)
  }

  /// The value's JSON text as it came.
  private func json(_ value: SourceValue, _ chunk: Chunk) throws(ConversionFailure) {
    switch value {
    case .structure(let bytes), .number(let bytes): chunk.set(bytes, column)
    case .text: throw .notJSON
    case .integer(let number): set(String(number), chunk)
    case .real(let number):
      guard number.isFinite else { throw .outOfRange }
      set(number.description, chunk)
    case .boolean(let boolean): set(boolean ? "true" : "false", chunk)
    case .null, .blob: throw .notOneValue
    }
  }
}
