internal import ImportModel
internal import SQLiteAccess

/// What a child's insertion, change and deletion do to the counts and sums of its owner that are kept at once.
struct OwnerSQL {
  private let owner: Entity
  private let number: Int64
  private let toOne: Relationship
  private let members: [DerivedGroup.Member]

  /// Nil where none of the group is kept at once.
  init?(_ group: DerivedGroup, _ numbers: PropertyNumbers) {
    owner = group.owner
    number = numbers.entity(owner.name)
    toOne = group.toOne
    members = group.members.filter(\.node.isKeptAtOnce)
    if members.isEmpty { return nil }
  }

  private var link: String { quoted(toOne.column) }

  var childInserted: [String] {
    update("NEW.\(link)", count: "+ 1", minus: { _ in nil }, plus: { "NEW.\($0)" }, when: nil)
  }

  var childDeleted: [String] {
    update("OLD.\(link)", count: "- 1", minus: { "OLD.\($0)" }, plus: { _ in nil }, when: nil)
  }

  var childUpdated: [String] {
    let moved = "OLD.\(link) IS NOT NEW.\(link)"
    let values = members.compactMap(\.children.attribute).map { Triggers.isChanged($0.name) }
    // The owner that it had loses the child; the one that it has gets it, or has it already.
    let before = update(
      "OLD.\(link)", count: "- 1", minus: { "OLD.\($0)" }, plus: { _ in nil }, when: moved)
    let after = update(
      "NEW.\(link)", count: "+ (\(moved))",
      minus: { "CASE WHEN OLD.\(link) IS NEW.\(link) THEN OLD.\($0) END" }, plus: { "NEW.\($0)" },
      when: ([moved] + values).joined(separator: " OR "))
    return before + after
  }

  /// Takes a value from an owner's sums and adds another, in one update of the owner.
  ///
  /// - Parameters:
  ///   - row: the owner's id, as SQL.
  ///   - count: what it does to the number of children.
  ///   - minus: the value of a column that goes, as SQL; nil for none.
  ///   - plus: the value that comes.
  private func update(
    _ row: String, count: String, minus: (String) -> String?, plus: (String) -> String?,
    when condition: String?
  ) -> [String] {
    var (assignments, sums, marks): ([String], [String], [Invalidation]) = ([], [], [])
    let table = quoted(owner.name)
    let isThere =
      "bolide_id = \(row) AND NOT \(ReplaceSQL.isGoing(row, of: owner))"
      + (condition.map { " AND (\($0))" } ?? "")
    for (index, member) in members.enumerated() {
      let column = quoted(member.attribute.name)
      guard let summed = member.children.attribute.map({ quoted($0.name) }) else {
        assignments.append("\(column) = \(column) \(count)")
        continue
      }
      let (old, new) = (minus(summed), plus(summed))
      var last = column
      if member.attribute.hasParts {
        let parts = [column] + member.attribute.hiddenColumns.map { quoted($0.name) }
        last = parts[3]
        let added = [old.map { "-ifnull(\($0), 0.0)" } ?? "0.0", new.map { "ifnull(\($0), 0.0)" } ?? "0.0"]
        sums.append(
          "SELECT \(number), bolide_id, \(index), \(added.joined(separator: ", ")), ifnull(\(last), 0.0), \(parts[2]), "
            + "\(parts[1]), \(column) FROM \(table) WHERE \(isThere)")
        // What four parts did not hold before, they do not hold now.
        assignments.append(
          "(\(parts.joined(separator: ", "))) = (SELECT p5, p4, p3, "
            + "CASE WHEN \(last) IS NOT NULL AND p0 = 0.0 AND p1 = 0.0 THEN p2 END "
            + "FROM bolide_deriving WHERE entity = \(number) AND object = \(row) AND part = \(index))")
      } else {
        // Beyond 64 bits the result is a real, and the sum to be computed anew: it may be in range all the same.
        let sum =
          column + (old.map { " - ifnull(\($0), 0)" } ?? "") + (new.map { " + ifnull(\($0), 0)" } ?? "")
        assignments.append("\(column) = CASE typeof(\(sum)) WHEN 'integer' THEN \(sum) END")
      }
      marks.append(
        Invalidation(member.node.property, "bolide_id", from: table, when: "\(isThere) AND \(last) IS NULL"))
    }
    let begin =
      sums.isEmpty
      ? "INSERT INTO bolide_deriving(entity, object) SELECT \(number), bolide_id FROM \(table) WHERE \(isThere)"
      : "INSERT INTO bolide_deriving(entity, object, part, \(SumSQL.columns.joined(separator: ", ")))\n    "
        + sums.joined(separator: "\n    UNION ALL ")
    return [
      begin, "UPDATE \(table) SET \(assignments.joined(separator: ",\n    "))\n    WHERE \(isThere)",
    ] + Invalidation.insert(marks) + [ForeignSQL.end(number, row)]
  }
}
