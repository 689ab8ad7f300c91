/// Finds the end of a line of cells, and can stop after any token: a line that is not whole yet is not walked again.
///
///     18,"a ""b"", c",,x⏎     the cells  18 | a "b", c | (empty) | x
///     ^ line     ^ cell
///
/// It is the only place that finds mistakes in delimited text, as `GrammarWalker` is in JSON.
struct CellWalker {
  /// The input's offset of the line's first byte.
  var line = 0
  /// The input's offset of the first byte of the cell under way.
  private var cell = 0
  /// Whether that cell is in quotes; nil as long as its first byte was not looked at.
  private var isQuoted: Bool?
  /// The text of the line that named the columns.
  var header: [UInt8] = []
  /// What was found wrong, its offset in the buffer, and the offset of the last byte that shows it.
  private(set) var failure = (code: JSONError.Code.unclosedQuote, offset: 0, certain: 0)

  /// Stands before the line.
  mutating func start() {
    cell = line
    isQuoted = nil
  }

  /// Goes on to the line's end.
  ///
  /// - Parameters:
  ///   - cursor: the next token; behind the one that ends the line, at last.
  ///   - origin: the input's offset of the buffer's first byte.
  mutating func run(_ view: TokenView, _ cursor: inout Int, origin: Int, delimiter: UInt8) -> Outcome {
    while true {
      if isQuoted == nil {
        guard cell - origin < view.end else { return view.isFinal ? .done : .needsInput }
        isQuoted = view.bytes[cell - origin] == Cell.quote
        if isQuoted == true { cursor += 1 }
      }
      if isQuoted == true {
        let outcome = close(view, &cursor, origin)
        guard outcome == .done else { return outcome }
        isQuoted = false
      }
      while cursor < view.count, view.byte(cursor) == Cell.quote { cursor += 1 }
      guard cursor < view.count else { return view.isFinal ? .done : .needsInput }
      let end = view.offset(cursor)
      cursor += 1
      guard view.bytes[end] == delimiter else { return .done }
      cell = origin + end + 1
      isQuoted = nil
    }
  }

  /// Goes on behind the quote that ends the cell.
  private mutating func close(_ view: TokenView, _ cursor: inout Int, _ origin: Int) -> Outcome {
    while cursor < view.count {
      let offset = view.offset(cursor)
      guard view.bytes[offset] == Cell.quote else {
        cursor += 1
        continue
      }
      guard offset + 1 < (view.isFinal ? view.end : view.faultless) else { break }
      guard cursor + 1 < view.count, view.offset(cursor + 1) == offset + 1 else {
        return fail(behind: offset, view, origin)
      }
      guard view.byte(cursor + 1) == Cell.quote else {
        cursor += 1
        return .done
      }
      cursor += 2
    }
    guard view.isFinal else { return .needsInput }
    // The last byte of the input is the closing quote, or there is none.
    if cursor == view.count - 1 {
      cursor += 1
      return .done
    }
    failure = (.unclosedQuote, cell - origin, certain: view.end - 1)
    return .failed
  }

  /// Where a cell is open whose line ends before `offset`: the quote is rather one that never closes.
  func quoteBefore(_ offset: Int, _ input: borrowing InputBuffer) -> Int? {
    guard isQuoted == true else { return nil }
    let start = cell - input.origin
    return (start..<offset).contains { Cell.endsLine(input.bytes[$0]) } ? start : nil
  }

  /// Something stands behind a quote that should have closed the cell. On another line than the cell began, it is rather
  /// the next one that opens.
  private mutating func fail(behind quote: Int, _ view: TokenView, _ origin: Int) -> Outcome {
    let isOneLine = !(cell - origin..<quote).contains { Cell.endsLine(view.bytes[$0]) }
    let (code, offset) =
      isOneLine ? (JSONError.Code.textAfterQuote, quote + 1) : (.unclosedQuote, cell - origin)
    failure = (code, offset, certain: quote + 1)
    return .failed
  }
}
