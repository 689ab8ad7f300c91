internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  package func missing(of pipeline: String?) throws -> MissingRows {
    try reading { try missing($0, StoredModel($0).model, of: pipeline) }
  }

  package func deleteMissing(of pipeline: String?, noMoreThan share: Double) throws -> (
    MissingRows, HistoryToken?
  ) {
    try editingMissing(of: pipeline) { db, model, missing in
      guard !missing.rows.isEmpty else { return }
      guard missing.seen > 0 else { throw StoreError.nothingSeen(missing) }
      guard missing.share <= share else { throw StoreError.tooManyMissing(missing, share: share) }
      // Children go before their parents, who may deny it.
      let rows = Dictionary(grouping: missing.rows, by: \.entity).sorted {
        model.hasParent($0.key) && !model.hasParent($1.key)
      }
      for (entity, rows) in rows {
        try db.delete(rows.map(\.id), of: entity)
      }
    }
  }

  package func mergeMissing(of pipeline: String?) throws -> (MissingRows, HistoryToken?) {
    try editingMissing(of: pipeline) { db, model, missing in
      missing.rows.removeAll { $0.newcomer == nil }
      for (name, rows) in Dictionary(grouping: missing.rows, by: \.entity) {
        guard let entity = model.entity(named: name) else { continue }
        let rekeying = KeyChangeMatcher(db, entity)
        let pairs = rows.compactMap { row in row.newcomer.map { (old: row.id, new: $0.id) } }
        for pair in pairs { try rekeying.merge(pair.old, pair.new) }
        try PresenceBitmap(db, pipeline: missing.pipeline, entity: name).replace(pairs)
      }
    }
  }

  private func editingMissing(
    of pipeline: String?, _ body: (Database, Model, inout MissingRows) throws -> Void
  ) throws -> (MissingRows, HistoryToken?) {
    let found = try missing(of: pipeline)
    if found.rows.isEmpty { return (found, nil) }
    let (rows, report) = try editing(EditOptions(author: found.author)) { db, model in
      // Looked for again, where nobody else writes.
      var missing = try missing(db, model, of: found.pipeline)
      try body(db, model, &missing)
      return missing
    }
    return (rows, report.token)
  }

  private func missing(_ db: Database, _ model: Model, of pipeline: String?) throws -> MissingRows {
    let pipeline = try pipeline ?? onlyFullPipeline(db)
    let runs = try RawStatement(
      db,
      """
      SELECT c.entity, c.run, r.author FROM bolide_complete AS c JOIN bolide_run AS r USING (run) WHERE c.pipeline = ?
      ORDER BY c.entity
      """)
    runs.bind(pipeline, at: 1)
    var missing = MissingRows(pipeline: pipeline, author: "", run: 0, seen: 0, rows: [])
    let numbers = try PropertyNumbers(db, model: model, creating: false)
    while try runs.step() {
      guard let entity = model.entity(named: runs.string(0) ?? "") else { continue }
      let run = runs.integer(1)
      missing.run = max(missing.run, run)
      missing.author = runs.string(2) ?? pipeline
      let bits = try PresenceBitmap(db, pipeline: pipeline, entity: entity.name)
      missing.seen += try bits.lastCount()
      let ids = try bits.missing()
      let pairs = try KeyChangeMatcher(db, entity).pairs(ids, insertedBy: run)
      let reader = try EntityReader(db, entity, numbers, HistoryRequest(), readsRows: false)
      missing.rows += try ids.map { id in
        MissingRow(
          entity: entity.name, id: id, key: try reader.object(id, after: .max).key,
          newcomer: try pairs[id].map {
            MissingRow.Newcomer(id: $0, key: try reader.object($0, after: .max).key)
          })
      }
    }
    guard missing.run > 0 else { throw StoreError.noCompleteRun(pipeline) }
    return missing
  }

  private func onlyFullPipeline(_ db: Database) throws -> String {
    let names = try RawStatement(db, "SELECT DISTINCT pipeline FROM bolide_complete ORDER BY pipeline")
    var all: [String] = []
    while try names.step() { all.append(names.string(0) ?? "") }
    guard all.count < 2 else { throw StoreError.severalFullPipelines(all) }
    guard let name = all.first else { throw StoreError.noCompleteRun(nil) }
    return name
  }
}

extension Model {
  fileprivate func hasParent(_ name: String) -> Bool {
    entity(named: name)?.keyRelationships.isEmpty == false
  }
}
