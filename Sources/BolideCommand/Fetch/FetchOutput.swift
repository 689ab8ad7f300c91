import ArgumentParser
import Bolide
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
  mutating func write(_ row: FetchedCells, to text: inout JSONText)
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

  mutating func begin(_ shape: FetchShape) {
    lines =
      switch format {
      case .table: FetchTable(FetchColumn.all(of: shape), width: Terminal.outputColumns)
      case .ndjson: FetchJSON(shape)
      case .csv: FetchCSV(FetchColumn.all(of: shape), isShown: isatty(STDOUT_FILENO) == 1, &text)
      }
  }

  mutating func write(_ row: FetchedCells) throws {
    lines?.write(row, to: &text)
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
  static func all(of shape: FetchShape, under path: String = "") -> [FetchColumn] {
    shape.members.flatMap { member in
      member.related.map { all(of: $0, under: path + member.name + ".") }
        ?? [FetchColumn(title: path + member.name, type: member.type, cell: member.cell)]
    }
  }
}
