// Delimited text: every line, but for the one that names the columns, is a record.
extension ReaderCore {
  /// The next line.
  mutating func nextLine(_ view: TokenView, delimiter: UInt8) throws(JSONError) -> RowStep {
    while true {
      if !isPassingRecord {
        guard try beginLine(view) else { return view.isFinal ? .over : .needsInput }
        if let end = parser.line(view, at: lineOffset, token: walker.cursor, delimiter: delimiter) {
          if try takes(view, to: end, delimiter) { return .record }
          continue
        }
        recordToken = walker.cursor
        isPassingRecord = true
        cells.start()
      }
      switch cells.run(view, &walker.cursor, origin: input.origin, delimiter: delimiter) {
      case .needsInput: return .needsInput
      case .failed: throw cellError(view)
      case .done:
        let end = parser.line(view, at: lineOffset, token: recordToken, delimiter: delimiter)
        guard let end else { preconditionFailure("two readings of one line came to different ends") }
        if try takes(view, to: end, delimiter) { return .record }
      }
    }
  }

  /// Where the line under way begins in the buffer.
  private var lineOffset: Int { cells.line - input.origin }

  /// Comes to the first byte of a line that has any.
  ///
  /// - Returns: false where none is scanned.
  private mutating func beginLine(_ view: TokenView) throws(JSONError) -> Bool {
    var start = lineOffset
    while walker.cursor < view.count, view.offset(walker.cursor) == start, Cell.endsLine(view.bytes[start]) {
      walker.cursor += 1
      start += 1
    }
    cells.line = input.origin + start
    if start < view.end, view.bytes[start] == 0xef {
      // A byte order mark, where files that each begin with one were put together.
      guard start + 3 <= view.faultless || view.isFinal else { return false }
      if start + 3 <= view.end, view.bytes[start + 1] == 0xbb, view.bytes[start + 2] == 0xbf {
        cells.line += 3
        return try beginLine(view)
      }
    }
    if start < view.end { return true }
    if view.isFinal, envelope.names == nil { throw error(.noHeader, at: start) }
    return false
  }

  /// Takes a line that is whole, as a record or as the columns' names.
  ///
  /// - Returns: whether it is a record.
  private mutating func takes(_ view: TokenView, to end: Int, _ delimiter: UInt8) throws(JSONError) -> Bool {
    recordEnd = end
    if end - parser.recordStart > limits.recordBytes { throw recordLimitError() }
    // In the middle of a character the input ends.
    if view.isFinal, view.faultless < view.end, end == view.end {
      throw error(.notUTF8, at: view.faultless, inRecord: true)
    }
    let text = UnsafeBufferPointer(start: view.bytes + parser.recordStart, count: end - parser.recordStart)
    isPassingRecord = false
    walker.cursor = parser.cursor
    cells.line = input.origin + end
    if mayBeHeader {
      if try takesHeader(text, delimiter) { return false }
    } else if repeatsHeader(text, delimiter) {
      return false
    }
    recordCount += 1
    for child in childReaders { child.restart() }
    return true
  }

  /// Takes the first line as the columns' names, if it is that.
  private mutating func takesHeader(_ text: UnsafeBufferPointer<UInt8>, _ delimiter: UInt8) throws(JSONError)
    -> Bool
  {
    if envelope.names == nil, text.first == UInt8(ascii: "<") { throw error(.markup, at: parser.recordStart) }
    mayBeHeader = false
    let names = names(text, delimiter)
    if let given = envelope.names {
      guard names == given, names.count > 1 else { return false }
    } else {
      envelope.names = names
      if let column = parser.setColumns(names) {
        throw error(.duplicateName, at: parser.recordStart, candidates: [names[column]])
      }
    }
    if names.count > 1 { cells.header = Array(text) }
    return true
  }

  /// A line's cells as texts.
  private func names(_ text: UnsafeBufferPointer<UInt8>, _ delimiter: UInt8) -> [String] {
    var names: [String] = []
    Cell.each(of: text, delimiter: delimiter) { names.append(String(decoding: $0, as: UTF8.self)) }
    return names
  }

  /// Whether a line has the columns' names once more: another program may quote other cells.
  private func repeatsHeader(_ text: UnsafeBufferPointer<UInt8>, _ delimiter: UInt8) -> Bool {
    guard !cells.header.isEmpty, let names = envelope.names else { return false }
    if text.count == cells.header.count, text.elementsEqual(cells.header) { return true }
    // Few lines begin as the names do.
    let cell = text.dropFirst(text.first == UInt8(ascii: "\"") ? 1 : 0)
    return cell.starts(with: names[0].utf8) && self.names(text, delimiter) == names
  }

  /// What the walker stopped at.
  private func cellError(_ view: TokenView) -> JSONError {
    let (code, offset, certain) = cells.failure
    // A line past its limit by then is past its limit first, however the input arrives.
    if certain - lineOffset >= limits.recordBytes { return recordLimitError() }
    return error(code, at: offset, inRecord: true)
  }
}
