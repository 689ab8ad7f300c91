internal import ChunkMerging
internal import ImportModel
internal import ModelMerging
package import PostgreSQLAccess
package import StoreInterface

/// Copies a whole store into a schema that has none: rows with their ids, in one transaction.
///
///     tables   →   rows, a batch at a time   →   foreign keys, indexes, triggers   →   parts of sums   →   history
///
/// Derived values come as they are; foreign keys are checked once, when all rows are there.
package struct StoreCopy {
  /// Rows that go over at a time.
  private static let batchRows = 32_768

  private let connection: PostgreSQLConnection
  private let address: PostgreSQLAddress

  /// Makes a store at an address.
  ///
  /// - Parameters:
  ///   - source: the store whose rows are copied, from one state of it.
  ///   - isTrial: whether nothing is kept.
  /// - Throws: `StoreError` where the schema holds a store.
  package static func make(
    at address: PostgreSQLAddress, of source: any StoreEngine, author: String, isTrial: Bool
  ) throws -> CopyReport {
    try address.telling {
      let connection = try PostgreSQLConnection(address)
      let model = try source.model()
      let copy = StoreCopy(connection: connection, address: address)
      return try SchemaFit(connection: connection, address: address).changing(isTrial: isTrial) {
        // Somebody may have made one meanwhile.
        if try StoredModel.exists(connection) { throw StoreError.storeThere(address.shown) }
        let report = try copy.copy(source, model, author)
        return isTrial ? CopyReport(counts: report.counts, token: nil) : report
      }
    }
  }

  private func copy(_ source: any StoreEngine, _ model: Model, _ author: String) throws -> CopyReport {
    let fit = SchemaFit(connection: connection, address: address)
    try fit.makeTables(ModelRecord(model))
    var batch: [Snapshot.Row] = []
    var ids: [String: [ClosedRange<Int64>]] = [:]
    var counts: [CopyReport.Count] = []
    func flush() throws {
      guard let first = batch.first, let entity = model.entity(named: first.entity) else { return }
      try write(batch, of: entity)
      ids[entity.name, default: []] += batch.map(\.id).ranges
      batch.removeAll(keepingCapacity: true)
    }
    try source.readSnapshot(of: []) { snapshot in
      counts = snapshot.counts.filter { $0.rows > 0 }.map {
        CopyReport.Count(entity: $0.entity, inserted: $0.rows, updated: 0, unchanged: 0)
      }
    } row: { row in
      if batch.first?.entity != row.entity || batch.count == Self.batchRows { try flush() }
      batch.append(row)
    }
    try flush()
    try fit.finishTables(model)
    let stored = try StoredModel(connection, address)
    let transaction = WriteTransaction(connection: connection, stored: stored)
    try transaction.begin(notesRuns: true)
    for entity in model.entities {
      guard let ranges = ids[entity.name], let last = ranges.last?.upperBound else { continue }
      try NewObjects(connection, entity, stored.number(of: entity)).note(ranges.joined)
      try connection.run(
        "SELECT setval(pg_get_serial_sequence($1, 'bolide_id'), $2)",
        [.text(quoted(entity.name)), .integer(last)])
      // The exact parts of sums are no values of the source's.
      for aggregates in try Aggregates.all(model) where aggregates.owner.name == entity.name {
        try connection.change(entity, aggregates.refresh("SELECT bolide_id FROM \(quoted(entity.name))"))
      }
    }
    return CopyReport(counts: counts, token: try transaction.end(author: author, pipeline: nil, run: nil))
  }

  private func write(_ rows: [Snapshot.Row], of entity: Entity) throws {
    let names = ["bolide_id"] + entity.properties.map(\.column)
    // All rows of an entity have their values in the same order.
    let places = entity.properties.map { property in
      rows.first?.values.firstIndex { $0.name == property.name }
    }
    for row in rows {
      for (property, place) in zip(entity.properties, places) {
        guard let place, !property.type.stored.holds(row.values[place].value) else { continue }
        throw StoreError.copyHasOtherValue(property.name, property.type.stored, of: entity)
          .about(address.shown)
      }
    }
    try connection.copy(
      into: "\(quoted(entity.name))(\(names.map(quoted).joined(separator: ", ")))", columns: names.count,
      rows: rows.count
    ) { row, fields in
      fields.append(rows[row].id)
      for (property, place) in zip(entity.properties, places) {
        fields.append(stored: place.map { rows[row].values[$0].value } ?? .null, property.type.stored)
      }
    }
  }
}

extension [ClosedRange<Int64>] {
  /// The same ids in as few ranges as may be.
  fileprivate var joined: Self {
    reduce(into: []) { joined, range in
      if let last = joined.last, last.upperBound + 1 == range.lowerBound {
        joined[joined.count - 1] = last.lowerBound...range.upperBound
      } else {
        joined.append(range)
      }
    }
  }
}
