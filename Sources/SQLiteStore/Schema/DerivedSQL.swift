internal import ImportModel

/// The derived attributes that an entity's rows add up to in one owner entity, as SQL for the triggers.
struct DerivedSQL {
  let owner: Entity
  let child: Entity
  let toOne: Relationship
  /// The owner's attributes that are derived over the relationship.
  let attributes: [Attribute]

  /// For each relationship of the entity to an owner with derived attributes, what is derived there.
  static func owners(of child: Entity, in model: Model) -> [DerivedSQL] {
    child.toOneRelationships.compactMap { toOne in
      guard let inverse = toOne.inverse, let owner = model.entity(named: toOne.destination) else {
        return nil
      }
      let attributes = owner.derivedAttributes.filter { $0.derivation?.relationship == inverse }
      guard !attributes.isEmpty else { return nil }
      return DerivedSQL(owner: owner, child: child, toOne: toOne, attributes: attributes)
    }
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
        assignments.append("\(column) = ifnull(s\(index).h, \(column))")
        assignments.append(
          "\(quoted(low)) = CASE WHEN abs(s\(index).h) <= 1.7976931348623157e308 THEN s\(index).l END")
        sources.append(
          """
          (SELECT h, r - (h - t) AS l FROM (SELECT t + r AS h, t, r FROM (SELECT a + b AS t, \
          l + ((a - ((a + b) - ((a + b) - a))) + (b - ((a + b) - a))) + \(change.rest) AS r FROM (\
          SELECT \(column) AS a, \(quoted(low)) AS l, \(change.difference) AS b FROM \(quoted(owner.name)) \
          WHERE bolide_id = \(row))))) AS s\(index)
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
    let lows = changes.compactMap(\.attribute.lowPart).map { "\(quoted($0)) IS NULL" }
    if !lows.isEmpty {
      statements.append(
        "INSERT OR IGNORE INTO bolide_dirty(entity, object) SELECT (SELECT entity FROM bolide_entity WHERE name = "
          + "\(literal(owner.name))), bolide_id FROM \(quoted(owner.name)) WHERE bolide_id = \(row) "
          + "AND (\(lows.joined(separator: " OR ")))")
    }
    return statements
  }
}
