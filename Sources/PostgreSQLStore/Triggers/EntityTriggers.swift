internal import Foundation
internal import ImportModel
internal import PostgreSQLAccess

/// The triggers of an entity's table: whoever writes, history and derived attributes come along in the same transaction.
///
///     before, for each row       copies, spellings and now() of the row itself       skipped by Bolide's own writers
///     after, for each statement  history, then aggregates of owners, then copies elsewhere
///
/// A statement's rows are seen as the tables `bolide_new` and `bolide_old`.
struct EntityTriggers {
  let entity: Entity
  let stored: StoredModel
  var model: Model { stored.model }
  private var table: String { quoted(entity.name) }
  var number: Int64 { stored.number(of: entity) }

  let aggregates: [Aggregates]

  init(_ entity: Entity, _ stored: StoredModel) throws {
    self.init(entity, stored, try Aggregates.all(stored.model))
  }

  /// - Parameter aggregates: all of the model.
  init(_ entity: Entity, _ stored: StoredModel, _ aggregates: [Aggregates]) {
    (self.entity, self.stored, self.aggregates) = (entity, stored, aggregates)
  }

  /// The names of the table's triggers. One before each row is there only where it has something to do: it would keep new rows from
  /// going into the table many at a time. It is the last one before a row, as the server calls them by their names: what another
  /// program's sets is what copies follow.
  var names: [String] { before.isEmpty ? Array(Self.allNames.dropFirst(2)) : Self.allNames }
  static let allNames = [
    "~bolide_before_insert", "~bolide_before_update", "bolide_after_insert", "bolide_after_delete",
    "bolide_after_update", "bolide_truncate",
  ]

  /// Makes functions and triggers.
  var statements: [String] {
    let events: [(name: String, tables: String, event: Event, body: String)] = [
      ("insert", "NEW TABLE AS bolide_new", .insert, inserted),
      ("delete", "OLD TABLE AS bolide_old", .delete, deleted),
      ("update", "OLD TABLE AS bolide_old NEW TABLE AS bolide_new", .update, updated),
    ]
    let rows = [("INSERT", Self.isDue), ("UPDATE", hasUpkeepBefore ? Self.isDue : "bolide_is_foreign()")]
      .map {
        trigger("~bolide_before_\($0.lowercased())", "BEFORE \($0)", "FOR EACH ROW WHEN (\($1))", "before")
      }
    return (before.isEmpty ? [] : function("before", before) + rows)
      + events.flatMap { name, tables, event, body in
        function(name, body, variables(event)) + [
          trigger(
            "bolide_after_\(name)", "AFTER \(name.uppercased())",
            "REFERENCING \(tables) FOR EACH STATEMENT"
              + (event == .update && isNotedAlong ? " WHEN (bolide_is_to_note())" : ""),
            name)
        ]
      }
      + function(
        "truncate",
        "RAISE EXCEPTION USING MESSAGE = "
          + "\(literal("\(entity.name): TRUNCATE would leave no history of the rows")), HINT = 'Use DELETE.';"
      ) + [trigger("bolide_truncate", "BEFORE TRUNCATE", "FOR EACH STATEMENT", "truncate")]
  }

  /// Whether a row is written by another program, or by a trigger: Bolide's own statements do the same themselves.
  private static let isDue = "pg_trigger_depth() > 0 OR \(isOther)"
  /// Whether the transaction is another program's.
  private static let isOther = "current_setting('bolide.writer', true) IS DISTINCT FROM 'own'"

  /// What conditions ask. The server reads a condition from its text for each statement: a function's name is the shorter text. It
  /// prepares each expression in a transaction when that is first reached, so what is often so is asked first. They run as whoever writes.
  static let conditions = [
    // Whether another program's statement writes a row, or one of its triggers, and not one of Bolide's for what it derives.
    condition(
      "bolide_is_foreign",
      """
      IF current_setting('bolide.noted', true) = pg_trigger_depth()::text THEN RETURN false; END IF;
      IF pg_trigger_depth() = 0 THEN RETURN \(isOther); END IF;
      RETURN current_setting('bolide.upkeep', true) IS DISTINCT FROM pg_trigger_depth()::text;
      """),
    // Whether a statement is to be noted by its own table's trigger, and not along with a row of another's.
    condition(
      "bolide_is_to_note",
      "RETURN current_setting('bolide.noted', true) IS DISTINCT FROM pg_trigger_depth()::text;"),
  ].flatMap(\.self)

  /// Whether a trigger's function is called for a statement of Bolide's own triggers for derived attributes: what `bolide_is_foreign`
  /// asks before it, one less deep.
  private static let isUpkeep = ["upkeep", "noted"].map {
    "coalesce(current_setting('bolide.\($0)', true), '') = (pg_trigger_depth() - 1)::text"
  }.joined(separator: " OR ")

  private static func condition(_ name: String, _ body: String) -> [String] {
    [
      """
      CREATE OR REPLACE FUNCTION \(name)() RETURNS boolean LANGUAGE plpgsql STABLE AS $$
      BEGIN \(body) END $$
      """, "GRANT EXECUTE ON FUNCTION \(name)() TO PUBLIC",
    ]
  }

  /// A trigger's function. Nobody else may make it the trigger of a table of theirs, which calls it with rows of their making; the table's
  /// own trigger is called for everybody.
  private func function(_ event: String, _ body: String, _ variables: [String] = []) -> [String] {
    // A text in a filter may hold whatever would end the body.
    var tag = "$bolide$"
    while body.utf8.contains(tag.utf8) { tag = "$_\(tag.dropFirst())" }
    let name = "\(quoted("bolide_\(event)_\(number)"))()"
    return [
      """
      CREATE OR REPLACE FUNCTION \(name) RETURNS trigger
      LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT \(settings) AS \(tag)
      DECLARE
      \(variables.map { "\($0);" }.joined(separator: "\n"))
      BEGIN
      \(body)
      RETURN \(event == "before" ? "NEW" : "NULL");
      END \(tag)
      """, "REVOKE ALL ON FUNCTION \(name) FROM PUBLIC",
    ]
  }

  /// What is so whatever the session's settings: how values are written as texts, and more. Each costs some time with each call.
  private var settings: String {
    // What one of its rows changes of an owner may be noted along with it.
    let owned = aggregates.filter { $0.holder.name == entity.name }.flatMap(\.members).map(\.attribute.type)
    let types = (entity.properties.map(\.type) + owned).map(\.stored)
    // Whoever owns the tables may be shown only some of the rows (FORCE ROW LEVEL SECURITY): then the statement fails.
    var settings = ["SET row_security = off"]
    // Compiling a statement takes longer than it does.
    if !aggregates.isEmpty || model.entities.contains(where: { !Copy.all($0, model).isEmpty }) {
      settings.append("SET jit = off")
    }
    if types.contains(.binary) { settings.append("SET bytea_output = 'hex'") }
    if types.contains(where: { $0.storage == .real }) { settings.append("SET extra_float_digits = 1") }
    return settings.joined(separator: " ")
  }

  private func trigger(_ name: String, _ event: String, _ rest: String, _ function: String) -> String {
    "CREATE OR REPLACE TRIGGER \(quoted(name)) \(event) ON \(table) \(rest) "
      + "EXECUTE FUNCTION \(quoted("bolide_\(function)_\(number)"))()"
  }

  // MARK: Before a row

  /// Whether a row that a trigger changes may need anything.
  private var hasUpkeepBefore: Bool {
    entity.derivedAttributes.contains { $0.derivation == .now }
      || Copy.all(entity, model).contains { $0.folding == nil }
  }

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
      lines.append("IF TG_OP = 'UPDATE' AND NOT (\(Self.isUpkeep)) THEN")
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
    lines += firstLocks(copies)
    for copy in copies where copy.folding == nil {
      lines.append("IF \(isNew(copy.ownColumns)) THEN")
      if let column = copy.firstColumn {
        lines += copy.locks("= NEW.\(quoted(column))").dropFirst().map { "PERFORM \($0);" }
      }
      lines.append("NEW.\(quoted(copy.attribute.name)) := \(copy.value { "NEW.\(quoted($0))" });")
      lines.append("END IF;")
    }
    return lines.joined(separator: "\n")
  }

  /// Whether a row is new, or has other values in some columns than before, as SQL.
  private func isNew(_ columns: [String]) -> String {
    "TG_OP = 'INSERT'" + (columns.isEmpty ? "" : " OR \(changes(columns, "NEW", "OLD"))")
  }

  /// Locks the owners from which a row copies values, an entity's all at once in the order of their ids: others that write rows lock them
  /// in that order, too. Where the owners count rows, the trigger behind the statement changes them, and the one that was left with them.
  private func firstLocks(_ copies: [Copy]) -> [String] {
    var columns: [String: Set<String>] = [:]
    for copy in copies where copy.folding == nil {
      guard let column = copy.firstColumn, let owner = copy.firstPlace else { continue }
      columns[owner.name, default: []].insert(column)
    }
    return columns.sorted { $0.key < $1.key }.compactMap { name, columns in
      guard let owner = model.entity(named: name) else { return nil }
      let ids = columns.sorted().flatMap { column in
        (owner.isOwner ? ["OLD", "NEW"] : ["NEW"]).map { "\($0).\(quoted(column))" }
      }
      return """
        IF \(isNew(columns.sorted())) THEN
        PERFORM FROM \(quoted(name)) WHERE bolide_id IN (\(ids.joined(separator: ", "))) ORDER BY bolide_id \(owner.lock);
        END IF;
        """
    }
  }

  /// An instant as an attribute that is derived from the clock has it: what is smaller is cut off.
  static func now(_ attribute: Attribute, _ instant: String) -> String {
    guard case .date(let precision) = attribute.type else { return instant }
    let unit = ["second", "milliseconds", "microseconds"][precision.decimals / 3]
    return "date_trunc('\(unit)', \(instant))"
  }
}
