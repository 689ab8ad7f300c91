internal import ChunkMerging
internal import ImportModel
internal import PostgreSQLAccess
package import StoreInterface
internal import TypedRows

// What an import asks and does at its input's end: whether it is like the inputs before, and what it has no more.
extension PostgreSQLImport {
  /// What was seen, entity by entity: the records', those of children that belong to them, and their links.
  ///
  /// - Returns: nothing where a rejected record may be any of the rows.
  private func seen() throws -> [Met] {
    guard pipeline.feed == .full, rejected.knowsKeys else { return [] }
    let knowsChildren = rejected.knowsChildren && progress.childrenMetTheirRows
    return try main.writers.enumerated().filter { place, _ in
      place == 0 || knowsChildren && main.sayAll[place]
    }.map { place, writer in try met(place, writer.layout.entity) }
  }

  private typealias Met = (presence: Presence, entity: Entity, objects: ObjectSet)

  /// What a place among the writers has met; of the records also those that were rejected with a key.
  private func met(_ place: Int, _ entity: Entity) throws -> Met {
    let presence = Presence(connection, pipeline: pipeline.name, entity, stored)
    var objects = seen(by: place)
    if place == 0, !rejected.keys.isEmpty {
      try presence.addRejected(rejected.keys, layout, to: &objects)
    }
    return (presence, entity, objects)
  }

  func missingOfLastRun() throws -> RowShare? {
    try asking { try self.seen().first.flatMap { try $0.presence.missingOfLast($0.objects) } }
  }

  func goneRows() throws -> [(entity: String, share: RowShare)] {
    try asking {
      try self.seen().map { presence, entity, objects in
        let missing = try presence.missing(objects).count
        return (entity.name, RowShare(missing, of: missing + objects.count))
      }
    }
  }

  func treatGone() throws {
    try engine.address.telling {
      try self.repeating(nil, by: self.main) {
        try self.transact(by: self.main) {
          try self.treat()
        } ending: {
          self.progress.gone += $0
        }
      }
    }
  }

  /// - Returns: how many rows were treated.
  private func treat() throws -> Int {
    var treated = 0
    for (presence, entity, objects) in try seen().reversed() {
      let gone = try presence.missing(objects)
      let table = quoted(entity.name)
      switch pipeline.gone {
      case .keep: continue
      case .delete:
        treated += try connection.delete(gone, of: entity.name, in: stored.model)
      case .mark(let name):
        guard entity.name == layout.entity.name, let attribute = entity.attribute(named: name) else {
          continue
        }
        let column = quoted(name)
        let times = entity.derivedAttributes.filter { $0.derivation == .now }.map {
          ", \(quoted($0.name)) = \(EntityTriggers.now($0, "$2::text::timestamptz"))"
        }.joined()
        // Since when it is gone is told by the first import that did not see it.
        let (marked, cleared, isUnmarked) =
          if case .date = attribute.type {
            (EntityTriggers.now(attribute, "$2::text::timestamptz"), "NULL", "\(column) IS NULL")
          } else {
            ("true", "false", "\(column) IS DISTINCT FROM true")
          }
        treated += try connection.run(
          """
          UPDATE \(table) SET \(column) = \(marked)\(times) WHERE bolide_id = ANY ($1) AND \(isUnmarked)
            AND $2::text IS NOT NULL
          """, [.integers(gone), .text(timestamp())]
        ).affected
        let returned = try presence.returned(objects)
        try connection.run(
          """
          UPDATE \(table) SET \(column) = \(cleared)\(times) WHERE bolide_id = ANY ($1)
            AND \(column) IS DISTINCT FROM \(cleared) AND $2::text IS NOT NULL
          """, [.integers(returned), .text(timestamp())])
        inputs?.noteUnmarked(returned)
      }
    }
    return treated
  }

  /// Writes what the run saw; nil where the feed is not full, or the run is not complete.
  ///
  /// - Parameter isComplete: the input was read to its end.
  func missingNow(isComplete: Bool) throws -> Int? {
    if pipeline.feed != .full { return nil }
    let seen = isComplete ? try seen() : []
    for (place, writer) in main.writers.enumerated() {
      let entity = writer.layout.entity
      // A marked row stays so until a complete run sees it.
      guard place == 0 ? !pipeline.gone.marks : main.sayAll[place],
        !seen.contains(where: { $0.entity.name == entity.name })
      else { continue }
      let met = try met(place, entity)
      try met.presence.meet(met.objects)
    }
    if seen.isEmpty { return nil }
    for (presence, _, objects) in seen { try presence.complete(objects) }
    return try Presence.missingCount(connection, pipeline: pipeline.name, stored)
  }
}

extension PostgreSQLEngine {
  package func readMissing(of pipeline: String?, _ body: (MissingRow) throws -> Void) throws -> MissingRows {
    var missing = try reading { try self.missing(of: pipeline, $0, $1) }
    for row in missing.rows { try body(row) }
    missing.rows = []
    return missing
  }

  private func missing(
    of pipeline: String?, _ connection: PostgreSQLConnection, _ stored: StoredModel
  ) throws -> MissingRows {
    let names = try connection.run(
      "SELECT DISTINCT pipeline FROM bolide_presence WHERE $1::text IS NULL OR pipeline = $1 ORDER BY 1",
      [.text(pipeline)])
    let known = (0..<names.count).map { names.text($0, 0) }
    guard let name = known.first else { throw StoreError.noCompleteRun(pipeline).about(path) }
    guard known.count == 1 else { throw StoreError.severalFullPipelines(known).about(path) }
    let run = try connection.run(
      "SELECT run, author FROM bolide_run WHERE pipeline = $1 AND outcome = 'ok' ORDER BY run DESC LIMIT 1",
      [.text(name)])
    var (rows, seen): ([MissingRow], Int) = ([], 0)
    for entity in stored.model.entities.sorted(by: { $0.name < $1.name }) {
      let presence = Presence(connection, pipeline: name, entity, stored)
      let ids = try presence.missing(nil)
      let present = try PresentRows(connection, stored, entity, ids: ids)
      rows += ids.map { id in
        MissingRow(entity: entity.name, id: id, key: present.values(of: id).map(entity.keyProperties) ?? [])
      }
      seen += try presence.seenCount()
    }
    return MissingRows(
      pipeline: name, author: run.count == 0 ? name : run.text(0, 1),
      run: run.count == 0 ? 0 : run.integer(0, 0),
      seen: seen, rows: rows)
  }

  package func deleteMissing(
    of pipeline: String?, noMoreThan share: Double
  ) throws -> (MissingRows, HistoryToken?) {
    func check(_ missing: MissingRows) throws {
      if missing.rows.isEmpty { return }
      if missing.seen == 0 { throw StoreError.nothingSeen(missing).about(path) }
      if missing.share > share { throw StoreError.tooManyMissing(missing, share: share).about(path) }
    }
    let missing = try reading { try self.missing(of: pipeline, $0, $1) }
    try check(missing)
    let (rows, token) = try writing(author: missing.author) { connection, stored in
      // An import may have ended meanwhile.
      let rows = try self.missing(of: missing.pipeline, connection, stored)
      try check(rows)
      // Whoever has children may deny that it goes before them.
      for entity in stored.model.childrenFirst {
        let ids = rows.rows.filter { $0.entity == entity.name }.map(\.id)
        if ids.isEmpty { continue }
        try connection.delete(ids, of: entity.name, in: stored.model)
      }
      return rows
    }
    return (rows, token)
  }

  package func mergeMissing(of pipeline: String?) throws -> (MissingRows, HistoryToken?) {
    throw StoreError.unsupported("joining rows with others of another key", by: Self.engineName, path)
  }
}
