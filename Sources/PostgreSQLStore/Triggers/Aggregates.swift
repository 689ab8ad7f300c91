internal import ImportModel
internal import PostgreSQLAccess

/// The aggregates of one entity over one of its to-many relationships, which one statement brings up to date.
///
///     Region: count, total, largest over quakes   →   owner Region, holder Quake, toOne Quake.in, no onward
///     Tag: posts.@count, many-to-many             →   owner Tag, holder Post_tags, toOne its tags, onward its posts
struct Aggregates {
  let owner: Entity
  let holder: Entity
  let toOne: Relationship
  let destination: Entity
  let onward: Relationship?
  let members: [Member]

  struct Member {
    let attribute: Attribute
    let aggregate: Derivation.Aggregate
    /// The attribute of the objects; nil for a count.
    let source: Attribute?
    /// What objects have to meet, in SQL: those of the query's table `x`, and those in the triggers' variables. Empty for nothing.
    let conditions: [String: String]
    /// Its number among the owner's derived attributes, by which differences are called.
    let place: Int
  }

  /// All of a model.
  ///
  /// - Throws: `Untranslated` for a filter that has no translation.
  static func all(_ model: Model) throws -> [Aggregates] {
    try model.entities.flatMap { owner in
      try owner.relationships.compactMap { relationship -> Aggregates? in
        guard let many = model.toMany(relationship),
          let holder = model.entity(named: many.holder.name)
        else { return nil }
        let members = try owner.derivedAttributes.enumerated().compactMap { place, attribute -> Member? in
          guard let aggregate = attribute.derivation?.aggregate, aggregate.relationship == relationship.name
          else { return nil }
          return Member(
            attribute: attribute, aggregate: aggregate,
            source: aggregate.attribute.flatMap(many.destination.attribute(named:)),
            conditions: try aggregate.filter.map { filter in
              try Dictionary(
                uniqueKeysWithValues: ["x", "bolide_was", "bolide_is"].map {
                  ($0, try ConditionSQL.sql(filter, in: .row(many.destination, $0)))
                })
            } ?? [:], place: place)
        }
        if members.isEmpty { return nil }
        return Aggregates(
          owner: owner, holder: holder, toOne: many.toOne, destination: many.destination, onward: many.onward,
          members: members)
      }
    }
  }

  /// Those that an object may change of the one owner it had, has, or stays with: there it counts as before, whatever its values are.
  func ofOneOwner(_ event: EntityTriggers.Event) -> Aggregates {
    Aggregates(
      owner: owner, holder: holder, toOne: toOne, destination: destination, onward: onward,
      members: members.filter {
        event != .update || $0.aggregate.function != .count || $0.aggregate.filter != nil
      })
  }

  /// The columns of the objects that the members read.
  var sources: [String] {
    members.compactMap { $0.source?.name }
      + destination.storedAttributes.map(\.name).filter { name in
        members.contains { $0.aggregate.filter.map { Self.mayRead(name, $0) } == true }
      }
  }

  /// Whether a filter may read an attribute: it may write the name in another case, and a quote in it twice.
  private static func mayRead(_ name: String, _ filter: String) -> Bool {
    filter.lowercased().utf8.contains(name.lowercased().doubling(UInt8(ascii: "\"")).utf8)
  }

  /// Locks objects whose values the members read, of a relationship to many on both sides; nil where they read none.
  ///
  /// - Parameter ids: a subquery of their ids.
  /// - Returns: what is read, from FROM on.
  func lockObjects(_ ids: String) -> String? {
    if onward == nil || sources.isEmpty { return nil }
    let objects = quoted(destination.name)
    return "FROM \(objects) WHERE bolide_id \(Self.isAny(of: ids)) ORDER BY bolide_id \(destination.lock)"
  }

  /// A condition on an id that it is one of a subquery's, which is run first: as a join it could be run for each row of a table, in a session
  /// whose first statement was one of few rows.
  static func isAny(of ids: String) -> String { "= ANY (ARRAY(\(ids)))" }

  // MARK: From scratch

  /// Computes the members of some owners from their objects, as `RowUpdate` does.
  ///
  /// - Parameter owners: what gives their ids, as a subquery; one may come several times.
  func refresh(_ owners: String) -> String { update(members.flatMap(values), owners: totals(owners)) }

  /// Each member with its value from scratch, from `totals`.
  var truths: [(attribute: Attribute, value: String)] {
    members.compactMap { member in
      values(member).first { $0.0 == member.attribute.name }.map {
        (member.attribute, Self.stored($0.1, member))
      }
    }
  }

  /// What members are of some owners' objects, as a table `d` with an `owner`, and values that are called as differences are.
  ///
  /// Each owner's objects are looked up, and all its values computed at once. A session keeps the plan of its first statement: a join of all
  /// owners would be planned for as many as that one had.
  ///
  /// - Parameter owners: what gives their ids, as a subquery.
  func totals(_ owners: String) -> String {
    let columns = members.flatMap { member -> [String] in
      let (place, condition) = (member.place, condition(member))
      guard let source = member.summarized else {
        return ["count(*) FILTER (WHERE true\(condition)) AS n\(place)"]
      }
      let column = "x.\(quoted(source.name))"
      if member.isExtreme {
        let extreme = Self.extreme(member.aggregate.function, column, source.type)
        return ["\(extreme) FILTER (WHERE true\(condition)) AS a\(place)"]
      }
      return [
        "\(ExactSum(column, source.type).aggregate(condition: condition)) AS s\(place)",
        "count(\(column)) FILTER (WHERE true\(condition)) AS n\(place)",
      ]
    }
    return """
      (SELECT k.owner, t.* FROM (SELECT DISTINCT * FROM (\(owners)) AS k) AS k(owner)
        CROSS JOIN LATERAL (SELECT \(columns.joined(separator: ", ")) FROM \(objects("k.owner"))) AS t) AS d
      """
  }

  /// The objects `x` of an owner. OFFSET keeps the server from going through all there are where it does not know how many an owner has.
  private func objects(_ owner: String) -> String {
    let table = quoted(destination.name)
    let link = quoted(toOne.column)
    guard let onward else { return "\(table) AS x WHERE x.\(link) = \(owner)" }
    return """
      \(quoted(holder.name)) AS h CROSS JOIN LATERAL (
        SELECT * FROM \(table) AS x WHERE x.bolide_id = h.\(quoted(onward.column)) OFFSET 0) AS x WHERE h.\(link) = \(owner)
      """
  }

  /// An aggregate function's value over the objects `x` of the owner `o`.
  func select(_ function: String, _ member: Member) -> String {
    "(SELECT \(function) FROM \(objects("o.bolide_id"))\(condition(member)))"
  }

  func condition(_ member: Member, of row: String = "x") -> String {
    member.conditions[row].map { " AND (\($0))" } ?? ""
  }

  /// A member's columns, each with its value from `totals`.
  private func values(_ member: Member) -> [(String, String)] {
    let (name, place) = (member.attribute.name, member.place)
    if member.summarized == nil { return [(name, "d.n\(place)")] }
    if member.isExtreme { return [(name, "d.a\(place)")] }
    let (sum, number) = ("d.s\(place)", "d.n\(place)")
    return [
      (EntityTable.sum(member.attribute), sum), (EntityTable.number(member.attribute), number),
      (name, member.total(sum, number, isQuery: false)),
    ]
  }

  // MARK: Parts

  /// Gives owners new values where they differ, as `RowUpdate` does.
  ///
  /// - Parameters:
  ///   - assigned: columns, each with its value of the owner `o` and what `owners` has of it.
  ///   - owners: a table `d` whose `owner` is an id.
  func update(_ assigned: [(String, String)], owners: String) -> String {
    let stored = stored(assigned)
    let values = stored.enumerated().map { "\($1.1) AS v\($0)" }
    let before = stored.enumerated().map { "o.\(quoted($1.0)) AS w\($0)" }
    let (is_, was) = (stored.indices.map { "v\($0)" }, stored.indices.map { "w\($0)" })
    return RowUpdate(
      entity: owner, columns: stored.map(\.0),
      rows: """
        SELECT * FROM (SELECT o.bolide_id, \((values + before).joined(separator: ", "))
          FROM \(owners) JOIN \(quoted(owner.name)) AS o ON o.bolide_id = d.owner) AS x
        WHERE (\(was.joined(separator: ", "))) IS DISTINCT FROM (\(is_.joined(separator: ", ")))
        """
    ).statement
  }

  /// Values as the owner's columns hold them.
  func stored(_ assigned: [(String, String)]) -> [(String, String)] {
    assigned.map { column, value in
      guard let member = members.first(where: { $0.attribute.name == column }) else { return (column, value) }
      return (column, Self.stored(value, member))
    }
  }

  /// A value as the attribute's column holds it.
  static func stored(_ value: String, _ member: Member) -> String {
    switch member.attribute.type {
    case .boolean where [.min, .max].contains(member.aggregate.function): "(\(value))::boolean"
    case .uuid: "(\(value))::uuid"
    default: value
    }
  }

  static func comparable(_ column: String, _ type: AttributeType) -> String {
    switch type {
    case .boolean: "\(column)::integer"
    case .uuid: "\(column)::text COLLATE \"C\""
    default: column
    }
  }

  /// The type of what `comparable` gives.
  static func comparableType(_ type: AttributeType) -> String {
    switch type {
    case .boolean: "integer"
    case .uuid: "text COLLATE \"C\""
    default: type.column
    }
  }

  static func extreme(_ function: Derivation.Function, _ column: String, _ type: AttributeType)
    -> String
  {
    "\(function.rawValue)(\(comparable(column, type)))"
  }
}
