internal import Bolide
internal import CSQLiteFloor
internal import Foundation
internal import PostgreSQLAccess
internal import PostgreSQLStore

/// The same rows by psql: a chunk is copied into a temporary table and goes from there into the tables, all of it in one
/// transaction. The rows are typed beforehand, and each is written only where something is new.
struct ServerProgram {
  /// How a chunk goes into the table.
  enum Shape: String, CaseIterable {
    /// One MERGE, which locks what it changes.
    case merge
    /// One INSERT … ON CONFLICT DO UPDATE, which locks all.
    case upsert

    /// As tables call it.
    var title: String {
      switch self {
      case .merge: "psql: COPY and MERGE"
      case .upsert: "psql: COPY and upsert"
      }
    }
  }

  private let rows: FloorRows
  private let table: String
  private let columns: [(name: String, type: String)]
  private let key: [String]

  init(_ rows: FloorRows) {
    self.rows = rows
    table = quoted(rows.layout.entity.name)
    key = rows.layout.keyColumns.map { quoted(rows.layout.columns[$0].name) }
    columns = rows.columns.map { (quoted($0.name), $0.attribute.type.column) }
  }

  /// What is there before the first row.
  var creation: String {
    let id = "bolide_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
    let own = columns.map { "\($0.name) \($0.type)\(key.contains($0.name) ? " NOT NULL" : "")" }
    var lines = [id] + own + ["UNIQUE (\(list(key)))"]
    var text = ""
    if let link = rows.link {
      text = "CREATE TABLE \(quoted(link.owner))(\(id), \(quoted(link.key)) bigint NOT NULL UNIQUE);\n"
      lines.append("\(quoted(link.column)) bigint REFERENCES \(quoted(link.owner))")
    }
    text += "CREATE TABLE \(table)(\(list(lines)));\n"
    if let link = rows.link { text += "CREATE INDEX ON \(table)(\(quoted(link.column)));\n" }
    return text
  }

  /// Writes the program that puts all rows into the tables.
  func write(_ shape: Shape, chunkRows: Int, to path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else { throw WrongResult("\(path) cannot be written") }
    defer { try? file.close() }
    let staged = columns.map { "\($0.name) \($0.type)" } + (rows.link == nil ? [] : ["owner bigint"])
    try file.write(contentsOf: Data("CREATE TEMPORARY TABLE staging(\(list(staged)));\n".utf8))
    for start in stride(from: 0, to: rows.count, by: chunkRows) {
      var text = Array("BEGIN;\nCOPY staging FROM STDIN;\n".utf8)
      write(start..<min(start + chunkRows, rows.count), to: &text)
      text += Array("\\.\nANALYZE staging;\n\(statements(shape))TRUNCATE staging;\nCOMMIT;\n".utf8)
      try file.write(contentsOf: Data(text))
    }
  }

  private func statements(_ shape: Shape) -> String {
    var names = columns.map(\.name)
    var values = names.map { "s.\($0)" }
    var (source, owners) = ("staging AS s", "")
    if let link = rows.link {
      let (owner, key) = (quoted(link.owner), quoted(link.key))
      owners = """
        INSERT INTO \(owner)(\(key)) SELECT DISTINCT owner FROM staging
          WHERE owner NOT IN (SELECT \(key) FROM \(owner)) ORDER BY 1 ON CONFLICT DO NOTHING;

        """
      source += " JOIN \(owner) AS o ON o.\(key) = s.owner"
      names.append(quoted(link.column))
      values.append("o.bolide_id")
    }
    let others = names.filter { !key.contains($0) }
    let selected = "SELECT \(list(zip(values, names).map { "\($0) AS \($1)" })) FROM \(source)"
    switch shape {
    case .merge:
      let isSame = key.map { "t.\($0) = n.\($0)" }.joined(separator: " AND ")
      return """
        \(owners)MERGE INTO \(table) AS t USING (\(selected)) AS n ON \(isSame)
        WHEN MATCHED AND (\(list(others.map { "t.\($0)" }))) IS DISTINCT FROM (\(list(others.map { "n.\($0)" })))
          THEN UPDATE SET \(list(others.map { "\($0) = n.\($0)" }))
        WHEN NOT MATCHED THEN INSERT (\(list(names))) VALUES (\(list(names.map { "n.\($0)" })));

        """
    case .upsert:
      let differs =
        "(\(list(others.map { "t.\($0)" }))) IS DISTINCT FROM (\(list(others.map { "excluded.\($0)" })))"
      return """
        \(owners)INSERT INTO \(table) AS t (\(list(names))) \(selected) ORDER BY \(list(key.map { "s.\($0)" }))
        ON CONFLICT (\(list(key))) DO UPDATE SET \(list(others.map { "\($0) = excluded.\($0)" }))
        WHERE \(differs);

        """
    }
  }

  private func list(_ parts: [String]) -> String { parts.joined(separator: ", ") }

  /// Rows as COPY reads them.
  private func write(_ range: Range<Int>, to text: inout [UInt8]) {
    rows.withRows { rows in
      let width = Int(rows.columns)
      for row in range {
        for column in 0..<width {
          if column > 0 { text.append(UInt8(ascii: "\t")) }
          let cell = row * width + column
          guard rows.present[cell] != 0 else {
            text += "\\N".utf8
            continue
          }
          write(
            rows, rows.cells[cell], kind: Int(rows.kinds[column]), isLink: column == columns.count, to: &text)
        }
        text.append(UInt8(ascii: "\n"))
      }
    }
  }

  private func write(_ rows: CFloorRows, _ cell: UInt64, kind: Int, isLink: Bool, to text: inout [UInt8]) {
    switch kind {
    case CFLOOR_INTEGER:
      let number = isLink ? self.rows.link?.owners[Int(cell) - 1] : Int64(bitPattern: cell)
      text += "\(number ?? 0)".utf8
    case CFLOOR_REAL: text += "\(Double(bitPattern: cell))".utf8
    default:
      let start = rows.arena + Int(cell)
      let length = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
      for byte in UnsafeBufferPointer(start: start + 4, count: Int(length)) {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
          text.append(UInt8(ascii: "\\"))
        default: break
        }
        text.append(byte)
      }
    }
  }
}
