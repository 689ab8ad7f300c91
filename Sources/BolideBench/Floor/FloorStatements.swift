internal import Bolide
internal import TypedRows

/// How the floor writes.
package enum FloorShape: String, Codable, Sendable, CaseIterable {
  /// One prepared `INSERT`, bound and stepped once a row.
  case preparedInsert
  /// One prepared upsert, which writes only where something differs.
  case preparedUpsert
  /// The chunk as a virtual table and one `INSERT … SELECT`.
  case chunkInsert
  /// The chunk as a virtual table, joined to find the new and the changed rows.
  case chunkDifference
  /// As `chunkInsert`, with a foreign key and its index.
  case linkedInsert
  /// The same, and the index is made when all rows are there.
  case linkedInsertThenIndex

  /// Whether the rows have the pipeline's link.
  var isLinked: Bool { self == .linkedInsert || self == .linkedInsertThenIndex }

  /// As tables call it.
  var title: String {
    switch self {
    case .preparedInsert: "floor: prepared insert"
    case .preparedUpsert: "floor: prepared upsert"
    case .chunkInsert: "floor: set-wise insert"
    case .chunkDifference: "floor: set-wise difference"
    case .linkedInsert: "floor: insert with index"
    case .linkedInsertThenIndex: "floor: insert, then index"
    }
  }
}

/// The floor's SQL: the entity's own columns, its key unique, the link's foreign key where there is one, and nothing else.
struct FloorStatements {
  private let table: String
  private let link: FloorLink?
  private let columns: [(name: String, definition: String)]
  private let key: [String]

  init(_ rows: FloorRows) {
    table = quoted(rows.layout.entity.name)
    key = rows.layout.keyColumns.map { quoted(rows.layout.columns[$0].name) }
    link = rows.link
    columns =
      rows.columns.map { column in
        let isRequired = column.isKey || column.attribute.isRequired
        return (quoted(column.name), "\(column.storage.sql)\(isRequired ? " NOT NULL" : "")")
      } + (link.map { [(quoted($0.column), "INTEGER REFERENCES \(quoted($0.owner))")] } ?? [])
  }

  /// As the store's own connection; see `Store.open`.
  static let settings = """
    PRAGMA page_size = 16384;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -16384;
    PRAGMA foreign_keys = ON;
    """

  /// All that is there before the first row.
  func create(_ shape: FloorShape) -> String {
    guard let link else { return create }
    let owners = link.owners.enumerated().map { "(\($0 + 1), \($1))" }
    return """
      CREATE TABLE \(quoted(link.owner))(bolide_id INTEGER PRIMARY KEY, \(quoted(link.key)) INTEGER NOT NULL UNIQUE) STRICT;
      INSERT INTO \(quoted(link.owner)) VALUES \(list(owners));
      \(create);
      \(shape == .linkedInsert ? index(link) : "")
      """
  }

  /// What is done when all rows are there.
  func after(_ shape: FloorShape) -> String? {
    link.flatMap { shape == .linkedInsertThenIndex ? index($0) : nil }
  }

  private func index(_ link: FloorLink) -> String {
    "CREATE INDEX linked ON \(table)(\(quoted(link.column)))"
  }

  /// The store's table but for AUTOINCREMENT, which would cost the floor a write a row.
  private var create: String {
    let lines = columns.map { "\($0.name) \($0.definition)" }
    return """
      CREATE TABLE IF NOT EXISTS \(table)(bolide_id INTEGER PRIMARY KEY, \(lines.joined(separator: ", ")),
        UNIQUE (\(list(key)))) STRICT
      """
  }

  var declaration: String { "CREATE TABLE chunk(\(list(names)), bolide_place INTEGER)" }

  /// The one statement of a shape that has one.
  func row(_ shape: FloorShape) -> String? {
    switch shape {
    case .preparedInsert: "INSERT INTO \(table)(\(list(names))) VALUES (\(list(names.map { _ in "?" })))"
    case .preparedUpsert:
      "INSERT INTO \(table)(\(list(names))) VALUES (\(list(names.map { _ in "?" }))) ON CONFLICT (\(list(key))) "
        + (others.isEmpty
          ? "DO NOTHING"
          : "DO UPDATE SET \(list(others.map { "\($0) = excluded.\($0)" })) WHERE "
            + differs("\(table).", "excluded."))
    case .chunkInsert, .linkedInsert, .linkedInsertThenIndex: insert
    case .chunkDifference: nil
    }
  }

  var difference: String {
    let join = key.map { "t.\($0) = x.\($0)" }.joined(separator: " AND ")
    let changed = others.isEmpty ? "" : " OR " + differs("t.", "x.")
    return """
      SELECT x.bolide_place, t.bolide_id FROM temp.chunk AS x LEFT JOIN \(table) AS t ON \(join)
      WHERE t.bolide_id IS NULL\(changed)
      """
  }

  var insert: String { "INSERT INTO \(table)(\(list(names))) SELECT \(list(names)) FROM temp.chunk" }

  var update: String? {
    others.isEmpty
      ? nil
      : """
      UPDATE \(table) SET \(list(others.map { "\($0) = x.\($0)" })) FROM temp.chunk AS x
      WHERE \(table).bolide_id = x.bolide_place
      """
  }

  private var names: [String] { columns.map(\.name) }
  private var others: [String] { names.filter { !key.contains($0) } }

  private func list(_ parts: [String]) -> String { parts.joined(separator: ", ") }

  private func differs(_ left: String, _ right: String) -> String {
    others.map { "\(left)\($0) IS NOT \(right)\($0)" }.joined(separator: " OR ")
  }
}

/// A name as SQL writes it.
package func quoted(_ name: String) -> String {
  "\"" + name.replacing("\"", with: "\"\"") + "\""
}
