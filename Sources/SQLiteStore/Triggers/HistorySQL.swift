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

  var updated: [String] {
    let stored = columns.filter { !$0.isDerived }
    return [change(kind: 1, row: "NEW") + "\n    WHERE " + differs(stored)] + [previous(stored)]
  }

  /// Derived values that are written to a row as its insertion's last part are the insertion's.
  var derived: [String] {
    let derived = columns.filter(\.isDerived)
    let isInsertion = """
      EXISTS (SELECT 1 FROM bolide_change WHERE change = (SELECT max(change) FROM bolide_change) AND kind = 0 \
      AND entity = \(entity) AND first = NEW.bolide_id AND change > \(ChangeNumbers.assigned))
      """
    return [
      change(kind: 1, row: "NEW") + "\n    WHERE (\(differs(derived))) AND NOT \(isInsertion)",
      // Where the change was not booked, the last one is the insertion.
      "INSERT INTO bolide_previous(change, property, value) SELECT change, property, value FROM ("
        + derived.map {
          "SELECT \($0.number) AS property, OLD.\(quoted($0.column)) AS value WHERE \(Triggers.isChanged($0.column))"
        }.joined(separator: "\n    UNION ALL ")
        + ") JOIN bolide_change ON change = (SELECT max(change) FROM bolide_change) WHERE kind = 1",
    ]
  }

  var deleted: [String] {
    let previous = columns.map { column in
      let value = "OLD.\(quoted(column.column))"
      return
        "SELECT (SELECT max(change) FROM bolide_change), \(column.number), \(value) WHERE \(value) IS NOT NULL"
    }
    return [
      change(kind: 2, row: "OLD"),
      "INSERT INTO bolide_previous(change, property, value)\n    "
        + previous.joined(separator: "\n    UNION ALL "),
    ]
  }

  private func change(kind: Int, row: String) -> String {
    "INSERT INTO bolide_change(entity, kind, first, last) SELECT \(entity), \(kind), "
      + "\(row).bolide_id, \(row).bolide_id"
  }

  private func differs(_ columns: [PropertyNumbers.Column]) -> String {
    columns.map { Triggers.isChanged($0.column) }.joined(separator: "\n    OR ")
  }

  private func previous(_ columns: [PropertyNumbers.Column]) -> String {
    "INSERT INTO bolide_previous(change, property, value)\n    "
      + columns.map {
        "SELECT (SELECT max(change) FROM bolide_change), \($0.number), OLD.\(quoted($0.column)) WHERE \(Triggers.isChanged($0.column))"
      }.joined(separator: "\n    UNION ALL ")
  }
}
