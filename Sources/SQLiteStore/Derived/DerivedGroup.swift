internal import ImportModel
internal import SQLiteAccess

/// The aggregates of one rank of one owner entity over one of its to-many relationships.
///
/// What touches one of them touches all: they are read, changed and computed together.
struct DerivedGroup {
  let owner: Entity
  let child: Entity
  /// The child's relationship to its owner.
  let toOne: Relationship
  let rank: Int
  /// Of aggregates that read objects through links, those objects' entity and the link's relationship to it.
  let onward: (relationship: Relationship, entity: Entity)?
  /// Never empty.
  let members: [Member]
  /// For each member where it stands.
  let places: [Place]
  /// How many columns `select` gives.
  let columnCount: Int

  /// Where an attribute stands in a row that `select` gives.
  struct Place {
    let property: Int64
    let column: Int32
    /// Whether the parts of a sum stand in its column and in those behind it.
    let hasParts: Bool
    /// Whether it is null where no number of its type is the total.
    let isTotal: Bool
  }

  private init(
    owner: Entity, child: Entity, toOne: Relationship, rank: Int,
    onward: (relationship: Relationship, entity: Entity)?, members: [Member]
  ) {
    (self.owner, self.child, self.toOne, self.rank) = (owner, child, toOne, rank)
    (self.onward, self.members) = (onward, members)
    var places: [Place] = []
    var count = 0
    for member in members {
      let attribute = member.attribute
      places.append(
        Place(
          property: member.node.property, column: Int32(count), hasParts: attribute.hasParts,
          isTotal: attribute.isTotal))
      count += 1 + attribute.hiddenColumns.count
    }
    (self.places, columnCount) = (places, count)
  }

  struct Member {
    let node: DerivedNode
    let children: DerivedChildren
    var attribute: Attribute { node.attribute }
  }

  /// All groups of a plan, those of lower rank first.
  static func all(in plan: DerivedPlan) -> [DerivedGroup] {
    var groups: [DerivedGroup] = []
    for node in plan.nodes {
      guard let children = node.children else { continue }
      let member = Member(node: node, children: children)
      if let index = groups.firstIndex(where: { $0.holds(member) }) {
        groups[index] = groups[index].adding(member)
      } else {
        groups.append(
          DerivedGroup(
            owner: node.entity, child: children.entity, toOne: children.toOne, rank: node.rank,
            onward: children.readsThroughLinks ? children.onward : nil, members: [member]))
      }
    }
    return groups
  }

  private func holds(_ member: Member) -> Bool {
    owner.name == member.node.entity.name && child.name == member.children.entity.name
      && toOne.name == member.children.toOne.name && rank == member.node.rank
      && (onward != nil) == member.children.readsThroughLinks
  }

  private func adding(_ member: Member) -> DerivedGroup {
    DerivedGroup(
      owner: owner, child: child, toOne: toOne, rank: rank, onward: onward, members: members + [member])
  }

  /// The objects of an owner, as SQL behind `FROM`: the owner's id is the parameter.
  var objectsOfOwner: String {
    let rows = "\(quoted(child.name)) WHERE \(quoted(toOne.column)) = ?"
    guard let onward else { return rows }
    // No two links of an owner lead to one object.
    return
      "\(quoted(onward.entity.name)) WHERE bolide_id IN (SELECT \(quoted(onward.relationship.column)) FROM \(rows))"
  }

  /// The objects of all owners, as SQL behind `FROM`, in the order of `bolide_owner`.
  ///
  /// - Parameters:
  ///   - readingThem: whether anything is read of them. Then they are sorted, as the order of an index would look up each in its
  ///     own place.
  ///   - condition: which owners' are meant.
  func objectsByOwner(readingThem: Bool, where condition: String) -> String {
    let owner = quoted(toOne.column)
    guard let onward else {
      let order = readingThem ? "+bolide_owner" : "bolide_owner"
      return
        "(SELECT \(owner) AS bolide_owner, * FROM \(quoted(child.name))) WHERE \(condition) ORDER BY \(order)"
    }
    return """
      (SELECT \(owner) AS bolide_owner, \(quoted(onward.relationship.column)) AS bolide_linked FROM \(quoted(child.name)))
      CROSS JOIN \(quoted(onward.entity.name)) ON bolide_id = bolide_linked WHERE \(condition) ORDER BY +bolide_owner
      """
  }

  /// The owner's columns of the group: each attribute's, and behind it those that no one but Bolide reads.
  var columns: [String] {
    members.flatMap { [$0.attribute.name] + $0.attribute.hiddenColumns.map(\.name) }.map(quoted)
  }

  /// The statement that reads them of one owner.
  var select: String {
    "SELECT \(columns.joined(separator: ", ")) FROM \(quoted(owner.name)) WHERE bolide_id = ?"
  }

  /// The statement that writes them of one owner: the values in their order, then the object's id.
  var update: String {
    "UPDATE \(quoted(owner.name)) SET \(columns.map { "\($0) = ?" }.joined(separator: ", ")) WHERE bolide_id = ?"
  }
}
