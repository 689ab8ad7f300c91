internal import ImportModel
internal import PostgreSQLAccess

/// What follows a statement: its history, then what is derived from its rows elsewhere.
///
/// Other programs write one row in most statements. So one query asks whether there are more, and what one row needs; what it
/// needs is done by statements that begin quickly.
extension EntityTriggers {
  /// What a statement did to its rows.
  enum Event {
    case insert, delete, update

    /// The rows before and after: the table that has them, what one of them is called, and -1 where it was there or 1 where it is
    /// now.
    var rows: [(table: String, name: String, sign: Int)] {
      let (old, new) = (("bolide_old", "bolide_was", -1), ("bolide_new", "bolide_is", 1))
      return switch self {
      case .insert: [new]
      case .delete: [old]
      case .update: [old, new]
      }
    }
  }

  /// An object that was deleted before in the transaction has been updated. One that was updated before is new: an upsert's updates
  /// are noted first, and what follows from them may be in its new rows.
  var inserted: String {
    let upkeep = derived(.insert)
    return """
      \(look(.insert, upkeep.columns))
      IF NOT FOUND THEN RETURN NULL; END IF;
      IF \(hasNoRuns) THEN
        \(noteOne(.insert, "1, false, NULL::integer[], NULL::text[]"))
        IF NOT (FOUND AND bolide_row.is_one) THEN
          INSERT INTO bolide_change AS c (transaction, entity, id, kind)
            SELECT bolide_row.transaction, \(number), bolide_id, 1 FROM bolide_new ORDER BY bolide_id
            ON CONFLICT (transaction, entity, id) DO UPDATE SET kind = CASE c.kind WHEN 3 THEN 2 ELSE 1 END,
              properties = CASE c.kind WHEN 3 THEN c.properties END, previous = CASE c.kind WHEN 3 THEN c.previous END;
        END IF;
      END IF;
      \(upkeep.statements)
      """
  }

  var deleted: String {
    func noted(_ row: String) -> (properties: String, previous: String) {
      self.noted(row) { column, _ in "\(row).\(column) IS NOT NULL" }
    }
    let (values, one) = (noted("o"), noted("bolide_was"))
    let upkeep = derived(.delete)
    return """
      \(look(.delete, ["\(one.properties) AS properties", "\(one.previous) AS previous"] + upkeep.columns))
      IF NOT FOUND THEN RETURN NULL; END IF;
      DELETE FROM bolide_mark AS m USING bolide_old AS o WHERE m.entity = \(number) AND m.id = o.bolide_id;
      \(noteOne(.delete, "3, false, bolide_row.properties, bolide_row.previous"))
      IF NOT (FOUND AND bolide_row.is_one) THEN
        WITH undone AS (DELETE FROM bolide_change c USING bolide_old o
            WHERE c.transaction = bolide_row.transaction AND c.entity = \(number) AND c.id = o.bolide_id AND c.kind = 1
              AND c.last_id IS NULL RETURNING c.id)\(changesGone ? ", noted AS (" : "")
          INSERT INTO bolide_change AS c (transaction, entity, id, kind, properties, previous)
          SELECT bolide_row.transaction, \(number), o.bolide_id, 3, \(values.properties), \(values.previous) FROM bolide_old AS o
          WHERE NOT EXISTS (SELECT FROM undone WHERE undone.id = o.bolide_id) ORDER BY o.bolide_id
          ON CONFLICT (transaction, entity, id) DO UPDATE SET kind = 3, \(Self.merging)\(changesGone ? ") \(keepUndone)" : "");
      END IF;
      \(upkeep.statements)
      """
  }

  var updated: String {
    func rekeys(_ was: String, _ new: String) -> String {
      entity.keyColumns.map { "\(was).\(quoted($0)) IS DISTINCT FROM \(new).\(quoted($0))" }
        .joined(separator: " OR ")
    }
    func noted(_ was: String, _ new: String) -> (properties: String, previous: String) {
      self.noted(was) { column, type in type.differs("\(was).\(column)", "\(new).\(column)") }
    }
    let (values, one) = (noted("o", "n"), noted("bolide_was", "bolide_is"))
    let upkeep = derived(.update)
    return """
      \(look(
        .update,
        [
          "\(rekeys("bolide_was", "bolide_is")) AS rekeys",
          "\(one.properties) AS properties", "\(one.previous) AS previous",
        ] + upkeep.columns))
      IF NOT FOUND OR bolide_row.is_one AND bolide_row.properties IS NULL THEN RETURN NULL; END IF;
      \(noteOne(.update, "2, bolide_row.rekeys, bolide_row.properties, bolide_row.previous"))
      IF NOT (FOUND AND bolide_row.is_one) THEN
        \(lookAgain)
        IF EXISTS (SELECT FROM bolide_old WHERE bolide_id NOT IN (SELECT bolide_id FROM bolide_new)) THEN
          RAISE EXCEPTION 'bolide_id is Bolide''s own and stays' USING HINT = 'Delete the row, and insert another.';
        END IF;
        INSERT INTO bolide_change AS c (transaction, entity, id, kind, rekeys, properties, previous)
          SELECT bolide_row.transaction, \(number), o.bolide_id, 2, \(rekeys("o", "n")), \(values.properties), \(values.previous)
          FROM \(old) AS o JOIN \(new) AS n USING (bolide_id)
          WHERE (\(changes(entity.properties.map(\.column)))) AND NOT EXISTS (SELECT FROM bolide_change AS r
            WHERE r.transaction = bolide_row.transaction AND r.entity = \(number) AND r.last_id IS NOT NULL
              AND o.bolide_id BETWEEN r.id AND r.last_id)
            \(changesGone ? "AND o.bolide_id NOT IN (SELECT unnest(string_to_array(\(undone), ' ')::bigint[]))" : "")
          ORDER BY o.bolide_id
          ON CONFLICT (transaction, entity, id) DO UPDATE SET rekeys = c.rekeys OR excluded.rekeys,
            \(changesGone ? Self.mergingInOrder : Self.merging)
            WHERE c.kind = 2\(changesGone ? " OR c.kind = 3" : "");
      END IF;
      \(upkeep.statements)
      """
  }

  /// Asks whether a statement has one row, and what follows from that. Where history has its new rows as runs, an object's id is
  /// another one, or the object may be gone already, it is treated as one of many rows.
  private func look(_ event: Event, _ columns: [String]) -> String {
    let from = event.rows.map { "\($0.table) AS \($0.name)" }
    let row = event.rows[0]
    var stays = event == .update ? " AND bolide_was.bolide_id = bolide_is.bolide_id" : ""
    if event == .update && changesGone { stays += " AND coalesce(\(undone), '') = ''" }
    let columns =
      [
        "\(hasNoRuns)\(stays) AS is_one",
        "\(row.name).bolide_id AS id", "\(SystemTables.ownTransaction(stored.schema)) AS transaction",
      ] + columns
    // Asking whether there is a second row takes longer than reading on.
    return """
      FOR bolide_row IN SELECT \(columns.joined(separator: ",\n  ")) FROM \(from.joined(separator: ", ")) LOOP
        IF bolide_is_second THEN bolide_row.is_one := false; EXIT; END IF;
        bolide_is_second := true;
      END LOOP;
      """
  }

  /// Notes one row, unless the transaction has noted its object before: that needs more. `FOUND` says whether it has.
  ///
  /// - Parameter values: what is noted, as the columns of `bolide_change` from the kind on.
  private func noteOne(_ event: Event, _ values: String) -> String {
    """
    IF bolide_row.transaction IS NULL THEN
      \(noteAlong(event, values))
      \(SystemTables.makeTransaction(stored.schema)) INTO bolide_row.transaction;
      IF bolide_row.is_one THEN \(note(values)); END IF;
    ELSIF bolide_row.is_one THEN
      \(note(values)) ON CONFLICT DO NOTHING;
    END IF;
    """
  }

  /// Notes the one row, and others with it.
  ///
  /// - Parameter others: what is noted of each, as the columns of `bolide_change` from the entity on.
  func note(_ values: String, _ others: String...) -> String {
    let rows = (["\(number), bolide_row.id, \(values)"] + others).map { "(bolide_row.transaction, \($0))" }
    return "INSERT INTO bolide_change(transaction, entity, id, kind, rekeys, properties, previous) VALUES "
      + rows.joined(separator: ", ")
  }

  /// Whether the triggers write the history of new rows: an importer notes its own as runs of ids, which may hold a changed row. What
  /// another program's trigger makes of its rows it does not know.
  private var hasNoRuns: String {
    "(current_setting('\(TransactionSetting.runs(stored.schema))', true) IS DISTINCT FROM 'own' OR pg_trigger_depth() > 1)"
  }

  /// What was before in this transaction stays; what was not noted yet comes along.
  private static let merging = merged("c", "excluded").map { "\($0) = \($1)" }.joined(separator: ",\n")

  /// The same, where what is noted comes before a deletion that has been.
  private static let mergingInOrder = zip(merged("c", "excluded"), merged("excluded", "c"))
    .map { "\($0.0) = CASE c.kind WHEN 3 THEN \($1.1) ELSE \($0.1) END" }.joined(separator: ",\n")

  /// The columns of a change, each as it is with what another change has more.
  private static func merged(_ first: String, _ second: String) -> [(String, String)] {
    let others =
      "unnest(\(second).properties, \(second).previous) WITH ORDINALITY AS u(p, v, o) "
      + "WHERE p <> ALL (\(first).properties)"
    return [("properties", "p"), ("previous", "v")].map {
      ($0, "\(first).\($0) || (SELECT array_agg(\($1) ORDER BY o) FROM \(others))")
    }
  }

  /// What history notes of a row: numbers of properties, and their values as text; null for none.
  ///
  /// - Parameter isNoted: whether a property's value is noted, as SQL.
  private func noted(
    _ row: String, _ isNoted: (_ column: String, AttributeType) -> String
  ) -> (properties: String, previous: String) {
    let parts = entity.properties.map { property in
      let column = quoted(property.column)
      let type = property.type.stored
      let text = type.historyText(ofColumn: "\(row).\(column)")
      return (stored.number(of: property.name, in: entity), isNoted(column, type), text)
    }
    return Self.arrays(parts)
  }

  /// Numbers of properties and values as text, of those for which a condition holds; null for none.
  static func arrays(_ parts: [(number: Int64, isTaken: String, text: String)]) -> (
    properties: String, previous: String
  ) {
    let parts = parts.sorted { $0.number < $1.number }
    let numbers = parts.map { "CASE WHEN \($0.isTaken) THEN \($0.number) END" }.joined(separator: ", ")
    return (
      "nullif(array_remove(ARRAY[\(numbers)]::integer[], NULL), '{}')",
      joined(parts.map { "CASE WHEN \($0.isTaken) THEN ARRAY[\($0.text)] END" }[...])
    )
  }

  /// Arrays as one, where null is an empty one: in pairs of pairs, as each step copies what it has.
  private static func joined(_ arrays: ArraySlice<String>) -> String {
    if arrays.count < 2 { return arrays.first ?? "NULL::text[]" }
    let middle = (arrays.startIndex + arrays.endIndex) / 2
    return "(\(joined(arrays[..<middle])) || \(joined(arrays[middle...])))"
  }
}
