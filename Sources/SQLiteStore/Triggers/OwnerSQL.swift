internal import ImportModel

/// What a child's insertion, change and deletion do to the counts and sums of its owner that are kept at once.
struct OwnerSQL {
  private let owner: Entity
  private let toOne: Relationship
  private let members: [DerivedGroup.Member]

  /// Nil where none of the group is kept at once.
  init?(_ group: DerivedGroup) {
    owner = group.owner
    toOne = group.toOne
    members = group.members.filter(\.node.isKeptAtOnce)
    if members.isEmpty { return nil }
  }

  private var link: String { quoted(toOne.column) }

  var childInserted: [String] { move("NEW", sign: "+", when: nil) }

  var childDeleted: [String] { move("OLD", sign: "-", when: nil) }

  var childUpdated: [String] {
    let moved = Triggers.isChanged(toOne.column)
    return move("OLD", sign: "-", when: moved) + move("NEW", sign: "+", when: moved) + revise
  }

  /// Adds a child to its owner, or takes it away.
  private func move(_ row: String, sign: String, when condition: String?) -> [String] {
    let changes = members.map { member in
      let summed = member.children.attribute.map { "ifnull(\(row).\(quoted($0.name)), 0)" }
      return Change(member, "\(sign)\(summed ?? "1")", rest: "0.0")
    }
    return update(changes, owner: "\(row).\(link)", when: condition)
  }

  /// Adds the difference when a summed value changed and the owner stayed.
  private var revise: [String] {
    let sums = members.compactMap { member -> (Change, String)? in
      guard let summed = member.children.attribute?.name else { return nil }
      let old = "ifnull(OLD.\(quoted(summed)), 0)"
      let new = "ifnull(NEW.\(quoted(summed)), 0)"
      // The difference of two doubles is a double and a rest, both exact.
      let difference = "(\(new) - \(old))"
      let part = "(\(difference) - \(new))"
      let rest = "((\(new) - (\(difference) - \(part))) + (-\(old) - \(part)))"
      return (Change(member, difference, rest: rest), Triggers.isChanged(summed))
    }
    guard !sums.isEmpty else { return [] }
    let differs = sums.map(\.1).joined(separator: " OR ")
    return update(
      sums.map(\.0), owner: "NEW.\(link)", when: "OLD.\(link) IS NEW.\(link) AND (\(differs))")
  }

  private struct Change {
    let member: DerivedGroup.Member
    let difference: String
    let rest: String
    var attribute: Attribute { member.attribute }
    init(_ member: DerivedGroup.Member, _ difference: String, rest: String) {
      self.member = member
      self.difference = difference
      self.rest = rest
    }
  }

  /// One statement that changes the owner's plain numbers and two-part sums together.
  private func update(_ changes: [Change], owner row: String, when condition: String?) -> [String] {
    var assignments: [String] = []
    var sources: [String] = []
    for (index, change) in changes.enumerated() {
      let column = quoted(change.attribute.name)
      if let low = change.attribute.lowPart {
        // A sum that leaves the range of a double has no low part: it is computed anew, see below.
        // The new parts have names that no attribute can have.
        let (high, rest) = ("bolide_sum_\(index).bolide_high", "bolide_sum_\(index).bolide_low")
        assignments.append("\(column) = ifnull(\(high), \(column))")
        assignments.append(
          "\(quoted(low)) = CASE WHEN abs(\(high)) <= 1.7976931348623157e308 THEN \(rest) END")
        sources.append(
          """
          (SELECT h AS bolide_high, r - (h - t) AS bolide_low FROM (SELECT t + r AS h, t, r FROM (SELECT a + b AS t, \
          l + ((a - ((a + b) - ((a + b) - a))) + (b - ((a + b) - a))) + \(change.rest) AS r FROM (\
          SELECT \(column) AS a, \(quoted(low)) AS l, \(change.difference) AS b FROM \(quoted(owner.name)) \
          WHERE bolide_id = \(row))))) AS bolide_sum_\(index)
          """)
      } else {
        let sign = change.difference.hasPrefix("-") || change.difference.hasPrefix("+") ? " " : " + "
        assignments.append("\(column) = \(column)\(sign)\(change.difference)")
      }
    }
    let from = sources.isEmpty ? "" : "\n    FROM \(sources.joined(separator: "\n    JOIN "))"
    let guarded = condition.map { " AND \($0)" } ?? ""
    var statements = [
      "UPDATE \(quoted(owner.name)) SET \(assignments.joined(separator: ",\n    "))\(from) "
        + "\n    WHERE bolide_id = \(row)\(guarded)"
    ]
    let overflowed = changes.compactMap { change -> Mark? in
      guard let low = change.attribute.lowPart else { return nil }
      return Mark(
        change.member.node.property, "o.bolide_id",
        from: "\(quoted(owner.name)) AS o", when: "o.bolide_id = \(row) AND o.\(quoted(low)) IS NULL")
    }
    statements += Mark.insert(overflowed)
    return statements
  }
}
