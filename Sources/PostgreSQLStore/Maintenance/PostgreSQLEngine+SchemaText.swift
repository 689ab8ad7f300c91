package import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

extension PostgreSQLEngine {
  package func model() throws -> Model { try reading { $1.model } }

  /// The store's tables, indexes, functions and triggers as SQL that makes them, with a comment line for each entity's.
  package func schemaText() throws -> String {
    try reading { _, stored in
      let tables = stored.model.entities.map { EntityTable(entity: $0, model: stored.model) }
      var parts = [
        ("Bolide's own tables", SystemTables.statements),
        ("what the triggers call", SystemTables.functions(stored.schema)),
      ]
      for table in tables {
        parts.append(
          ("\(table.entity.name): one row an object, known by \(table.entity.key.listed)", [table.creation]))
      }
      for table in tables {
        parts.append(("\(table.entity.name): links, constraints and indexes", table.parts.map(\.creation)))
        parts.append(
          (
            "\(table.entity.name): history, and what is derived",
            try EntityTriggers(table.entity, stored).statements
          ))
      }
      // A name may hold a line's end, and a comment may not.
      return parts.filter { !$0.1.isEmpty }.map { comment, statements in
        let line = String(comment.map { $0.isNewline ? " " : $0 })
        return "-- \(line).\n" + statements.map { "\($0);\n" }.joined()
      }.joined(separator: "\n")
    }
  }
}
