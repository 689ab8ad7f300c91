internal import ImportModel
internal import PostgreSQLAccess

/// Derived attributes of other objects that a statement's rows change.
///
/// Owners are locked in the order of their ids, and computed by the next statement: it sees what the one before has waited for.
/// Above READ COMMITTED no statement sees that; then owners are only marked.
extension EntityTriggers {
  /// What asks one row which derived attributes it changes, and what brings them up to date.
  func derived(_ event: Event) -> (questions: String, statements: String) {
    let parts = upkeeps(event).enumerated().map { place, upkeep in
      let need = Self.need(place)
      let asked = ["\(need) := true;"] + upkeep.questions
      return (
        upkeep.isNeeded == "true"
          ? asked.joined(separator: "\n")
          : "IF \(upkeep.isNeeded) THEN\n\(asked.joined(separator: "\n"))\nEND IF;",
        "IF NOT bolide_is_one OR \(need) THEN\n\(Self.asUpkeep(upkeep.statements))\nEND IF;"
      )
    }
    return (parts.map(\.0).joined(separator: "\n"), parts.map(\.1).joined(separator: "\n"))
  }

  /// Runs what writes derived attributes: nobody else may write them, so the triggers of the rows that it changes have to know it. It may
  /// run inside another such statement, which goes on behind it.
  private static func asUpkeep(_ statements: String) -> String {
    """
    bolide_upkeep := coalesce(current_setting('bolide.upkeep', true), '');
    bolide_noted := set_config('bolide.upkeep', pg_trigger_depth()::text, true);
    \(statements)
    bolide_noted := set_config('bolide.upkeep', bolide_upkeep, true);
    """
  }

  /// The variable that says whether one row needs what stands at a place of `upkeeps`.
  static func need(_ place: Int) -> String { "bolide_needs_\(place)" }

  /// All that follows, in order.
  func upkeeps(_ event: Event) -> [Upkeep] { owners(event) + copies(event) + spellings(event) }

  struct Upkeep {
    /// The columns of the rows that it follows.
    let sources: [String]
    /// Whether one row needs it, as SQL.
    let isNeeded: String
    /// Variables for one row, each with its type, and statements that set them where it is needed.
    var variables: [String] = []
    var questions: [String] = []
    let statements: String
  }

  /// Whether a row differs from another in some of its columns, as SQL.
  func changes(_ columns: [String], _ old: String = "o", _ new: String = "n") -> String {
    Set(columns).sorted().map { column in
      let type = entity.properties.first { $0.column == column }?.type.stored ?? .integer64
      return type.differs("\(old).\(quoted(column))", "\(new).\(quoted(column))")
    }.joined(separator: " OR ")
  }

  /// Whether one row came, went, or has other values in some columns than before.
  private func oneChanges(_ columns: [String], _ event: Event = .update) -> String {
    event == .update ? changes(columns, "bolide_was", "bolide_is") : "true"
  }

  /// The rows that came, went, or have other values in some columns than before: a condition from ` WHERE` on.
  private func changed(_ columns: [String], _ event: Event) -> String {
    guard event == .update else { return "" }
    return
      " WHERE bolide_id IN (SELECT o.bolide_id FROM \(old) AS o JOIN \(new) AS n USING (bolide_id) "
      + "WHERE \(changes(columns)))"
  }

  private func mark(_ ids: String, _ entity: Entity, sign: String = "") -> String {
    "INSERT INTO bolide_mark SELECT \(sign)\(stored.number(of: entity)), m.id FROM (\(ids)) AS m(id) "
      + "WHERE m.id IS NOT NULL;"
  }

  /// Marks rows for what depends on them and came in behind the snapshot of a transaction above READ COMMITTED, under their
  /// entity's negative number.
  private func markDependents(_ columns: [String]) -> String {
    let ids = "SELECT t.bolide_id FROM \(new) AS t\(changed(columns, .update))"
    return "\nIF NOT (\(Self.isReadCommitted)) THEN \(mark(ids, entity, sign: "-")) END IF;"
  }

  // MARK: Owners' aggregates

  private func owners(_ event: Event) -> [Upkeep] {
    aggregates.enumerated().flatMap { place, aggregates -> [Upkeep] in
      var upkeep: [Upkeep] = []
      if aggregates.holder.name == entity.name {
        upkeep.append(
          aggregates.onward == nil ? counted(aggregates, place, event) : held(aggregates, event))
      }
      if let onward = aggregates.onward, aggregates.destination.name == entity.name, event == .update,
        !aggregates.sources.isEmpty
      {
        let ids = """
          SELECT h.\(quoted(aggregates.toOne.column)) FROM \(quoted(aggregates.holder.name)) AS h
          JOIN \(old) AS o ON o.bolide_id = h.\(quoted(onward.column))
          JOIN \(new) AS n ON n.bolide_id = o.bolide_id WHERE \(changes(aggregates.sources))
          """
        upkeep.append(
          Upkeep(
            sources: aggregates.sources, isNeeded: oneChanges(aggregates.sources),
            statements: underLocks(aggregates.owner, ids, aggregates.refresh(ids))
              + markDependents(aggregates.sources)))
      }
      return upkeep
    }
  }

  /// Owners to which the rows lead, from all their objects: the rows are those of a relationship to many on both sides. Whoever changes
  /// an object at the other end meanwhile does not see them, so that is waited for.
  private func held(_ aggregates: Aggregates, _ event: Event) -> Upkeep {
    let columns = [aggregates.toOne.column] + (aggregates.onward.map { [$0.column] } ?? [])
    let ids = links(aggregates, columns, event)
    var lock = ""
    if let onward = aggregates.onward, event != .delete {
      let rows = event == .update ? new : "bolide_new"
      lock =
        aggregates.lockObjects("SELECT r.\(quoted(onward.column)) FROM \(rows) AS r").map {
          "PERFORM \($0);\n"
        } ?? ""
    }
    return Upkeep(
      sources: columns, isNeeded: oneChanges(columns, event),
      statements: lock + underLocks(aggregates.owner, ids, aggregates.refresh(ids)))
  }

  /// Owners to which the rows lead, by differences: the rows are what is counted.
  private func counted(_ aggregates: Aggregates, _ place: Int, _ event: Event) -> Upkeep {
    let columns = [aggregates.toOne.column] + aggregates.sources
    let ids = links(aggregates, columns, event)
    // Rows that are alike before and after take no part.
    let rows = tables(event).map {
      "SELECT \($0.sign) AS bolide_sign, r.* FROM \($0.table) AS r\(changed(columns, event))"
    }
    let links = event.rows.map { "\($0.name).\(quoted(aggregates.toOne.column))" }
    let passed = passed(aggregates, event)
    let all = underLocks(
      aggregates.owner, ids, aggregates.adjust(rows.joined(separator: " UNION ALL "), unless: passed.all))
    let isNeeded =
      "(\(oneChanges(columns, event))) AND coalesce(\(links.joined(separator: ", "))) IS NOT NULL"
    let one = aggregates.ofOneOwner(event)
    if one.members.isEmpty { return Upkeep(sources: columns, isNeeded: isNeeded, statements: all) }
    func named(_ difference: String) -> String { Self.difference(difference, place) }
    let isOneOwner = ([Self.isReadCommitted] + (event == .update ? ["\(links[0]) = \(links[1])"] : []))
    let id = named("id")
    let differences = one.differences(event.rows, named: named)
    return Upkeep(
      sources: columns, isNeeded: isNeeded,
      variables: ["\(id) bigint"] + differences.map(\.variable),
      questions: ["IF \(isOneOwner.joined(separator: " AND ")) THEN", "\(id) := \(links[0]);"]
        + differences.map(\.statement) + ["END IF;"],
      statements: """
        IF bolide_is_one AND \(id) IS NOT NULL THEN
        \(one.adjustOne(id, unless: passed.one, named))
        ELSE
        \(all)
        END IF;
        """)
  }

  /// Whether one row, or any of all, has other derived values by now than it came with, which extremes are found by: a statement inside
  /// that of the rows may have written them.
  private func passed(_ aggregates: Aggregates, _ event: Event) -> (one: String, all: String) {
    let attributes = aggregates.derivedOfExtremes
    if attributes.isEmpty || event == .delete { return ("false", "false") }
    func differs(_ row: String) -> String {
      let differences = attributes.map {
        $0.type.differs("\(row).\(quoted($0.name))", "x.\(quoted($0.name))")
      }
      return "x.bolide_id = \(row).bolide_id AND (\(differences.joined(separator: " OR ")))"
    }
    let table = quoted(entity.name)
    return (
      "EXISTS (SELECT FROM \(table) AS x WHERE \(differs("bolide_is")))",
      "EXISTS (SELECT FROM \(event == .update ? new : "bolide_new") AS n, \(table) AS x WHERE \(differs("n")))"
    )
  }

  /// The variable for a difference of the owner of some aggregates, or for the owner's id.
  static func difference(_ name: String, _ place: Int) -> String { "bolide_owner_\(place)_\(name)" }

  /// The ids of owners to which rows lead that came, went, or have other values in some columns than before.
  private func links(_ aggregates: Aggregates, _ columns: [String], _ event: Event) -> String {
    tables(event).map {
      "SELECT \(quoted(aggregates.toOne.column)) FROM \($0.table) AS r\(changed(columns, event))"
    }.joined(separator: " UNION ")
  }

  private static let isReadCommitted = "current_setting('transaction_isolation') = 'read committed'"

  private func underLocks(_ owner: Entity, _ ids: String, _ statement: String) -> String {
    """
    IF \(Self.isReadCommitted) THEN
    PERFORM FROM \(quoted(owner.name)) WHERE bolide_id \(Aggregates.isAny(of: ids)) ORDER BY bolide_id FOR NO KEY UPDATE;
    \(changing(owner, statement))
    ELSE \(mark(ids, owner)) END IF;
    """
  }

  // MARK: Copies elsewhere

  private func copies(_ event: Event) -> [Upkeep] {
    model.entities.flatMap { Copy.all($0, model) }.flatMap { copy in
      copy.dependents(on: entity, "").enumerated().compactMap { index, dependents -> Upkeep? in
        // A row that is new or gone matters only where it leads back itself.
        let columns = dependents.columns
        let isBackward = columns.count == 2
        guard event == .update || isBackward else { return nil }
        let found = tables(event).map { row in
          copy.dependents(on: entity, "SELECT * FROM \(row.table) AS t\(changed(columns, event))")[index]
        }
        let ids = found.map(\.query).joined(separator: " UNION ")
        // The last ones are those that are there now.
        let locks = (found.last?.locks ?? []).map { "PERFORM \($0);\n" }.joined()
        return Upkeep(
          sources: columns, isNeeded: oneChanges(columns, event),
          statements: (copy.folding == nil ? locks + take(copy, ids) : mark(ids, copy.entity))
            + (isBackward ? "" : markDependents(columns)))
      }
    }
  }

  /// Gives objects a copy's present value.
  private func take(_ copy: Copy, _ ids: String) -> String {
    let (table, isAny) = (quoted(copy.entity.name), Aggregates.isAny(of: ids))
    return """
      PERFORM FROM \(table) WHERE bolide_id \(isAny) ORDER BY bolide_id FOR NO KEY UPDATE;
      \(changing(copy.entity, copy.update(isAny)))
      """
  }

  /// Runs what a `RowUpdate` of an entity's rows is.
  private func changing(_ entity: Entity, _ statement: String) -> String {
    "\(statement) INTO bolide_kept;\nIF bolide_kept THEN\n\(RowUpdate.raise(entity))\nEND IF;"
  }

  /// Spellings of what is the rows' own, or of what they lead to.
  private func spellings(_ event: Event) -> [Upkeep] {
    if event == .delete { return [] }
    return Copy.all(entity, model).filter {
      $0.folding != nil && (event == .insert || !$0.ownColumns.isEmpty)
    }.map { copy in
      Upkeep(
        sources: copy.ownColumns, isNeeded: oneChanges(copy.ownColumns, event),
        statements: mark("SELECT bolide_id FROM bolide_new\(changed(copy.ownColumns, event))", entity))
    }
  }
}
