/// A line that cannot be read, in a feed of lines.
struct BrokenLine {
  /// What was found.
  let error: JSONError
  /// Where it begins.
  let start: Position
  /// Bytes from there on that were looked at for the line's end, and for a line behind it.
  var passed = 0
  /// Its length, once its end was found.
  var length: Int?
  /// Whether its bytes are let go, as they are more than a record may have.
  var isLong = false
}

// A feed of lines: where every record so far was one, a line that is no JSON is a record that cannot be used, and reading
// goes on at the next.
extension ReaderCore {
  /// Notes whether the record just read is a line of its own.
  @inline(__always)
  mutating func noteLine() {
    let (line, isOne) = input.markLine(from: parser.recordStart, to: recordEnd)
    areLines = isOne && line > lastLine
    lastLine = line
  }

  /// Begins to pass a line, if what was found concerns no more than one.
  mutating func breakLine(_ error: JSONError) throws(JSONError) {
    switch activity {
    case .rows(0, false) where areLines: break
    case .cells where !mayBeHeader || envelope.names != nil: break
    default: throw error
    }
    switch error.code {
    // Of the names of all columns, or of all bytes.
    case .noNames, .malformedNames, .duplicateName, .markup, .utf16, .utf32: throw error
    default: brokenLine = BrokenLine(error: error, start: input.position(of: brokenStart))
    }
  }

  /// Where the broken line begins, as long as it is held.
  private var brokenStart: Int {
    isPassingRecord || index.delimiter != nil ? offset(ofToken: recordToken) : index.end
  }

  /// Makes a record of the broken line, and goes to the next one.
  ///
  /// - Throws: what was found, when no line follows.
  mutating func passBrokenLine() throws(JSONError) -> RecordReader.Step {
    guard var line = brokenLine else { return .needsInput }
    let first = brokenStart
    let next = startOfNext(&line, from: line.isLong ? first : first + line.passed)
    if line.passed > limits.recordBytes, !line.isLong {
      // Before there was any line, this is one record without an end.
      guard lastLine > 0 || areCells else { throw line.error }
      line.isLong = true
    }
    guard let next else {
      guard !input.isFinished else { throw line.error }
      if line.isLong { letGo(upTo: input.count) }
      brokenLine = line
      return .needsInput
    }
    // Before there was any, a line is known by the next one's bracket.
    let bracket = input.bytes[first]
    let isLike =
      bracket == input.bytes[next] && (bracket == UInt8(ascii: "{") || bracket == UInt8(ascii: "["))
    guard lastLine > 0 || isLike || areCells else { throw line.error }
    brokenLine = nil
    giveUp(line, from: first, to: next)
    return .record
  }

  /// Where the next line begins that is not blank; nil where the bytes do not show one.
  private func startOfNext(_ line: inout BrokenLine, from start: Int) -> Int? {
    for offset in start..<input.count {
      let byte = input.bytes[offset]
      let isEnd = byte == UInt8(ascii: "\n") || areCells && byte == UInt8(ascii: "\r")
      if line.length == nil {
        if isEnd { line.length = line.passed }
      } else if areCells ? !isEnd : !Scalar.isSpace(byte) {
        return offset
      }
      line.passed += 1
    }
    return nil
  }

  /// Of delimited text every record is a line, and a blank may be a cell.
  private var areCells: Bool { index.delimiter != nil }

  /// The current record is the line, which has a problem.
  private mutating func giveUp(_ line: BrokenLine, from start: Int, to next: Int) {
    // Of a line that may be let go nothing is kept, however it arrived.
    var length = line.length ?? 0
    (parser.recordStart, recordEnd) = (next, next)
    if !line.isLong {
      while length > 0, !areCells, Scalar.isSpace(input.bytes[start + length - 1]) { length -= 1 }
      (parser.recordStart, recordEnd) = (start, start + length)
    }
    recordCount += 1
    var error = line.error
    if error.position.byte >= line.start.byte + length, !areCells {
      var end = line.start
      (end.byte, end.column) = (end.byte + length, end.column + length)
      error = JSONError(.lineEnds, at: end, record: recordCount, recordsBefore: recordCount - 1)
    }
    parser.take(.brokenLine(error))
    lastLine = line.start.line
    for child in childReaders { child.restart() }
    goOn(at: next)
  }

  /// Goes to the first token of the next line.
  private mutating func goOn(at next: Int) {
    isPassingRecord = false
    cells.line = input.origin + next
    // A line's end is within no string: what is scanned behind it is right, and so is a scan that starts there.
    guard index.end > next else { return letGo(upTo: next) }
    var (token, escape) = (walker.cursor, walker.escape)
    while token > 0, index.tokens[token - 1] >= next { token -= 1 }
    while token < index.count, index.tokens[token] < next { token += 1 }
    while escape > 0, index.escapes[escape - 1] >= next { escape -= 1 }
    while index.escapes[escape] < next { escape += 1 }
    walker.start(at: token, escape: escape, depth: 0)
  }

  /// Forgets all before a byte, where a line begins or the scan of one ended.
  private mutating func letGo(upTo offset: Int) {
    isPassingRecord = false
    cells.line = input.origin + offset
    index.restart(at: offset)
    walker.start(at: 0, escape: 0, depth: 0)
  }
}
