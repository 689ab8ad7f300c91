package import GRDB
internal import ImportModel
internal import ModelMerging
internal import SQLiteAccess
internal import StoreInterface

/// Sees that a file is a store in what its schema says, before anything in it is used: it may come from anywhere.
///
/// What a user keeps beside Bolide's tables stays: views, tables, indexes, full-text search. What stands in the place of a
/// table of Bolide's, or would run when Bolide writes its own, is refused by name.
package enum ReceivedSchema {
  /// SQLite itself sees that a row's type, name and table are those of its text.
  ///
  /// - Parameter schema: which of the connection's files.
  /// - Throws: `StoreError.notAStore` and `.newerFormat`; `.foreignSchema` for what is refused; what `ModelRecord` throws.
  /// - Complexity: O(tables and triggers).
  package static func check(_ db: Database, _ path: String, schema: String = "main") throws {
    try SQLiteEngine.checkFormat(db, path, schema: schema)
    let rows = try RawStatement(db, "SELECT type, name, tbl_name, sql FROM \(schema).sqlite_schema")
    var kinds: [String: Kind] = [:]
    var texts: [String: String] = [:]
    while try rows.step() {
      let (name, table, sql) = (rows.string(1) ?? "", rows.string(2) ?? "", rows.string(3) ?? "")
      switch rows.string(0) {
      case "view": kinds[name.caseFolded] = .view
      // SQLite writes the first words of the text itself.
      case "table":
        kinds[name.caseFolded] = sql.utf8.starts(with: "CREATE TABLE ".utf8) ? .table : .virtualTable
        texts[name.caseFolded] = sql
      case "trigger"
      where isBolides(table.caseFolded) && !isBolides(trigger: name, of: table.caseFolded, sql):
        throw StoreError.foreignSchema("the trigger \(name) of \(table) is not Bolide's")
      case "index"
      where isBolides(table.caseFolded) && !StoreSchema.holds(sql) && ForeignExpressions.isIn(index: sql):
        throw StoreError.foreignSchema("the index \(name) of \(table) is not Bolide's")
      default: break
      }
    }
    // Bolide's tables first: the model is kept in one of them.
    for name in StoreSchema.purposes.map(\.0) + kinds.keys.filter(isBolides).sorted() {
      guard let kind = kinds[name] else { throw StoreError.foreignSchema("the table \(name) is missing") }
      try check(name, kind)
    }
    for (name, _) in StoreSchema.purposes {
      let text = texts[name] ?? ""
      if StoreSchema.holds(text) { continue }
      // A later version may have added columns that this one does not know.
      let columns = try TableColumns(db, name, schema: schema)?.declarations ?? []
      guard try (ownColumns.get()[name] ?? []).isSubset(of: columns), !ForeignExpressions.isIn(table: text)
      else {
        throw StoreError.foreignSchema("the table \(name) is not as Bolide made it")
      }
    }
    for entity in try ModelRecord(db, schema: schema).model.entities {
      // A table or a column that is missing is told of by what needs it: see `SchemaDrift`.
      guard let kind = kinds[entity.name.caseFolded] else { continue }
      try check(entity.name, kind)
      let computed = try TableColumns(db, entity.name, schema: schema)?.generated ?? []
      if let column = Set(entity.columnNames.map(\.caseFolded)).intersection(computed.map(\.caseFolded)).min()
      {
        throw StoreError.foreignSchema("the column \(column) of \(entity.name) is computed, and not stored")
      }
    }
  }

  private enum Kind: String {
    case table = "a table"
    case virtualTable = "a virtual table"
    case view = "a view"
  }

  private static func check(_ name: String, _ kind: Kind) throws(StoreError) {
    if kind != .table {
      throw .foreignSchema("\(name) is \(kind.rawValue), and not the table that Bolide made")
    }
  }

  /// The columns of the tables that every store has, as a new one has them: needed where a table's text is another.
  private static let ownColumns = Result {
    try DatabaseQueue().inDatabase { db in
      try StoreSchema.create(db)
      return try Dictionary(
        uniqueKeysWithValues: StoreSchema.purposes.map { name, _ in
          (name, try TableColumns(db, name)?.declarations ?? [])
        })
    }
  }

  private static func isBolides(_ name: String) -> Bool { name.utf8.starts(with: "bolide_".utf8) }

  /// Whether a trigger of a table of Bolide's is one that Bolide has made. Those that follow from the model are compared by
  /// `TriggerMaintenance`, before anything is written.
  private static func isBolides(trigger name: String, of table: String, _ sql: String) -> Bool {
    StoreSchema.triggers[name] == sql || (name, sql) == SumSQL.former
      || table.utf8.starts(with: "bolide_replaced_".utf8) && isBolides(name.caseFolded)
  }
}
