internal import ImportModel
internal import PostgreSQLAccess

/// The shortest way: a transaction's first statement, of one row, which changes counts and sums of one owner.
///
///     row ──differences──▶ owner, added by one update      what it was: what it is, less the differences
///      └───────────────────────┴──▶ history, by one insert
///
/// The owner's own trigger, which would note the same, is not called meanwhile: a setting says how deep in triggers. Where it would have
/// more to do, or another program has a trigger on the owner's table, which may change what no difference says, this way is not taken;
/// but such a trigger for each statement is called all the same, and what it writes, deeper, is noted.
extension EntityTriggers {
  /// Whether rows of this entity may be noted along with those of another.
  var isNotedAlong: Bool {
    aggregates.contains { aggregates in
      guard aggregates.owner.name == entity.name else { return false }
      let objects = EntityTriggers(aggregates.holder, stored, self.aggregates)
      return [.insert, .delete, .update].contains { objects.along($0)?.owner.entity.name == entity.name }
    }
  }

  /// The aggregates that one row may change, and their owner, where nothing else follows from it; nil where this way is never taken.
  private func along(_ event: Event) -> (place: Int, aggregates: Aggregates, owner: EntityTriggers)? {
    guard upkeeps(event).count == 1,
      let place = aggregates.firstIndex(where: { $0.holder.name == entity.name && $0.onward == nil }),
      aggregates[place].owner.name != entity.name, !aggregates[place].haveExtreme
    else { return nil }
    let owner = EntityTriggers(aggregates[place].owner, stored, aggregates)
    let sources =
      owner.upkeeps(.update).flatMap(\.sources) + Copy.all(owner.entity, model).flatMap(\.ownColumns)
    let isSource = aggregates[place].members.contains { sources.contains($0.attribute.name) }
    return isSource ? nil : (place, aggregates[place], owner)
  }

  /// Notes one row and its owner, and ends the trigger; nothing where this way is not taken.
  ///
  /// - Parameter values: what is noted of the row, as the columns of `bolide_change` from the kind on.
  func noteAlong(_ event: Event, _ values: String) -> String {
    guard let (place, all, owner) = along(event) else { return "" }
    let aggregates = all.ofOneOwner(event)
    if aggregates.members.isEmpty { return "" }
    func difference(_ name: String) -> String { Self.difference(name, place) }
    let id = difference("id")
    let results = aggregates.before(difference).enumerated().map { index, result in
      (
        columns: "o.\(quoted(result.attribute.name)) AS is_\(index), \(result.value) AS was_\(index)",
        number: stored.number(of: result.attribute.name, in: owner.entity),
        isTaken: result.attribute.type.differs("bolide_owner.is_\(index)", "bolide_owner.was_\(index)"),
        text: result.attribute.type.historyText(ofColumn: "bolide_owner.was_\(index)")
      )
    }
    // Noted where any of them differs.
    let before = Self.arrays(results.map { ($0.number, results.count == 1 ? "true" : $0.isTaken, $0.text) })
    let differsAlways =
      aggregates.members.allSatisfy { $0.aggregate.filter == nil }
      && (event == .update || aggregates.members.contains { $0.aggregate.function == .count })
    let differs = differsAlways ? "" : " AND (\(aggregates.areDifferent(difference)))"
    return """
      IF bolide_own IS NULL AND \(Self.need(0)) AND \(id) IS NOT NULL\(differs) THEN
        bolide_noted := set_config('bolide.noted', pg_trigger_depth()::text, true);
        \(aggregates.updateOne(id, difference)) AND \(Self.isAlone(owner.entity))
          RETURNING \(results.map(\.columns).joined(separator: ", ")) INTO bolide_owner;
        IF FOUND THEN
          bolide_noted := set_config('bolide.noted', '', true);
          bolide_own := \(SystemTables.newTransaction(stored.schema));
          IF \(results.map(\.isTaken).joined(separator: " OR ")) THEN
            \(note(event, values, "\(owner.number), \(id), 2, false, \(before.properties), \(before.previous)"));
          ELSE \(note(event, values));
          END IF;
          RETURN NULL;
        END IF;
        bolide_noted := set_config('bolide.noted', '', true);
        -- What another program's trigger has written belongs to the same transaction.
        bolide_own := \(SystemTables.ownTransaction(stored.schema));
      END IF;
      """
  }

  /// Whether an entity's table has no triggers but Bolide's, as SQL in a statement that reads or changes the table.
  static func isAlone(_ entity: Entity) -> String {
    "bolide_is_alone(\(literal(quoted(entity.name)))::regclass)"
  }

  /// The planner asks the first function, which it takes to be constant, and keeps the answer with the plan of the statement that it
  /// stands in: that statement must have the same table, so that a new trigger there makes the plan void. The second one sees what was
  /// committed a moment ago, where the first would have the snapshot of the statement that called the trigger.
  static let functions = [
    """
    CREATE OR REPLACE FUNCTION bolide_has_others(asked oid) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
    BEGIN
      RETURN EXISTS (SELECT FROM pg_trigger WHERE tgrelid = asked AND NOT tgisinternal
        AND tgname NOT IN (\(allNames.map { "'\($0)'" }.joined(separator: ", "))));
    END $$
    """,
    """
    CREATE OR REPLACE FUNCTION bolide_is_alone(asked oid) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
    BEGIN
      RETURN NOT bolide_has_others(asked);
    END $$
    """,
  ]
}
