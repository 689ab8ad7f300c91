extension ReaderCore {
  /// An error at an offset of the buffer.
  func error(
    _ code: JSONError.Code, at offset: Int, inRecord: Bool = false, limit: Int? = nil,
    candidates: [String] = []
  ) -> JSONError {
    JSONError(
      code, at: input.position(of: offset), record: inRecord ? recordCount + 1 : nil,
      recordsBefore: recordCount, byte: offset < input.count ? input.bytes[offset] : nil, limit: limit,
      candidates: candidates)
  }

  /// What the walker stopped at.
  func syntaxError() -> JSONError {
    let (code, offset) = walker.failure
    if isPassingRecord && certainty(code, offset) - recordOffset >= limits.recordBytes {
      return recordLimitError()
    }
    let limit: Int? =
      switch code {
      case .depthLimit: limits.depth
      case .stringLimit: limits.stringBytes
      case .numberLimit: limits.numberBytes
      default: nil
      }
    if offset < input.count, input.bytes[offset] == UInt8(ascii: "<"), recordCount == 0, walker.depth == 0,
      code == .expectedValue
    {
      return error(.markup, at: offset)
    }
    let isHigh = offset < input.count && input.bytes[offset] >= 0x80
    return error(isHigh ? .unexpectedByte : code, at: offset, inRecord: isPassingRecord, limit: limit)
  }

  /// The offset by which a mistake shows, however the input arrives: a record past its limit by then is past its limit
  /// first.
  private func certainty(_ code: JSONError.Code, _ offset: Int) -> Int {
    switch code {
    case .stringLimit: offset + 1 + limits.stringBytes
    case .numberLimit: offset + limits.numberBytes
    case .malformedEscape, .unexpectedWord: offset + 5
    default: offset
    }
  }

  func faultError(_ fault: TokenIndex.Fault) -> JSONError {
    if isPassingRecord && index.end - recordOffset >= limits.recordBytes { return recordLimitError() }
    if isPassingRecord, let quote = cells.quoteBefore(index.end, input) {
      return error(.unclosedQuote, at: quote, inRecord: true)
    }
    let areCells = index.delimiter != nil
    let control: JSONError.Code = areCells ? .nul : .controlInString
    return error(
      fault == .notUTF8 ? .notUTF8 : control, at: index.end, inRecord: isPassingRecord || areCells)
  }

  func recordLimitError() -> JSONError {
    error(.recordLimit, at: recordOffset, inRecord: true, limit: limits.recordBytes)
  }

  /// A record whose end is not in sight may be past the limit already.
  func checkRecordLimit() throws(JSONError) {
    guard isPassingRecord, index.faultless - recordOffset > limits.recordBytes else { return }
    throw recordLimitError()
  }

  private var recordOffset: Int { offset(ofToken: recordToken) }

  /// The input is complete and all its tokens are taken; throws unless that is its right end.
  mutating func inputEnded() throws(JSONError) {
    let isBetweenRecords = if case .rows(0, false) = activity { !isPassingRecord } else { false }
    if case .envelope = activity, walker.depth == 0, walker.expectation == .value,
      walker.cursor == index.count
    {
      throw error(.noInput, at: input.count)
    }
    guard isBetweenRecords || walker.expectation == .nothing && !isPassingRecord else {
      throw error(.inputEnds, at: input.count, inRecord: isPassingRecord)
    }
    try checkNames()
    activity = .ended
  }

  /// At a document's end: rows that nobody could name yet have their names now.
  func checkNames() throws(JSONError) {
    guard let rowsStart, envelope.names == nil else { return }
    throw JSONError(.noNames, at: rowsStart, record: nil, recordsBefore: recordCount, byte: UInt8(ascii: "["))
  }

  /// Looks at the first bytes: a byte order mark is passed, what is not UTF-8 or not JSON is named.
  mutating func start() throws(JSONError) -> Bool {
    guard input.count >= 4 || input.isFinished else { return false }
    let first = (0..<4).map { $0 < input.count ? input.bytes[$0] : UInt8(ascii: " ") }
    var offset = 0
    switch (first[0], first[1], first[2], first[3]) {
    case (0x00, 0x00, 0xfe, 0xff), (0xff, 0xfe, 0x00, 0x00), (0x00, 0x00, 0x00, 1...),
      (1..., 0x00, 0x00, 0x00):
      throw error(.utf32, at: 0)
    case (0xfe, 0xff, _, _), (0xff, 0xfe, _, _), (0x00, 1..., 0x00, 1...), (1..., 0x00, 1..., 0x00):
      throw error(.utf16, at: 0)
    case (0xef, 0xbb, 0xbf, _):
      offset = 3
    default: break
    }
    index.start(at: offset)
    hasStarted = true
    return true
  }
}
