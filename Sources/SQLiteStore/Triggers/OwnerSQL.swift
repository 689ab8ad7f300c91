internal import ImportModel
internal import SQLiteAccess

/// What a child's insertion, change and deletion do to the counts and sums of its owner that are kept at once.
///
/// An owner is updated once for a child, and only where a count or sum of it may change.
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

  /// The child's column for its owner.
  var column: String { toOne.column }
  /// The child's attributes that are summed.
  var summed: [String] { Set(members.compactMap { $0.children.attribute?.name }).sorted() }

  private var link: String { quoted(toOne.column) }

  var childInserted: [String] { update("NEW.\(link)", members, count: "+ 1", plus: "NEW") }

  var childDeleted: [String] { update("OLD.\(link)", members, count: "- 1", minus: "OLD") }

  /// A child gets another owner, or none: see `isMoved`.
  var childMoved: [String] {
    update("OLD.\(link)", members, count: "- 1", minus: "OLD")
      + update("NEW.\(link)", members, count: "+ 1", plus: "NEW")
  }

  var isMoved: String { Triggers.isChanged(toOne.column) }

  /// A child of an owner gets other values: see `isChanged`.
  var childChanged: [String] {
    update("NEW.\(link)", members.filter { $0.children.attribute != nil }, minus: "OLD", plus: "NEW")
  }

  var isChanged: String {
    "OLD.\(link) IS NEW.\(link) AND NEW.\(link) IS NOT NULL AND "
      + "(\(summed.map(Triggers.isChanged).joined(separator: " OR ")))"
  }

  /// Takes a child's values from an owner's sums and adds others, in one update of the owner.
  ///
  /// - Parameters:
  ///   - row: the owner's id, as SQL.
  ///   - count: what is done to the number of children.
  ///   - minus: the child's row with the values that are taken, `OLD`; nil for none.
  ///   - plus: that with the values that are added, `NEW`.
  private func update(
    _ row: String, _ members: [DerivedGroup.Member], count: String = "", minus: String? = nil,
    plus: String? = nil
  ) -> [String] {
    var (assignments, sums, marks): ([String], [String], [Invalidation]) = ([], [], [])
    let table = quoted(owner.name)
    let isOwner = "bolide_id = \(row)"
    let columns = SumSQL.columns.joined(separator: ", ")
    for (index, member) in members.enumerated() {
      let column = quoted(member.attribute.name)
      guard let summed = member.children.attribute?.name else {
        assignments.append("\(column) = \(column) \(count)")
        continue
      }
      let (old, new) = (minus.map { "\($0).\(quoted(summed))" }, plus.map { "\($0).\(quoted(summed))" })
      var last = column
      if member.attribute.hasParts {
        let parts = [column] + member.attribute.hiddenColumns.map { quoted($0.name) }
        last = parts[3]
        // Another value may have changed.
        let mayStay = old != nil && new != nil
        let sum = SumSQL.adding(to: parts, taking: old, adding: new, from: "\(table) WHERE \(isOwner)")
        sums.append(
          "INSERT INTO bolide_deriving(entity, object, part, \(columns))\n    "
            + "SELECT \(number), \(row), \(index), \(columns) FROM (\(sum))"
            + (mayStay ? " WHERE \(Triggers.isChanged(summed))" : ""))
        sums.append(SumSQL.addRest)
        // What four parts did not hold before, they do not hold now.
        let list = parts.joined(separator: ", ")
        assignments.append(
          "(\(list)) = (SELECT p5, p4, p3, CASE WHEN \(last) IS NOT NULL AND p0 = 0.0 AND p1 = 0.0 THEN p2 END "
            + "FROM bolide_deriving WHERE entity = \(number) AND object = \(row) AND part = \(index)"
            + (mayStay ? " UNION ALL SELECT \(list) LIMIT 1)" : ")"))
      } else {
        // Beyond 64 bits the result is a real, and the sum to be computed anew: it may be in range all the same.
        let sum =
          column + (old.map { " - ifnull(\($0), 0)" } ?? "") + (new.map { " + ifnull(\($0), 0)" } ?? "")
        assignments.append("\(column) = CASE typeof(\(sum)) WHEN 'integer' THEN \(sum) END")
      }
      marks.append(
        Invalidation(member.node.property, "bolide_id", from: table, when: "\(isOwner) AND \(last) IS NULL"))
    }
    let isMeant = "\(isOwner) AND NOT \(ReplaceSQL.isGoing(row, of: owner))"
    return [ForeignSQL.begin(number, row)] + sums
      + [
        "UPDATE \(table) SET \(assignments.joined(separator: ",\n    "))\n    WHERE \(isMeant)",
        ForeignSQL.check(owner, "changes() = 0 AND EXISTS (SELECT 1 FROM \(table) WHERE \(isMeant))"),
      ]
      + Invalidation.insert(marks) + [ForeignSQL.end(number, row)]
  }
}
