internal import ImportModel
internal import SQLiteAccess

/// What the triggers of a table append to history.
struct HistorySQL {
  private let entity: Int64
  private let columns: [PropertyNumbers.Column]

  init(_ entity: Entity, _ numbers: PropertyNumbers) {
    self.entity = numbers.entity(entity.name)
    columns = numbers.columns(of: entity)
  }

  var inserted: String { change(kind: 0, row: "NEW") }

  /// Of a row whose stored values have changed.
  var updated: [String] { [change(kind: 1, row: "NEW"), previous(columns.filter { !$0.isDerived })] }

  /// Of a row whose derived values have changed: see `isDerived`.
  var derived: [String] { [change(kind: 1, row: "NEW"), previous(columns.filter(\.isDerived))] }

  /// Whether derived values have changed. Those that are written to a row as its insertion's last part are the insertion's.
  var isDerived: String {
    let differs = columns.filter(\.isDerived).map { Triggers.isChanged($0.column) }.joined(separator: " OR ")
    return """
      (\(differs)) AND NOT EXISTS (SELECT 1 FROM bolide_change WHERE change = (SELECT max(change) FROM bolide_change) \
      AND kind = 0 AND entity = \(entity) AND first = NEW.bolide_id AND change > \(ChangeNumbers.assigned))
      """
  }

  var deleted: [String] {
    let previous = columns.map { column in
      let value = "OLD.\(quoted(column.column))"
      return "SELECT last_insert_rowid(), \(column.number), \(value) WHERE \(value) IS NOT NULL"
    }
    return [
      change(kind: 2, row: "OLD"),
      "INSERT INTO bolide_previous(change, property, value)\n    "
        + previous.joined(separator: "\n    UNION ALL "),
    ]
  }

  private func change(kind: Int, row: String) -> String {
    "INSERT INTO bolide_change(entity, kind, first, last) VALUES (\(entity), \(kind), "
      + "\(row).bolide_id, \(row).bolide_id)"
  }

  private func previous(_ columns: [PropertyNumbers.Column]) -> String {
    "INSERT INTO bolide_previous(change, property, value)\n    "
      + columns.map {
        "SELECT last_insert_rowid(), \($0.number), OLD.\(quoted($0.column)) WHERE \(Triggers.isChanged($0.column))"
      }.joined(separator: "\n    UNION ALL ")
  }
}
