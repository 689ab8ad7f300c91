import Bolide
import CommandSupport

/// Columns for people, no wider than the terminal: texts that are too wide end in `…`.
///
/// The first rows decide how wide the columns are; a later number that is wider is shown in full, and moves its line.
/// Where even cut texts are too wide together, each object is a list of lines.
struct FetchTable: FetchLines {
  private struct Column {
    let title: String
    /// Numbers stand on the right and are never cut, nor are times.
    let isNumber: Bool
    let isText: Bool
    var width: Int

    /// What is left of it at least.
    func least(_ values: [String]) -> Int {
      let widest = values.map(\.columns).max() ?? 0
      return max(min(title.columns, 5), isText ? min(widest, 8) : widest)
    }
  }

  /// So many rows decide.
  private static let looked = 200
  /// So much of a text is looked at; no terminal is as wide.
  private static let longest = 4_096
  private static let gap = "  "

  private let fields: FetchColumns
  private let width: Int
  private var waiting: [[String]]? = []
  private var columns: [Column]
  private var isList = false
  private var isFirst = true

  init(_ fields: FetchColumns, width: Int) {
    (self.fields, self.width) = (fields, width)
    columns = fields.all.map { field in
      let (isNumber, isText) =
        switch field.type {
        case .string, .binary, .json: (false, true)
        // An object id is a number.
        case let type: (type?.isNumeric ?? true, false)
        }
      return Column(title: field.title.printable, isNumber: isNumber, isText: isText, width: 0)
    }
  }

  mutating func write(_ row: any FetchedRow, to text: inout JSONText) throws {
    var values: [String] = []
    try fields.read(row) { values.append(Self.shown($0, $1)) }
    guard waiting != nil else { return write(values, &text) }
    waiting?.append(values)
    if waiting?.count == Self.looked { begin(&text) }
  }

  mutating func end(_ text: inout JSONText) {
    begin(&text)
    if isFirst { text.write(line: "no objects") }
  }

  private static func shown(_ cell: FetchedCell, _ type: AttributeType?) -> String {
    guard case .text(let bytes) = cell else { return cell.text(type) }
    return unsafe String(decoding: bytes.prefix(longest), as: UTF8.self).printable
  }

  // MARK: Widths

  private mutating func begin(_ text: inout JSONText) {
    guard let rows = waiting else { return }
    waiting = nil
    let values = columns.indices.map { index in rows.map { $0[index] } }
    for index in columns.indices {
      columns[index].width = max(columns[index].title.columns, values[index].map(\.columns).max() ?? 0)
    }
    // The widest gives way first.
    let least = columns.indices.map { columns[$0].least(values[$0]) }
    let room = width - Self.gap.count * (columns.count - 1)
    var rest = columns.reduce(0) { $0 + $1.width } - room
    while rest > 0 {
      guard
        let widest = columns.indices.filter({ columns[$0].width > least[$0] })
          .max(by: { columns[$0].width < columns[$1].width })
      else { break }
      columns[widest].width -= 1
      rest -= 1
    }
    isList = rest > 0
    guard !rows.isEmpty else { return }
    if !isList { line(columns.map(\.title), &text) }
    rows.forEach { write($0, &text) }
  }

  // MARK: Lines

  private mutating func write(_ values: [String], _ text: inout JSONText) {
    if isList { list(values, &text) } else { line(values, &text) }
    isFirst = false
  }

  private func line(_ values: [String], _ text: inout JSONText) {
    let cells = zip(columns, values).map { column, value in
      // A number of which a part is missing would be another one.
      let cut = column.isText || value == column.title ? value.cut(to: column.width) : value
      let space = String(repeating: " ", count: max(0, column.width - cut.columns))
      return column.isNumber ? space + cut : cut + space
    }
    text.write(line: cells.joined(separator: Self.gap).trimmedAtEnd)
  }

  private func list(_ values: [String], _ text: inout JSONText) {
    if !isFirst { text.write(line: "") }
    let titles = min(columns.map(\.title.columns).max() ?? 0, max(8, width / 2))
    for (column, value) in zip(columns, values) {
      let title = column.title.cut(to: titles)
      let line = title + String(repeating: " ", count: titles - title.columns) + Self.gap
      text.write(
        line: (line + (column.isText ? value.cut(to: max(8, width - line.columns)) : value)).trimmedAtEnd)
    }
  }
}

extension String {
  /// As much of the text as fits, with … in place of what does not.
  fileprivate func cut(to width: Int) -> String {
    guard columns > width else { return self }
    var (text, taken) = ("", 0)
    for character in self {
      let next = String(character).columns
      guard taken + next < width else { break }
      text.append(character)
      taken += next
    }
    return text + "…"
  }
}
