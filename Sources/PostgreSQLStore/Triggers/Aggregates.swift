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
    /// What the objects `x` have to meet; nil for nothing.
    let condition: String?
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
        let members = try owner.derivedAttributes.compactMap { attribute -> Member? in
          guard let aggregate = attribute.derivation?.aggregate, aggregate.relationship == relationship.name
          else { return nil }
          return Member(
            attribute: attribute, aggregate: aggregate,
            source: aggregate.attribute.flatMap(many.destination.attribute(named:)),
            condition: try aggregate.filter.map { try ConditionSQL.sql($0, in: .row(many.destination, "x")) })
        }
        if members.isEmpty { return nil }
        return Aggregates(
          owner: owner, holder: holder, toOne: many.toOne, destination: many.destination, onward: many.onward,
          members: members)
      }
    }
  }

  /// The columns of the objects that the members read.
  var sources: [String] {
    members.compactMap { $0.source?.name }
      + destination.storedAttributes.map(\.name).filter { name in
        members.contains { $0.aggregate.filter?.contains(name) == true }
      }
  }

  // MARK: From scratch

  /// Computes the members of some owners from their objects.
  ///
  /// - Parameter owners: what gives their ids, as a subquery.
  func refresh(_ owners: String) -> String {
    update(members.flatMap(values), owners: "(\(owners)) AS d(owner)")
  }

  /// Each member with its value from scratch, of the owner `o`.
  var truths: [(attribute: Attribute, value: String)] {
    members.compactMap { member in
      values(member).first { $0.0 == member.attribute.name }.map {
        (member.attribute, Self.stored($0.1, member))
      }
    }
  }

  /// An aggregate function's value over the objects `x` of the owner `o`.
  private func select(_ function: String, _ member: Member) -> String {
    let objects =
      onward.map { onward in
        "\(quoted(holder.name)) AS h JOIN \(quoted(destination.name)) AS x ON x.bolide_id = h.\(quoted(onward.column))"
      } ?? "\(quoted(destination.name)) AS x"
    let owner = "\(onward == nil ? "x" : "h").\(quoted(toOne.column))"
    return "(SELECT \(function) FROM \(objects) WHERE \(owner) = o.bolide_id\(condition(member)))"
  }

  private func condition(_ member: Member) -> String {
    member.condition.map { " AND (\($0))" } ?? ""
  }

  /// A member's columns, each with its value from scratch.
  private func values(_ member: Member) -> [(String, String)] {
    func select(_ function: String) -> String { self.select(function, member) }
    let name = member.attribute.name
    guard let source = member.source else { return [(name, select("count(*)"))] }
    let column = "x.\(quoted(source.name))"
    switch member.aggregate.function {
    case .count: return [(name, select("count(*)"))]
    case .min, .max: return [(name, select(Self.extreme(member.aggregate.function, column, source.type)))]
    case .sum, .average:
      let sum = select(Self.sum(column, source.type))
      let number = select("count(\(column))")
      return [
        (EntityTable.sum(member.attribute), sum), (EntityTable.number(member.attribute), number),
        (name, Self.total(member, sum, number)),
      ]
    }
  }

  // MARK: By differences

  /// Brings owners up to date by what came and went.
  ///
  /// - Parameter rows: a subquery of the holder's rows with `sign`, 1 for one that is there now and -1 for one that was.
  func adjust(_ rows: String) -> String {
    var columns = ["x.\(quoted(toOne.column)) AS owner"]
    var assigned: [(String, String)] = []
    for (place, member) in members.enumerated() {
      let filter = condition(member)
      let name = quoted(member.attribute.name)
      guard let source = member.source, member.aggregate.function != .count else {
        columns.append("coalesce(sum(x.sign) FILTER (WHERE true\(filter)), 0)::bigint AS n\(place)")
        assigned.append((member.attribute.name, "o.\(name) + d.n\(place)"))
        continue
      }
      let column = "x.\(quoted(source.name))"
      switch member.aggregate.function {
      case .count: break
      case .min, .max:
        let function = member.aggregate.function
        for (letter, sign) in [("a", "1"), ("r", "-1")] {
          columns.append(
            "\(Self.extreme(function, column, source.type)) FILTER (WHERE x.sign = \(sign)\(filter)) AS \(letter)\(place)"
          )
        }
        assigned.append((member.attribute.name, extreme(member, source, place)))
      case .sum, .average:
        let (sum, number) = (EntityTable.sum(member.attribute), EntityTable.number(member.attribute))
        let difference = Self.sum(column, source.type, sign: "x.sign * ", condition: filter)
        columns.append("\(difference) AS s\(place)")
        columns.append(
          "coalesce(sum(x.sign) FILTER (WHERE \(column) IS NOT NULL\(filter)), 0)::bigint AS n\(place)")
        let (newSum, newNumber) = ("o.\(quoted(sum)) + d.s\(place)", "o.\(quoted(number)) + d.n\(place)")
        assigned += [
          (sum, newSum), (number, newNumber), (member.attribute.name, Self.total(member, newSum, newNumber)),
        ]
      }
    }
    let differences =
      "(SELECT \(columns.joined(separator: ", ")) FROM (\(rows)) AS x "
      + "WHERE x.\(quoted(toOne.column)) IS NOT NULL GROUP BY x.\(quoted(toOne.column))) AS d"
    return update(assigned, owners: differences)
  }

  /// What went may have been the extreme: then all of the owner's objects are looked at, unless what came is beyond it.
  private func extreme(_ member: Member, _ source: Attribute, _ place: Int) -> String {
    let isMinimum = member.aggregate.function == .min
    let (beyond, best) = isMinimum ? ("<", "least") : (">", "greatest")
    let own = Self.comparable("o.\(quoted(member.attribute.name))", source.type)
    let (added, removed) = ("d.a\(place)", "d.r\(place)")
    let all = select(Self.extreme(member.aggregate.function, "x.\(quoted(source.name))", source.type), member)
    return """
      CASE WHEN \(removed) IS NULL OR \(own) IS NULL OR \(removed) \(isMinimum ? ">" : "<") \(own)
        THEN \(best)(\(own), \(added)) WHEN \(added) \(beyond)= \(own) THEN \(added) ELSE \(all) END
      """
  }

  // MARK: Parts

  private func update(_ assigned: [(String, String)], owners: String) -> String {
    let names = assigned.map { quoted($0.0) }
    let values = assigned.enumerated().map { place, one in
      let member = members.first { $0.attribute.name == one.0 }
      return "\(member.map { Self.stored(one.1, $0) } ?? one.1) AS v\(place)"
    }
    return """
      UPDATE \(quoted(owner.name)) AS t SET \(names.enumerated().map { "\($1) = v.v\($0)" }.joined(separator: ", "))
      FROM (SELECT o.bolide_id, \(values.joined(separator: ", "))
        FROM \(owners) JOIN \(quoted(owner.name)) AS o ON o.bolide_id = d.owner) AS v
      WHERE t.bolide_id = v.bolide_id AND
        (\(names.map { "t.\($0)" }.joined(separator: ", ")))
        IS DISTINCT FROM (\(names.indices.map { "v.v\($0)" }.joined(separator: ", ")))
      """
  }

  /// A value as the attribute's column holds it.
  private static func stored(_ value: String, _ member: Member) -> String {
    switch member.attribute.type {
    case .boolean where [.min, .max].contains(member.aggregate.function): "(\(value))::boolean"
    case .uuid: "(\(value))::uuid"
    default: value
    }
  }

  private static func comparable(_ column: String, _ type: AttributeType) -> String {
    switch type {
    case .boolean: "\(column)::integer"
    case .uuid: "\(column)::text COLLATE \"C\""
    default: column
    }
  }

  private static func extreme(_ function: Derivation.Function, _ column: String, _ type: AttributeType)
    -> String
  {
    "\(function.rawValue)(\(comparable(column, type)))"
  }

  /// An exact sum of values, as an expression over aggregate functions.
  ///
  /// Nearly every real number is a whole number of 2^-72 below 2^42: it is summed in two parts that are whole numbers
  /// themselves, as the server is fast with these. The others are taken apart one by one.
  ///
  ///     x = high × 2^-20 + low × 2^-72,   |low| < 2^52
  ///
  /// - Parameters:
  ///   - sign: what each value is multiplied by.
  ///   - condition: more that must hold of a row, from ` AND` on.
  private static func sum(
    _ column: String, _ type: AttributeType, sign: String = "", condition: String = ""
  ) -> String {
    func sum(_ value: String, _ isTaken: String = "true") -> String {
      "coalesce(sum(\(sign)\(value)) FILTER (WHERE \(isTaken)\(condition)), 0)"
    }
    guard type.storage == .real else { return sum("\(column)::numeric") }
    let high = "trunc(\(column) * 1048576)"
    let low = "(\(column) * 1048576 - \(high)) * 4503599627370496"
    let isUsual = "CASE WHEN abs(\(column)) < 4398046511104 THEN \(low) = trunc(\(low)) ELSE false END"
    return "trim_scale(\(sum("(\(high))::bigint", isUsual)) * 9.5367431640625e-7"
      + " + \(sum("(\(low))::bigint", isUsual)) * (9.5367431640625e-7 * 2.220446049250313080847263336181640625e-16)"
      + " + \(sum("bolide_exact(\(column))", "NOT (\(isUsual))")))"
  }

  private static func total(_ member: Member, _ sum: String, _ number: String) -> String {
    if member.aggregate.function == .average { return "bolide_mean(\(sum), \(number))" }
    return switch member.attribute.type {
    case .double, .float: "bolide_double(\(sum))"
    case .decimal(let scale):
      "CASE WHEN abs(\(sum)) <= 9223372036854775807 * '1e-\(scale)'::numeric THEN \(sum) END"
    default: "bolide_bigint(\(sum))"
    }
  }
}
