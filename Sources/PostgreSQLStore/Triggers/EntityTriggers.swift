internal import Foundation
internal import ImportModel
internal import PostgreSQLAccess

/// The triggers of an entity's table: whoever writes, history and derived attributes come along in the same transaction.
///
///     before, for each row       copies, spellings and now() of the row itself       skipped by Bolide's own writers
///     after, for each statement  history, then aggregates of owners, then copies elsewhere
///
/// A statement's rows are seen as the tables `bolide_new` and `bolide_old`. Owners are locked in the order of their ids, and
/// computed by the next statement: it sees what the one before has waited for. Above READ COMMITTED no statement sees
/// that; then owners are only marked.
struct EntityTriggers {
  let entity: Entity
  let stored: StoredModel
  private var model: Model { stored.model }
  private var table: String { quoted(entity.name) }
  private var number: Int64 { stored.number(of: entity) }

  private let aggregates: [Aggregates]

  init(_ entity: Entity, _ stored: StoredModel) throws {
    (self.entity, self.stored) = (entity, stored)
    aggregates = try Aggregates.all(stored.model)
  }

  /// The names of the table's triggers. One before each row is there only where it has something to do: it would keep new rows from
  /// going into the table many at a time.
  var names: [String] {
    (before.isEmpty ? [] : ["bolide_before_insert", "bolide_before_update"])
      + ["bolide_after_insert", "bolide_after_delete", "bolide_after_update", "bolide_truncate"]
  }

  /// Makes functions and triggers.
  var statements: [String] {
    let events = [
      ("insert", "NEW TABLE AS bolide_new"), ("delete", "OLD TABLE AS bolide_old"),
      ("update", "OLD TABLE AS bolide_old NEW TABLE AS bolide_new"),
    ]
    let rows = ["INSERT", "UPDATE"].map { event in
      trigger(
        "before_\(event.lowercased())", "BEFORE \(event)", "FOR EACH ROW WHEN (\(Self.isForeign))", "before")
    }
    return (before.isEmpty ? [] : [function("before", "trigger", before)] + rows)
      + zip(events, [inserted, deleted, updated]).flatMap { event, body in
        [
          function(event.0, "trigger", body),
          trigger(
            "after_\(event.0)", "AFTER \(event.0.uppercased())", "REFERENCING \(event.1) FOR EACH STATEMENT",
            event.0),
        ]
      }
      + [
        function(
          "truncate", "trigger",
          "RAISE EXCEPTION USING MESSAGE = '\(entity.name.replacing("'", with: "''")): "
            + "TRUNCATE would leave no history of the rows', HINT = 'Use DELETE.';"),
        trigger("truncate", "BEFORE TRUNCATE", "FOR EACH STATEMENT", "truncate"),
      ]
  }

  /// Whether a row is written by another program, or by a trigger: Bolide's own statements do the same themselves.
  private static let isForeign =
    "pg_trigger_depth() > 0 OR "
    + "current_setting('bolide.writer', true) IS DISTINCT FROM pg_current_xact_id()::text"

  private func function(_ event: String, _ type: String, _ body: String) -> String {
    // A text in a filter may hold whatever would end the body.
    var tag = "$bolide$"
    while body.contains(tag) { tag = "$_\(tag.dropFirst())" }
    return """
      CREATE OR REPLACE FUNCTION \(quoted("bolide_\(event)_\(number)"))() RETURNS \(type)
      LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET timezone = 'UTC' SET datestyle = 'ISO, YMD'
      SET bytea_output = 'hex' SET extra_float_digits = 1 AS \(tag)
      DECLARE bolide_tx bigint;
      BEGIN
      \(body)
      RETURN \(event == "before" ? "NEW" : "NULL");
      END \(tag)
      """
  }

  private func trigger(_ name: String, _ event: String, _ rest: String, _ function: String) -> String {
    "CREATE OR REPLACE TRIGGER \(quoted("bolide_\(name)")) \(event) ON \(table) \(rest) "
      + "EXECUTE FUNCTION \(quoted("bolide_\(function)_\(number)"))()"
  }

  // MARK: Before a row

  private var before: String {
    let copies = Copy.all(entity, model)
    let derived = entity.derivedAttributes.flatMap { attribute -> [String] in
      let function = attribute.derivation?.aggregate?.function
      let hidden =
        [.sum, .average].contains(function)
        ? [EntityTable.sum(attribute), EntityTable.number(attribute)] : []
      return [attribute.name] + hidden
    }
    var lines: [String] = []
    if !derived.isEmpty {
      lines.append("IF TG_OP = 'UPDATE' AND pg_trigger_depth() = 1 THEN")
      lines += derived.map { "NEW.\(quoted($0)) := OLD.\(quoted($0));" }
      lines.append("END IF;")
      let blanks = entity.derivedAttributes.flatMap { attribute -> [String] in
        let function = attribute.derivation?.aggregate?.function
        let own = "NEW.\(quoted(attribute.name)) := \([.count, .sum].contains(function) ? "0" : "NULL");"
        guard [.sum, .average].contains(function) else { return [own] }
        return [
          own, "NEW.\(quoted(EntityTable.sum(attribute))) := 0;",
          "NEW.\(quoted(EntityTable.number(attribute))) := 0;",
        ]
      }
      lines += ["IF TG_OP = 'INSERT' THEN"] + blanks + ["END IF;"]
    }
    let times = entity.derivedAttributes.filter { $0.derivation == .now }
    if !times.isEmpty {
      let own =
        entity.writableAttributes.map { ($0.name, $0.type) }
        + entity.toOneRelationships.map { ($0.column, .integer64) }
      let changes = own.map { $1.differs("NEW.\(quoted($0))", "OLD.\(quoted($0))") }.joined(separator: " OR ")
      lines.append("IF TG_OP = 'INSERT' OR \(changes) THEN")
      lines += times.map { "NEW.\(quoted($0.name)) := \(Self.now($0, "clock_timestamp()"));" }
      lines.append("END IF;")
    }
    for copy in copies where copy.folding == nil {
      let changes = copy.ownColumns.map { differs($0, "NEW", "OLD") }
      lines.append("IF \((["TG_OP = 'INSERT'"] + changes).joined(separator: " OR ")) THEN")
      if let owner = copy.firstOwner {
        lines.append(
          "PERFORM FROM \(quoted(owner.entity.name)) WHERE bolide_id = NEW.\(quoted(owner.column)) FOR SHARE;"
        )
      }
      lines.append("NEW.\(quoted(copy.attribute.name)) := \(copy.value { "NEW.\(quoted($0))" });")
      lines.append("END IF;")
    }
    return lines.joined(separator: "\n")
  }

  /// An instant as an attribute that is derived from the clock has it: what is smaller is cut off.
  static func now(_ attribute: Attribute, _ instant: String) -> String {
    guard case .date(let precision) = attribute.type else { return instant }
    let unit = ["second", "milliseconds", "microseconds"][precision.decimals / 3]
    return "date_trunc('\(unit)', \(instant))"
  }

  private func mark(_ ids: String, _ entity: Entity? = nil) -> String {
    "INSERT INTO bolide_mark SELECT \(stored.number(of: entity ?? self.entity)), m.id FROM (\(ids)) AS m(id) "
      + "WHERE m.id IS NOT NULL ON CONFLICT DO NOTHING;"
  }

  // MARK: After a statement

  private var inserted: String {
    """
    IF NOT EXISTS (SELECT FROM bolide_new) THEN RETURN NULL; END IF;
    IF current_setting('bolide.runs', true) IS DISTINCT FROM pg_current_xact_id()::text THEN
      bolide_tx := bolide_transaction_id();
      INSERT INTO bolide_change AS c (transaction, entity, id, kind)
        SELECT bolide_tx, \(number), bolide_id, 1 FROM bolide_new ORDER BY bolide_id
        ON CONFLICT (transaction, entity, id) DO UPDATE SET kind = 2 WHERE c.kind = 3;
    END IF;
    \(owners(rows: ["SELECT 1 AS sign, n.* FROM bolide_new AS n"], touched: ["bolide_new"]))
    \(elsewhere(rows: ["SELECT * FROM bolide_new"], isUpdate: false))
    """
  }

  private var deleted: String {
    """
    IF NOT EXISTS (SELECT FROM bolide_old) THEN RETURN NULL; END IF;
    bolide_tx := bolide_transaction_id();
    WITH undone AS (DELETE FROM bolide_change c USING bolide_old o
        WHERE c.transaction = bolide_tx AND c.entity = \(number) AND c.id = o.bolide_id AND c.kind = 1
          AND c.last_id IS NULL RETURNING c.id)
      INSERT INTO bolide_change AS c (transaction, entity, id, kind, properties, previous)
      SELECT bolide_tx, \(number), o.bolide_id, 3, p.numbers, p.texts FROM bolide_old AS o CROSS JOIN LATERAL (
        SELECT array_agg(v.number ORDER BY v.number), array_agg(v.was ORDER BY v.number)
        FROM (VALUES \(valuesOf("o"))) AS v(number, was) WHERE v.was IS NOT NULL) AS p(numbers, texts)
      WHERE NOT EXISTS (SELECT FROM undone WHERE undone.id = o.bolide_id) ORDER BY o.bolide_id
      ON CONFLICT (transaction, entity, id) DO UPDATE SET kind = 3, \(Self.merging);
    DELETE FROM bolide_mark AS m USING bolide_old AS o WHERE m.entity = \(number) AND m.id = o.bolide_id;
    \(owners(rows: ["SELECT -1 AS sign, o.* FROM bolide_old AS o"], touched: ["bolide_old"]))
    \(elsewhere(rows: ["SELECT * FROM bolide_old"], isUpdate: false))
    """
  }

  private var updated: String {
    let differing = entity.properties.map { property in
      let (old, new) = ("o.\(quoted(property.column))", "n.\(quoted(property.column))")
      let type = property.type.stored
      return "(\(numbered(property)), \(type.historyText(ofColumn: old)), \(type.differs(old, new)))"
    }
    let rekeys = entity.keyColumns.map { "o.\(quoted($0)) IS DISTINCT FROM n.\(quoted($0))" }
    return """
      IF NOT EXISTS (SELECT FROM bolide_new) THEN RETURN NULL; END IF;
      IF EXISTS (SELECT FROM bolide_old WHERE bolide_id NOT IN (SELECT bolide_id FROM bolide_new)) THEN
        RAISE EXCEPTION 'bolide_id is Bolide''s own and stays' USING HINT = 'Delete the row, and insert another.';
      END IF;
      bolide_tx := bolide_transaction_id();
      INSERT INTO bolide_change AS c (transaction, entity, id, kind, rekeys, properties, previous)
        SELECT bolide_tx, \(number), o.bolide_id, 2, \(rekeys.joined(separator: " OR ")), p.numbers, p.texts
        FROM bolide_old AS o JOIN bolide_new AS n USING (bolide_id) CROSS JOIN LATERAL (
          SELECT array_agg(v.number ORDER BY v.number), array_agg(v.was ORDER BY v.number)
          FROM (VALUES \(differing.joined(separator: ", "))) AS v(number, was, differs) WHERE v.differs) AS p(numbers, texts)
        WHERE p.numbers IS NOT NULL AND NOT EXISTS (SELECT FROM bolide_change AS r
          WHERE r.transaction = bolide_tx AND r.entity = \(number) AND r.last_id IS NOT NULL
            AND o.bolide_id BETWEEN r.id AND r.last_id)
        ORDER BY o.bolide_id
        ON CONFLICT (transaction, entity, id) DO UPDATE SET rekeys = c.rekeys OR excluded.rekeys, \(Self.merging)
          WHERE c.kind = 2;
      \(owners(
        rows: ["SELECT -1 AS sign, o.* FROM bolide_old AS o", "SELECT 1, n.* FROM bolide_new AS n"],
        touched: ["bolide_old", "bolide_new"], isUpdate: true))
      \(elsewhere(rows: ["SELECT * FROM bolide_old", "SELECT * FROM bolide_new"], isUpdate: true))
      """
  }

  /// What was before in this transaction stays; what was not noted yet comes along.
  private static let merging = """
    properties = c.properties || (SELECT array_agg(p ORDER BY o) FROM unnest(excluded.properties)
      WITH ORDINALITY AS u(p, o) WHERE p <> ALL (c.properties)),
    previous = c.previous || (SELECT array_agg(v ORDER BY o) FROM unnest(excluded.properties, excluded.previous)
      WITH ORDINALITY AS u(p, v, o) WHERE p <> ALL (c.properties))
    """

  private func numbered(_ property: (name: String, column: String, type: AttributeType?)) -> Int64 {
    stored.number(of: property.name, in: entity)
  }

  private func valuesOf(_ alias: String) -> String {
    entity.properties.map { property in
      let text = property.type.stored.historyText(ofColumn: "\(alias).\(quoted(property.column))")
      return "(\(numbered(property)), \(text))"
    }.joined(separator: ", ")
  }

  // MARK: Owners' aggregates

  private func owners(rows: [String], touched: [String], isUpdate: Bool = false) -> String {
    aggregates.map { aggregates in
      var lines: [String] = []
      if aggregates.holder.name == entity.name {
        let column = quoted(aggregates.toOne.column)
        let ids = touched.map { "SELECT \(column) FROM \($0)" }.joined(separator: " UNION ")
        var columns = [aggregates.toOne.column] + (aggregates.onward.map { [$0.column] } ?? [])
        if aggregates.onward == nil { columns += aggregates.sources }
        lines += upkeep(aggregates, ids, rows, isUpdate ? columns : nil)
      }
      if aggregates.onward != nil, aggregates.destination.name == entity.name, isUpdate,
        !aggregates.sources.isEmpty
      {
        let ids = """
          SELECT h.\(quoted(aggregates.toOne.column)) FROM \(quoted(aggregates.holder.name)) AS h
          JOIN bolide_old AS o ON o.bolide_id = h.\(quoted(aggregates.onward?.column ?? ""))
          JOIN bolide_new AS n ON n.bolide_id = o.bolide_id WHERE \(changes(aggregates.sources))
          """
        lines += upkeep(aggregates, ids, rows, nil)
      }
      return lines.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  private func changes(_ columns: [String]) -> String {
    Set(columns).sorted().map { differs($0, "o", "n") }.joined(separator: " OR ")
  }

  /// Whether a column of the entity's has another value in one row than in another.
  private func differs(_ column: String, _ left: String, _ right: String) -> String {
    let type = entity.properties.first { $0.column == column }?.type.stored ?? .integer64
    return type.differs("\(left).\(quoted(column))", "\(right).\(quoted(column))")
  }

  /// Locks owners, and brings them up to date: by differences where the objects lead to them themselves.
  ///
  /// - Parameter columns: the columns whose change matters, of an update.
  private func upkeep(_ aggregates: Aggregates, _ ids: String, _ rows: [String], _ columns: [String]?)
    -> [String]
  {
    var rows = rows
    var ids = ids
    if let columns {
      // Rows that are alike before and after take no part.
      let changed =
        "bolide_id IN (SELECT o.bolide_id FROM bolide_old AS o JOIN bolide_new AS n USING (bolide_id) "
        + "WHERE \(changes(columns)))"
      rows = rows.map { "\($0) WHERE \($0.hasSuffix("AS o") ? "o" : "n").\(changed)" }
      ids = ids.components(separatedBy: " UNION ").map { "\($0) WHERE \(changed)" }.joined(
        separator: " UNION ")
    }
    let owner = quoted(aggregates.owner.name)
    let refresh =
      aggregates.onward == nil
      ? aggregates.adjust(rows.joined(separator: " UNION ALL ")) : aggregates.refresh(ids)
    return [
      "IF current_setting('transaction_isolation') = 'read committed' THEN",
      "PERFORM FROM \(owner) WHERE bolide_id IN (\(ids)) ORDER BY bolide_id FOR NO KEY UPDATE;",
      "\(refresh);",
      "ELSE \(mark(ids, aggregates.owner)) END IF;",
    ]
  }

  // MARK: Copies elsewhere

  private func elsewhere(rows: [String], isUpdate: Bool) -> String {
    var lines: [String] = []
    for other in model.entities {
      for copy in Copy.all(other, model) {
        for (index, _) in copy.dependents(on: entity, "").enumerated() {
          // A row that is new or gone matters only where it leads back itself.
          let columns = copy.dependents(on: entity, "")[index].columns
          let isBackward = columns.count == 2
          guard isUpdate || isBackward else { continue }
          let ids = rows.map { rows in
            let changed =
              isUpdate
              ? "\(rows) WHERE bolide_id IN (SELECT o.bolide_id FROM bolide_old AS o JOIN bolide_new AS n "
                + "USING (bolide_id) WHERE \(changes(columns)))" : rows
            return copy.dependents(on: entity, changed)[index].query
          }.joined(separator: " UNION ")
          if copy.folding != nil {
            lines.append(mark(ids, other))
          } else {
            let value = copy.value { "t.\(quoted($0))" }
            let type = copy.attribute.type
            lines.append(
              """
              PERFORM FROM \(quoted(other.name)) WHERE bolide_id IN (\(ids)) ORDER BY bolide_id FOR NO KEY UPDATE;
              UPDATE \(quoted(other.name)) AS t SET \(quoted(copy.attribute.name)) = \(value)
              WHERE t.bolide_id IN (\(ids)) AND \(type.differs("t.\(quoted(copy.attribute.name))", value));
              """)
          }
        }
      }
    }
    guard rows != ["SELECT * FROM bolide_old"] else { return lines.joined(separator: "\n") }
    // Spellings of what is the row's own, or of what it leads to.
    for copy in Copy.all(entity, model) where copy.folding != nil && !(isUpdate && copy.ownColumns.isEmpty) {
      let ids =
        isUpdate
        ? "SELECT n.bolide_id FROM bolide_old AS o JOIN bolide_new AS n USING (bolide_id) WHERE \(changes(copy.ownColumns))"
        : "SELECT bolide_id FROM bolide_new"
      lines.append(mark(ids))
    }
    return lines.joined(separator: "\n")
  }
}
