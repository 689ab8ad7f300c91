internal import ImportModel
internal import PostgreSQLAccess

/// A row that one statement changes several times: where what its links lead to is deleted, the server takes each link away by an update
/// of its own, and hands all of them to the triggers at once, in their order, with what the statement itself has updated.
///
///     DELETE Airport A, B        bolide_old          bolide_new
///     Flight 1: from A to B      from A to B         from null to B
///                                from null to B      from null to null
///     what it was and is         the first one       the last one
extension EntityTriggers {
  /// Whether that can be.
  var changesAgain: Bool {
    entity.toOneRelationships.contains { model.deleteRule(of: $0, in: entity) == .nullify }
  }

  /// Whether a row can be updated and go with what a link leads to, in one statement: the server may call the trigger for deletions
  /// before the one for updates.
  var changesGone: Bool {
    entity.toOneRelationships.contains { model.deleteRule(of: $0, in: entity) == .cascade }
  }

  /// What the trigger for deletions leaves for the one for updates: the ids of objects that came and went in the transaction, which
  /// history no longer has.
  var undone: String { "current_setting('\(undoneSetting)', true)" }
  private var undoneSetting: String { TransactionSetting.undone(number, stored.schema) }

  /// Ends a statement of which `undone` is a part, and notes its ids.
  var keepUndone: String {
    """
    SELECT set_config('\(undoneSetting)', concat_ws(' ', nullif(\(undone), ''), string_agg(id::text, ' ')), true)
      INTO bolide_noted FROM undone HAVING count(*) > 0
    """
  }

  /// Asks whether it is so, of a statement of several rows.
  var lookAgain: String {
    changesAgain
      ? "bolide_again := (SELECT count(*) > count(DISTINCT bolide_id) FROM bolide_new);" : ""
  }

  /// The rows of an update as they were, each once.
  var old: String { once("bolide_old", "ASC") }
  /// The rows of an update as they are, each once.
  var new: String { once("bolide_new", "DESC") }

  /// The rows before and after, each once, and -1 for those that were there or 1 for those that are there now.
  func tables(_ event: Event) -> [(table: String, sign: Int)] {
    event == .update ? [(old, -1), (new, 1)] : event.rows.map { ($0.table, $0.sign) }
  }

  private func once(_ table: String, _ order: String) -> String {
    guard changesAgain else { return table }
    return """
      (SELECT r.*, 0 AS bolide_place FROM \(table) AS r WHERE bolide_again IS NOT TRUE
        UNION ALL (SELECT DISTINCT ON (r.bolide_id) r.* FROM (SELECT *, row_number() OVER () AS bolide_place FROM \(table)) AS r
          WHERE bolide_again ORDER BY r.bolide_id, r.bolide_place \(order)))
      """
  }
}
