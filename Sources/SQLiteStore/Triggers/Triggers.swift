internal import CSQLiteShims
internal import GRDB
internal import ImportModel
internal import SQLiteAccess

/// The triggers that keep history and derived attributes true when another program writes with plain SQL.
///
/// Several may fire for one event, in an order that is not defined: none needs what another of them does. They have conditions,
/// as a statement in a trigger costs something also where it does nothing. They use nothing but SQLite's own functions. An
/// import switches them off on its own connection and does the same work for a whole chunk.
///
/// Derived attributes are written while `bolide_deriving` has a row, and by nobody else: see `ForeignSQL`.
///
/// No trigger causes itself to fire, at whatever distance: then `PRAGMA recursive_triggers` makes no difference.
struct Triggers {
  let model: Model
  private let numbers: PropertyNumbers
  private let plan: DerivedPlan

  init(model: Model, numbers: PropertyNumbers) throws {
    self.model = model
    self.numbers = numbers
    plan = try DerivedPlan(model, numbers)
  }

  /// One trigger.
  struct Trigger {
    let name: String
    let sql: String
  }

  /// An entity's triggers.
  func all(of entity: Entity) -> [Trigger] {
    let history = HistorySQL(entity, numbers)
    let owners = DerivedGroup.all(in: plan).filter { $0.rank == 0 && $0.child.name == entity.name }
      .compactMap { OwnerSQL($0, numbers) }
    let scalars = ScalarSQL(entity, plan, numbers)
    let marks = InvalidationSQL(entity, plan, model)
    let replace = ReplaceSQL(entity, model)
    let foreign = ForeignSQL(entity, numbers)
    let booked = history.deleted + owners.flatMap { $0.childDeleted } + marks.deleted
    let deleted = booked + leaveChildren(entity, taking: replace.below)
    let stored = entity.writableAttributes.map(\.name) + entity.toOneRelationships.map(\.column)
    var triggers = owners.flatMap { triggersOfOwner(entity, $0) }
    if !foreign.columns.isEmpty {
      triggers.append(
        trigger(
          entity, "restore", "AFTER UPDATE OF \(foreign.columns.joined(separator: ", "))", foreign.updated,
          where: foreign.isAlone(besides: stored)))
    }
    triggers += [
      trigger(
        entity, "insert", "AFTER INSERT",
        replace.afterInsert + [history.inserted] + foreign.inserted + scalars.inserted
          + owners.flatMap { $0.childInserted } + marks.inserted),
      trigger(
        entity, "update", "AFTER UPDATE OF \(stored.map(quoted).joined(separator: ", "))",
        foreign.updated + replace.afterUpdate + history.updated + scalars.updated + marks.updated,
        where: stored.map(Self.isChanged).joined(separator: " OR ")),
      trigger(entity, "delete", "AFTER DELETE", [replace.deleted] + deleted),
      trigger(entity, "replaced", "AFTER UPDATE OF bolide_gone", deleted, on: replace.table),
      trigger(entity, "before_insert", "BEFORE INSERT", replace.beforeInsert),
      trigger(entity, "before_delete", "BEFORE DELETE", replace.beforeDelete),
      trigger(entity, "before_update", "BEFORE UPDATE OF \(replace.unique)", replace.beforeUpdate),
      Trigger(
        name: name(entity, "id"),
        sql: """
          CREATE TRIGGER \(quoted(name(entity, "id"))) BEFORE UPDATE OF bolide_id, rowid, _rowid_, oid ON \(quoted(entity.name))
          WHEN OLD.bolide_id IS NOT NEW.bolide_id BEGIN
            SELECT RAISE(ABORT, 'bolide_id is the identity of an object and never changes');
          END
          """),
    ]
    if entity.toOneRelationships.contains(where: { model.deleteRule(of: $0, in: entity) == .cascade }) {
      triggers.append(DeletionSQL(entity).trigger)
    }
    if !replace.below.isEmpty {
      triggers.append(
        trigger(
          entity, "below", "AFTER UPDATE OF bolide_below", booked + leaveChildren(entity, taking: []),
          on: replace.table))
    }
    let derived = entity.derivedAttributes.map { quoted($0.name) }.joined(separator: ", ")
    if !derived.isEmpty {
      triggers.append(
        trigger(
          entity, "derived", "AFTER UPDATE OF \(derived)", history.derived,
          where: "\(ForeignSQL.isDeriving) AND \(history.isDerived)"))
    }
    if !marks.derived.isEmpty {
      triggers.append(
        trigger(
          entity, "marks", "AFTER UPDATE OF \(derived)", marks.derived, where: ForeignSQL.isDeriving))
    }
    return triggers
  }

  private func triggersOfOwner(_ child: Entity, _ owner: OwnerSQL) -> [Trigger] {
    let schema = EntitySchema(entity: child, model: model)
    let moved = trigger(
      named: schema.triggerName("moved", by: owner.column), child,
      "AFTER UPDATE OF \(quoted(owner.column))", owner.childMoved, where: owner.isMoved)
    if owner.summed.isEmpty { return [moved] }
    let changed = trigger(
      named: schema.triggerName("changed", by: owner.column), child,
      "AFTER UPDATE OF \(owner.summed.map(quoted).joined(separator: ", "))", owner.childChanged,
      where: owner.isChanged)
    return [moved, changed]
  }

  /// A trigger that another program has put on one of the model's tables; nil when there is none.
  static func foreign(_ db: Database, model: Model) throws -> String? {
    let tables = Set(model.entities.map(\.name.caseFolded))
    let triggers = try RawStatement(
      db,
      "SELECT tbl_name, name FROM sqlite_schema WHERE type = 'trigger' AND substr(name, 1, 7) <> 'bolide_'")
    while try triggers.step() {
      if tables.contains((triggers.string(0) ?? "").caseFolded) { return triggers.string(1) }
    }
    return nil
  }

  /// Writes with no trigger firing: tables of Bolide's own, or what the triggers would do besides.
  static func silenced<Result>(_ db: Database, _ body: () throws -> Result) rethrows -> Result {
    bolide_enable_triggers(db.sqliteConnection, 0)
    defer { bolide_enable_triggers(db.sqliteConnection, 1) }
    return try body()
  }

  /// Whether a column of a trigger's row gets another value, as SQL.
  static func isChanged(_ column: String) -> String {
    "OLD.\(quoted(column)) IS NOT NEW.\(quoted(column))"
  }

  private func name(_ entity: Entity, _ event: String) -> String {
    "bolide_\(entity.name)_\(event)"
  }

  private func trigger(
    _ entity: Entity, _ event: String, _ when: String, _ statements: [String], on table: String? = nil,
    where condition: String? = nil
  ) -> Trigger {
    trigger(named: name(entity, event), entity, when, statements, on: table, where: condition)
  }

  private func trigger(
    named name: String, _ entity: Entity, _ when: String, _ statements: [String], on table: String? = nil,
    where condition: String?
  ) -> Trigger {
    Trigger(
      name: name,
      sql: """
        CREATE TRIGGER \(quoted(name)) \(when) ON \(table ?? quoted(entity.name))\
        \(condition.map { " WHEN \($0)" } ?? "") BEGIN
        \(statements.map { "  \($0);" }.joined(separator: "\n"))
        END
        """)
  }

  /// What the foreign keys do to the rows that lead to an owner, for programs that leave these off, as the `sqlite3` shell does.
  ///
  /// In SQLite's order, the keys of the last table first: what a rule denies depends on what others have taken along by then.
  ///
  /// - Parameter below: what takes along the objects that go with one of their own entity, at the place of the first such key.
  private func leaveChildren(_ entity: Entity, taking below: [String]) -> [String] {
    var below = below
    return model.entities.enumerated().flatMap { index, holder in
      holder.toOneRelationships.enumerated().filter { $1.destination == entity.name }
        .map { (place: [index, $0], holder: holder, toOne: $1) }
    }.sorted { $1.place.lexicographicallyPrecedes($0.place) }.flatMap { _, holder, toOne -> [String] in
      let (table, column) = (quoted(holder.name), quoted(toOne.column))
      let isLeft = "EXISTS (SELECT 1 FROM \(table) WHERE \(column) = OLD.bolide_id)"
      let check = ForeignSQL.check(holder, isLeft)
      switch model.deleteRule(of: toOne, in: holder) {
      case .nullify: return ["UPDATE \(table) SET \(column) = NULL WHERE \(column) = OLD.bolide_id", check]
      case .cascade where holder.name == entity.name:
        defer { below = [] }
        return below
      case .cascade: return DeletionSQL(holder).statements(where: "\(column) = OLD.bolide_id")
      case .deny: return ["SELECT RAISE(ABORT, 'FOREIGN KEY constraint failed') WHERE \(isLeft)"]
      }
    }
  }
}
