internal import ImportModel
internal import PostgreSQLAccess

/// What follows a statement: its history, then what is derived from its rows elsewhere.
///
/// Other programs write one row in most statements. It is read into the variables `bolide_was` and `bolide_is`, which are asked what it
/// needs: the server looks up the functions of each expression when it is first reached, and not those of others. What the row needs is
/// done by statements that begin quickly.
extension EntityTriggers {
  /// What a statement did to its rows.
  enum Event {
    case insert, delete, update

    /// Rows before or after: the table that has them, the variable for one of them, and -1 where it was there or 1 where it is now.
    typealias Row = (table: String, name: String, sign: Int)

    var rows: [Row] {
      let (old, new) = (("bolide_old", "bolide_was", -1), ("bolide_new", "bolide_is", 1))
      return switch self {
      case .insert: [new]
      case .delete: [old]
      case .update: [old, new]
      }
    }
  }

  /// An object that was deleted before in the transaction has been updated: what history has no value of was null. One that was updated
  /// before is new: an upsert's updates are noted first, and what follows from them may be in its new rows.
  var inserted: String {
    let upkeep = derived(.insert)
    let others = parts("n") { column, _ in "n.\(column) IS NOT NULL" }.map {
      "CASE WHEN \($0.noted.isTaken) AND \($0.noted.number) <> ALL (coalesce(c.properties, '{}')) THEN \($0.noted.number) END"
    }
    let more = "array_remove(ARRAY[\(others.joined(separator: ", "))]::integer[], NULL)"
    return """
      \(look(.insert, checkNewOne + upkeep.questions))
      \(checkNew)
      IF \(hasNoRuns) THEN
        \(noteOne(.insert, "1, false, NULL::integer[], NULL::text[]"))
        IF NOT (FOUND AND bolide_is_one) THEN
          WITH again AS (UPDATE bolide_change AS c SET last_seq = nextval('bolide_change_seq'), kind = 2,
                properties = c.properties || \(more),
                previous = c.previous || array_fill(NULL::text, ARRAY[cardinality(\(more))])
              FROM bolide_new AS n WHERE c.transaction = bolide_own AND c.entity = \(number) AND c.id = n.bolide_id
                AND c.kind = 3 RETURNING c.id)
            INSERT INTO bolide_change(transaction, entity, id, kind)
            SELECT bolide_own, \(number), bolide_id, 1 FROM bolide_new AS n
            WHERE NOT EXISTS (SELECT FROM again WHERE again.id = n.bolide_id) ORDER BY bolide_id
            ON CONFLICT (transaction, entity, id)
              DO UPDATE SET last_seq = excluded.seq, kind = 1, properties = NULL, previous = NULL;
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
      \(look(
        .delete,
        "bolide_properties := \(one.properties);\nbolide_previous := \(one.previous);\n\(upkeep.questions)"))
      \(checkChildren)
      \(noteOne(.delete, "3, false, bolide_properties, bolide_previous"))
      IF NOT (FOUND AND bolide_is_one) THEN
        WITH undone AS (DELETE FROM bolide_change c USING bolide_old o
            WHERE c.transaction = bolide_own AND c.entity = \(number) AND c.id = o.bolide_id AND c.kind = 1
              AND c.last_id IS NULL RETURNING c.id)\(changesGone ? ", noted AS (" : "")
          INSERT INTO bolide_change AS c (transaction, entity, id, kind, properties, previous)
          SELECT bolide_own, \(number), o.bolide_id, 3, \(values.properties), \(values.previous) FROM bolide_old AS o
          WHERE NOT EXISTS (SELECT FROM undone WHERE undone.id = o.bolide_id) ORDER BY o.bolide_id
          ON CONFLICT (transaction, entity, id) DO UPDATE SET last_seq = excluded.seq, kind = 3,
            \(Self.merging)\(changesGone ? ") \(keepUndone)" : "");
      END IF;
      \(upkeep.statements)
      """
  }

  var updated: String {
    func rekeys(_ was: String, _ new: String) -> String {
      entity.keyColumns.map { "\(was).\(quoted($0)) IS DISTINCT FROM \(new).\(quoted($0))" }
        .joined(separator: " OR ")
    }
    let values = noted("o") { column, type in type.differs("o.\(column)", "n.\(column)") }
    // Few columns of one row differ in most statements.
    let one = parts("bolide_was") { $1.differs("bolide_was.\($0)", "bolide_is.\($0)") }.map {
      """
      IF \($0.noted.isTaken) THEN
        \(checkOne($0.column))bolide_properties := array_append(bolide_properties, \($0.noted.number));
        bolide_previous := array_append(bolide_previous, \($0.noted.text));
      END IF;

      """
    }
    let upkeep = derived(.update)
    return """
      \(look(
        .update,
        one.joined() + "IF bolide_properties IS NULL THEN RETURN NULL; END IF;\n\(upkeep.questions)"))
      \(noteOne(.update, "2, (\(rekeys("bolide_was", "bolide_is"))), bolide_properties, bolide_previous"))
      IF NOT (FOUND AND bolide_is_one) THEN
        \(lookAgain)
        \(checkChanged)
        -- NOT IN, planned for many rows, would go through them once for each.
        IF EXISTS (SELECT bolide_id FROM bolide_old EXCEPT SELECT bolide_id FROM bolide_new) THEN
          RAISE EXCEPTION 'bolide_id is Bolide''s own and stays' USING HINT = 'Delete the row, and insert another.';
        END IF;
        INSERT INTO bolide_change AS c (transaction, entity, id, kind, rekeys, properties, previous)
          SELECT bolide_own, \(number), o.bolide_id, 2, \(rekeys("o", "n")), \(values.properties), \(values.previous)
          FROM \(old) AS o JOIN \(new) AS n USING (bolide_id)
          WHERE (\(changes(entity.properties.map(\.column)))) AND NOT EXISTS (SELECT FROM bolide_change AS r
            WHERE r.transaction = bolide_own AND r.entity = \(number) AND r.last_id IS NOT NULL
              AND o.bolide_id BETWEEN r.id AND r.last_id)
            \(changesGone ? "AND NOT EXISTS (SELECT FROM unnest(string_to_array(\(undone), ' ')::bigint[]) AS u(id) WHERE u.id = o.bolide_id)" : "")
          ORDER BY o.bolide_id
          ON CONFLICT (transaction, entity, id) DO UPDATE SET last_seq = excluded.seq,
            rekeys = c.rekeys OR excluded.rekeys AND c.kind <> 1, \(Self.mergingUpdates)
            WHERE c.kind <> 1 OR excluded.properties && ARRAY[\(writable)]::integer[];
      END IF;
      \(upkeep.statements)
      """
  }

  /// Reads a statement's only row, and asks what follows from it; ends the trigger where there is none. Where history has its new rows
  /// as runs, an object's id is another one, or the object may be gone already, it is treated as one of many rows.
  ///
  /// - Parameter questions: statements that ask.
  private func look(_ event: Event, _ questions: String) -> String {
    let first = event.rows[0]
    // An import's own upkeep, or another program's trigger, may change one of a run from deeper in triggers.
    var isOne = event == .insert ? hasNoRuns : isNotImport
    if event == .update {
      isOne += " AND bolide_was.bolide_id = bolide_is.bolide_id"
      if changesGone { isOne += " AND coalesce(\(undone), '') = ''" }
    }
    // Asking whether there is a second row takes longer than reading on.
    return """
      FOR \(first.name) IN SELECT * FROM \(first.table) LOOP
        IF bolide_is_one THEN bolide_is_one := false; EXIT; END IF;
        bolide_is_one := true;
      END LOOP;
      IF bolide_is_one THEN
        \(event == .update ? "SELECT * INTO bolide_is FROM bolide_new;" : "")
        bolide_is_one := \(isOne);
      ELSIF NOT FOUND THEN RETURN NULL;
      END IF;
      IF bolide_is_one THEN
      \(questions)
      END IF;
      """
  }

  /// What a trigger's function holds: the one row, what is noted of it, and the number of the transaction. A value to begin with takes as
  /// long as a statement: what is null is not so.
  func variables(_ event: Event) -> [String] {
    event.rows.map { "\($0.name) \(quoted(entity.name))%ROWTYPE" }
      + [
        "bolide_is_one boolean",
        "bolide_own bigint := \(SystemTables.ownTransaction(stored.schema))",
      ]
      + (event == .insert ? [] : ["bolide_properties integer[]", "bolide_previous text[]"])
      + ["bolide_owner record", "bolide_noted text", "bolide_upkeep text", "bolide_kept boolean"]
      + (changesAgain && event == .update ? ["bolide_again boolean"] : [])
      + upkeeps(event).enumerated().flatMap { ["\(Self.need($0)) boolean"] + $1.variables }
  }

  /// Notes one row, unless the transaction has noted its object before: that needs more. `FOUND` says whether it has.
  ///
  /// - Parameter values: what is noted, as the columns of `bolide_change` from the kind on.
  private func noteOne(_ event: Event, _ values: String) -> String {
    """
    \(noteAlong(event, values))
    IF bolide_own IS NULL THEN
      bolide_own := \(SystemTables.newTransaction(stored.schema));
      IF bolide_is_one THEN \(note(event, values)); END IF;
    ELSIF bolide_is_one THEN
      \(note(event, values)) ON CONFLICT DO NOTHING;
    END IF;
    """
  }

  /// Notes the one row, and others with it.
  ///
  /// - Parameter others: what is noted of each, as the columns of `bolide_change` from the entity on.
  func note(_ event: Event, _ values: String, _ others: String...) -> String {
    let one = "\(number), \(event.rows[0].name).bolide_id, \(values)"
    let rows = ([one] + others).map { "(bolide_own, \($0))" }
    return "INSERT INTO bolide_change(transaction, entity, id, kind, rekeys, properties, previous) VALUES "
      + rows.joined(separator: ", ")
  }

  /// Whether the triggers write the history of new rows: an importer notes its own as runs of ids, which may hold a changed row. What
  /// another program's trigger makes of its rows it does not know.
  var hasNoRuns: String { "(\(isNotImport) OR pg_trigger_depth() > 1)" }

  private var isNotImport: String {
    "current_setting('\(TransactionSetting.runs(stored.schema))', true) IS DISTINCT FROM 'own'"
  }

  /// What was before in this transaction stays; what was not noted yet comes along.
  private static let merging = merged("c", "excluded").map { "\($0) = \($1)" }.joined(separator: ",\n")

  /// The same for an update. It comes before a deletion that is noted already, and of a new object no values before are told.
  private static let mergingUpdates = zip(merged("c", "excluded"), merged("excluded", "c"))
    .map { "\($0.0) = CASE c.kind WHEN 2 THEN \($0.1) WHEN 3 THEN \($1.1) END" }.joined(separator: ",\n")

  /// The numbers of what other programs set. A new object's place in history moves with these: what only follows from other rows changes
  /// many times in one transaction.
  private var writable: String {
    entity.properties.filter { entity.attribute(named: $0.name)?.derivation == nil }
      .map { "\(stored.number(of: $0.name, in: entity))" }.joined(separator: ", ")
  }

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
  ) -> (properties: String, previous: String) { Self.arrays(parts(row, isNoted).map(\.noted)) }

  /// What is noted of one property: its number, whether it is, and its value.
  typealias Noted = (number: Int64, isTaken: String, text: String)

  /// The same for each property, in the order of their numbers.
  private func parts(
    _ row: String, _ isNoted: (_ column: String, AttributeType) -> String
  ) -> [(column: String, noted: Noted)] {
    entity.properties.map { property in
      let column = quoted(property.column)
      let type = property.type.stored
      let text = type.historyText(ofColumn: "\(row).\(column)")
      return (property.column, (stored.number(of: property.name, in: entity), isNoted(column, type), text))
    }.sorted { $0.noted.number < $1.noted.number }
  }

  /// Numbers of properties and values as text, of those for which a condition holds; null for none.
  static func arrays(_ parts: [Noted]) -> (
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
