internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

/// A statement that gives rows new values, and tells whether any of them has kept what it had: another program's trigger before a row
/// may keep it from being changed, without an error.
struct RowUpdate {
  let entity: Entity
  let columns: [String]
  /// A query of the rows to change: `bolide_id`, and the columns' values as `v0`, `v1` and so on. The rows are locked.
  let rows: String

  /// A query of one boolean.
  var statement: String {
    let table = quoted(entity.name)
    let values = columns.enumerated().map { "\(quoted($1)) = v.v\($0)" }.joined(separator: ", ")
    return """
      WITH v AS MATERIALIZED (\(rows)),
        t AS (UPDATE \(table) AS t SET \(values) FROM v WHERE t.bolide_id = v.bolide_id RETURNING t.bolide_id)
      SELECT EXISTS (SELECT bolide_id FROM v EXCEPT SELECT bolide_id FROM t)
      """
  }

  /// Tells it, in PL/pgSQL.
  static func raise(_ entity: Entity) -> String {
    let error = StoreError.rowsKept(entity.name)
    return """
      RAISE EXCEPTION USING ERRCODE = '\(PostgreSQLError.rowsKept)', MESSAGE = \(literal(error.reason)),
        HINT = \(literal(error.hint ?? ""));
      """
  }
}

extension PostgreSQLConnection {
  /// Runs what a `RowUpdate` of an entity's rows is.
  func change(_ entity: Entity, _ statement: String, _ parameters: [Parameter] = []) throws {
    if try run(statement, parameters).integer(0, 0) != 0 { throw StoreError.rowsKept(entity.name) }
  }
}
