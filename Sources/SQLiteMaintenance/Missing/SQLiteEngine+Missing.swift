internal import GRDB
internal import ImportModel
internal import ModelMerging
internal import SQLiteAccess
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  package func readMissing(of pipeline: String?, _ body: (MissingRow) throws -> Void) throws -> MissingRows {
    try reading { db in
      let model = try ModelRecord(db).model
      let (missing, entities) = try missing(db, model, of: pipeline)
      for objects in entities { try objects.read(db, model, body) }
      return missing
    }
  }

  package func deleteMissing(of pipeline: String?, noMoreThan share: Double) throws -> (
    MissingRows, HistoryToken?
  ) {
    try editingMissing(of: pipeline) { db, model, missing, entities in
      guard missing.count > 0 else { return }
      guard missing.seen > 0 else { throw StoreError.nothingSeen(missing) }
      guard missing.share <= share else { throw StoreError.tooManyMissing(missing, share: share) }
      // Whoever has children may deny that it goes before them.
      for entity in model.childrenFirst {
        for objects in entities where objects.entity.name == entity.name {
          try db.delete(objects.bits.missing(), of: entity.name)
        }
      }
    }
  }

  package func mergeMissing(of pipeline: String?) throws -> (MissingRows, HistoryToken?) {
    try editingMissing(of: pipeline) { db, model, missing, entities in
      let merges = try entities.map { objects in
        let matcher = KeyChangeMatcher(db, objects.entity)
        return (matcher, objects.bits, try matcher.pairs(objects.bits, insertedBy: objects.run))
      }
      missing.count = merges.reduce(0) { $0 + $1.2.count }
      for (matcher, bits, pairs) in merges {
        let pairs = pairs.map { (old: $0.key, new: $0.value) }.sorted { $0.old < $1.old }
        for pair in pairs { try matcher.merge(pair.old, pair.new) }
        try bits.replace(pairs)
      }
    }
  }

  private func editingMissing(
    of pipeline: String?,
    _ body: (Database, Model, inout MissingRows, [MissingObjects]) throws -> Void
  ) throws -> (MissingRows, HistoryToken?) {
    let found = try reading { try missing($0, ModelRecord($0).model, of: pipeline).missing }
    if found.count == 0 { return (found, nil) }
    let (rows, report) = try editing(EditOptions(author: found.author)) { db, model in
      // Looked for again, where nobody else writes.
      var (missing, entities) = try missing(db, model, of: found.pipeline)
      try body(db, model, &missing, entities)
      return missing
    }
    return (rows, report.token)
  }

  private func missing(
    _ db: Database, _ model: Model, of pipeline: String?
  ) throws -> (missing: MissingRows, entities: [MissingObjects]) {
    let pipeline = try pipeline ?? onlyFullPipeline(db)
    let runs = try RawStatement(
      db,
      """
      SELECT c.entity, c.run, r.author FROM bolide_complete AS c JOIN bolide_run AS r USING (run) WHERE c.pipeline = ?
      ORDER BY c.entity
      """)
    runs.bind(pipeline, at: 1)
    var missing = MissingRows(pipeline: pipeline, author: "", run: 0, seen: 0)
    var entities: [MissingObjects] = []
    while try runs.step() {
      guard let entity = model.entity(named: runs.string(0) ?? "") else { continue }
      let run = runs.integer(1)
      missing.run = max(missing.run, run)
      missing.author = runs.string(2) ?? pipeline
      let bits = try PresenceBitmap(db, pipeline: pipeline, entity: entity.name)
      missing.seen += try bits.lastCount()
      try bits.eachMissing { _ in missing.count += 1 }
      entities.append(MissingObjects(entity: entity, bits: bits, run: run))
    }
    guard missing.run > 0 else { throw StoreError.noCompleteRun(pipeline) }
    return (missing, entities)
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

/// What is missing of an entity.
private struct MissingObjects {
  let entity: Entity
  let bits: PresenceBitmap
  /// The last complete run.
  let run: Int64

  /// Hands over the missing rows by id, one at a time.
  func read(_ db: Database, _ model: Model, _ body: (MissingRow) throws -> Void) throws {
    let pairs = try KeyChangeMatcher(db, entity).pairs(bits, insertedBy: run)
    let numbers = try PropertyNumbers(db, model: model, creating: false)
    let reader = try EntityReader(db, entity, numbers, HistoryRequest(), readsRows: false)
    func key(_ id: Int64) throws -> [HistoryChange.Property] { try reader.object(id, after: .max).key }
    try bits.eachMissing { id in
      try body(
        MissingRow(
          entity: entity.name, id: id, key: try key(id),
          newcomer: try pairs[id].map { MissingRow.Newcomer(id: $0, key: try key($0)) }))
    }
  }
}
