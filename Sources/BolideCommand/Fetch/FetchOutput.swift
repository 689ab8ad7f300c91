import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// How fetched objects are printed.
enum FetchFormat: String, ExpressibleByArgument, CaseIterable {
  /// Columns for people.
  case table
  /// A JSON object a line.
  case ndjson
  /// RFC 4180, with a line of names.
  case csv

  /// What standard output wants: people a table, programs JSON.
  static var standard: FetchFormat { isatty(STDOUT_FILENO) == 1 ? .table : .ndjson }
}

/// Makes lines of fetched rows.
protocol FetchLines {
  /// Writes a row, or keeps it for later.
  mutating func write(_ row: any FetchedRow, to text: inout JSONText) throws
  /// Writes what is left when all rows have come.
  mutating func end(_ text: inout JSONText)
}

/// Prints fetched objects in large pieces.
struct FetchOutput {
  private let format: FetchFormat
  private var lines: (any FetchLines)?
  private var text = JSONText()

  init(_ format: FetchFormat) {
    self.format = format
  }

  mutating func begin(_ layout: RowLayout) throws {
    switch format {
    case .table: lines = FetchTable(FetchColumns(layout), width: Terminal.outputColumns)
    case .ndjson: lines = FetchJSON(layout)
    case .csv:
      if let many = layout.fetched.first(where: { $0.property.cardinality == .many }) {
        throw Failure.manyInCSV(many.property.name)
      }
      lines = FetchCSV(FetchColumns(layout), isShown: isatty(STDOUT_FILENO) == 1, &text)
    }
  }

  mutating func write(_ row: any FetchedRow) throws {
    try lines?.write(row, to: &text)
    guard text.bytes.count > 1 << 16 else { return }
    try StandardOutput.write(text.bytes)
    text.clear()
  }

  mutating func end() throws {
    lines?.end(&text)
    try StandardOutput.write(text.bytes)
  }
}

/// One column of a table or of CSV: a property, under its path.
struct FetchColumn {
  let title: String
  let type: AttributeType?
  let cell: Int

  /// The columns of a row, those of objects that were brought along in their relationships' places.
  static func all(of layout: RowLayout, under path: String = "") -> [FetchColumn] {
    layout.members.flatMap { member in
      member.related.map { all(of: $0, under: path + member.name + ".") }
        ?? [FetchColumn(title: path + member.name, type: member.type, cell: member.cell)]
    }
  }
}

/// All columns of a table or of CSV: the object's, then those of what fetched properties find.
struct FetchColumns {
  /// The columns in their order.
  let all: [FetchColumn]
  private let own: [FetchColumn]
  /// Nil where many may be found: their number is the one column.
  private let fetched: [[FetchColumn]?]

  init(_ layout: RowLayout) {
    own = FetchColumn.all(of: layout)
    fetched = layout.fetched.map { fetched in
      fetched.property.cardinality == .many
        ? nil : FetchColumn.all(of: fetched.layout, under: fetched.property.name + ".")
    }
    all =
      own
      + zip(layout.fetched, fetched).flatMap { fetched, columns in
        columns ?? [FetchColumn(title: fetched.property.name, type: nil, cell: 0)]
      }
  }

  /// Hands over a row's cells in the columns' order.
  func read(_ row: any FetchedRow, _ body: (FetchedCell, AttributeType?) -> Void) throws {
    for column in own { body(row[column.cell], column.type) }
    for (index, columns) in fetched.enumerated() {
      var count = 0
      try row.fetched(index) { found in
        count += 1
        for column in columns ?? [] { body(found[column.cell], column.type) }
      }
      guard let columns else {
        body(.integer(Int64(count)), nil)
        continue
      }
      if count == 0 { for column in columns { body(.null, column.type) } }
    }
  }
}
