internal import GRDB
internal import SQLiteAccess
internal import StoreInterface

extension SQLiteEngine {
  /// The fields of its records that a pipeline does not use, as earlier runs met them; nil when it had no good run.
  package func unusedFields(pipeline: String) throws -> Set<String>? {
    // On the writer: an import opens no other connection for it.
    try writing { db in
      let runs = try RawStatement(db, "SELECT 1 FROM bolide_run WHERE pipeline = ? AND outcome = ? LIMIT 1")
      runs.bind(pipeline, at: 1)
      runs.bind(RunOutcome.good, at: 2)
      defer { runs.reset() }
      guard try runs.step() else { return nil }
      let rows = try RawStatement(db, "SELECT name FROM bolide_field WHERE pipeline = ?")
      rows.bind(pipeline, at: 1)
      var names: Set<String> = []
      while try rows.step() { names.insert(rows.string(0) ?? "") }
      return names
    }
  }
}

extension RunLog {
  /// Remembers fields, so that they are told of once.
  func write(_ fields: Set<String>, of pipeline: String) throws {
    guard !fields.isEmpty else { return }
    let insert = try RawStatement(database, "INSERT OR IGNORE INTO bolide_field VALUES (?, ?, ?)")
    for field in fields {
      insert.bind(pipeline, at: 1)
      insert.bind(field, at: 2)
      insert.bind(run, at: 3)
      try insert.run()
    }
  }
}
