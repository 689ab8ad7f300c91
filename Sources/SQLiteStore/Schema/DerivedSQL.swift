internal import ImportModel

/// What a child's insertion, change and deletion do to its owner's derived attributes, as SQL for the triggers.
struct DerivedSQL {
  private let owner: Entity
  private let toOne: Relationship
  private let attributes: [Attribute]

  init(_ group: DerivationGroup) {
    owner = group.owner
    toOne = group.toOne
    attributes = group.attributes
  }

  private var link: String { quoted(toOne.column) }

  var childInserted: [String] { move("NEW", sign: "+", when: nil) }

  var childDeleted: [String] { move("OLD", sign: "-", when: nil) }

  var childUpdated: [String] {
    let moved = "OLD.\(link) IS NOT NEW.\(link)"
    return move("OLD", sign: "-", when: moved) + move("NEW", sign: "+", when: moved) + revise
  }

  /// Adds a child to its owner, or takes it away.
  private func move(_ row: String, sign: String, when condition: String?) -> [String] {
    let changes = attributes.map { attribute -> Change in
      switch attribute.derivation {
      case .sum(_, let summed): Change(attribute, "\(sign)ifnull(\(row).\(quoted(summed)), 0)", rest: "0.0")
      default: Change(attribute, "\(sign)1", rest: "0.0")
      }
    }
    return update(changes, owner: "\(row).\(link)", when: condition)
  }

  /// Adds the difference when a summed value changed and the owner stayed.
  private var revise: [String] {
    let sums = attributes.compactMap { attribute -> (Change, String)? in
      guard case .sum(_, let summed) = attribute.derivation else { return nil }
      let old = "ifnull(OLD.\(quoted(summed)), 0)"
      let new = "ifnull(NEW.\(quoted(summed)), 0)"
      // The difference of two doubles is a double and a rest, both exact.
      let difference = "(\(new) - \(old))"
      let part = "(\(difference) - \(new))"
      let rest = "((\(new) - (\(difference) - \(part))) + (-\(old) - \(part)))"
      return (
        Change(attribute, difference, rest: rest), "OLD.\(quoted(summed)) IS NOT NEW.\(quoted(summed))"
      )
    }
    guard !sums.isEmpty else { return [] }
    let differs = sums.map(\.1).joined(separator: " OR ")
    return update(
      sums.map(\.0), owner: "NEW.\(link)", when: "OLD.\(link) IS NEW.\(link) AND (\(differs))")
  }

  private struct Change {
    let attribute: Attribute
    let difference: String
    let rest: String
    init(_ attribute: Attribute, _ difference: String, rest: String) {
      self.attribute = attribute
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
    let from = sources.isEmpty ? "" : " FROM \(sources.joined(separator: " JOIN "))"
    let guarded = condition.map { " AND \($0)" } ?? ""
    var statements = [
      "UPDATE \(quoted(owner.name)) SET \(assignments.joined(separator: ", "))\(from) "
        + "WHERE bolide_id = \(row)\(guarded)"
    ]
    let lows = changes.compactMap(\.attribute.lowPart).map { "o.\(quoted($0)) IS NULL" }
    if !lows.isEmpty {
      // Not OR IGNORE: the policy of the statement that fires the trigger, such as OR FAIL, would replace it.
      statements.append(
        "INSERT INTO bolide_dirty(entity, object) SELECT e.entity, o.bolide_id FROM \(quoted(owner.name)) AS o "
          + "JOIN bolide_entity AS e ON e.name = \(literal(owner.name)) WHERE o.bolide_id = \(row) "
          + "AND (\(lows.joined(separator: " OR "))) AND NOT EXISTS (SELECT 1 FROM bolide_dirty AS d "
          + "WHERE d.entity = e.entity AND d.object = o.bolide_id)")
    }
    return statements
  }
}
