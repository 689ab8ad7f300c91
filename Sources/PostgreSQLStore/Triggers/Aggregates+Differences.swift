internal import ImportModel
internal import PostgreSQLAccess

/// Aggregates by what came and went.
///
///     n   how many more objects there are, or values        s   how much more their sum is
///     a   the extreme of the values that came               r   the extreme of those that went
///
/// Each has the member's place behind it, as in `n0`.
extension Aggregates {
  /// Brings owners up to date.
  ///
  /// - Parameters:
  ///   - rows: a subquery of the holder's rows with `bolide_sign`, 1 for one that is there now and -1 for one that was.
  ///   - isPassed: whether any of these is another one by now, as SQL: see `extreme`.
  func adjust(_ rows: String, unless isPassed: String) -> String {
    let link = "x.\(quoted(toOne.column))"
    var columns = ["\(link) AS owner"]
    for member in members {
      let place = member.place
      let filter = condition(member)
      guard let source = member.summarized else {
        columns.append("coalesce(sum(x.bolide_sign) FILTER (WHERE true\(filter)), 0)::bigint AS n\(place)")
        continue
      }
      let column = "x.\(quoted(source.name))"
      if member.isExtreme {
        for (letter, sign) in [("a", "1"), ("r", "-1")] {
          let function = Self.extreme(member.aggregate.function, column, source.type)
          columns.append("\(function) FILTER (WHERE x.bolide_sign = \(sign)\(filter)) AS \(letter)\(place)")
        }
      } else {
        let sum = ExactSum(column, source.type).aggregate(sign: "x.bolide_sign * ", condition: filter)
        let number = "sum(x.bolide_sign) FILTER (WHERE \(column) IS NOT NULL\(filter))"
        columns += ["\(sum) AS s\(place)", "coalesce(\(number), 0)::bigint AS n\(place)"]
      }
    }
    let differences =
      "(SELECT \(columns.joined(separator: ", ")) FROM (\(rows)) AS x WHERE \(link) IS NOT NULL GROUP BY \(link)) AS d"
    return update(assigned(unless: isPassed) { "d.\($0)" }, owners: differences)
  }

  /// The differences that one row makes, in PL/pgSQL.
  ///
  /// - Parameters:
  ///   - rows: the variables with the row before and after; both lead to one owner.
  ///   - named: which variable holds a difference.
  /// - Returns: these variables with their types, and statements that set them.
  func differences(_ rows: [EntityTriggers.Event.Row], named: (String) -> String) -> [(
    variable: String, statement: String
  )] {
    members.flatMap { member -> [(String, String)] in
      let place = member.place
      func difference(isTaken: (String) -> String, _ value: (String) -> String) -> String {
        rows.map { _, row, sign -> String in
          let condition = isTaken(row) + condition(member, of: row)
          return "\(sign < 0 ? "-" : "+") CASE WHEN \(condition) THEN \(value(row)) ELSE 0 END"
        }.joined(separator: " ")
      }
      func count(isTaken: (String) -> String) -> String {
        if member.aggregate.filter != nil { return difference(isTaken: isTaken) { _ in "1" } }
        return rows.map { "\($0.sign < 0 ? "-" : "+") (\(isTaken($0.name)))::integer" }.joined(separator: " ")
      }
      let number = named("n\(place)")
      guard let source = member.summarized else {
        return [("\(number) integer", "\(number) := \(count { _ in "true" });")]
      }
      func column(_ row: String) -> String { "\(row).\(quoted(source.name))" }
      if member.isExtreme {
        return [("a", 1), ("r", -1)].map { letter, sign in
          let value = rows.first { $0.sign == sign }.map { _, row, _ in
            "CASE WHEN true\(condition(member, of: row)) THEN \(Self.comparable(column(row), source.type)) END"
          }
          let name = named("\(letter)\(place)")
          return ("\(name) \(Self.comparableType(source.type))", value.map { "\(name) := \($0);" } ?? "")
        }
      }
      func isThere(_ row: String) -> String { "\(column(row)) IS NOT NULL" }
      func exact(_ row: String) -> ExactSum { ExactSum(column(row), source.type) }
      let sum = named("s\(place)")
      return [
        (
          "\(sum) numeric",
          rows.count == 2 && member.aggregate.filter == nil
            ? ExactSum.difference(exact(rows[1].name), exact(rows[0].name), into: sum)
            : "\(sum) := trim_scale(\(difference(isTaken: isThere) { exact($0).value }));"
        ),
        ("\(number) integer", "\(number) := \(count(isTaken: isThere));"),
      ]
    }
  }

  /// Brings one owner up to date by the differences that one row makes, in PL/pgSQL.
  ///
  /// No query reads the owner but the one that changes it: it waits for whoever else does, and goes on from what that one has
  /// left. An extreme may have to look at all of the owner's objects; then another query waits before it.
  ///
  /// - Parameters:
  ///   - isPassed: whether the row is another one by now, as SQL: see `extreme`.
  ///   - difference: what holds one.
  func adjustOne(_ id: String, unless isPassed: String, _ difference: (String) -> String) -> String {
    let table = quoted(owner.name)
    let values = stored(assigned(unless: isPassed, difference))
    let differs =
      "(\(values.map { "o.\(quoted($0.0))" }.joined(separator: ", "))) IS DISTINCT FROM "
      + "(\(values.map(\.1).joined(separator: ", ")))"
    let check = """
      IF NOT FOUND AND EXISTS (SELECT FROM \(table) AS o WHERE o.bolide_id = \(id) AND \(differs)) THEN
        \(RowUpdate.raise(owner))
      END IF;
      """
    let update = updateOne(id, unless: isPassed, difference)
    if haveExtreme {
      return """
        PERFORM FROM \(table) WHERE bolide_id = \(id) FOR NO KEY UPDATE;
        \(update) AND \(differs);
        \(check)
        """
    }
    return "IF \(areDifferent(difference)) THEN\n\(update);\n\(check)\nEND IF;"
  }

  /// The statement that adds the differences to one owner `o`.
  func updateOne(
    _ id: String, unless isPassed: String = "false", _ difference: (String) -> String
  ) -> String {
    let set = stored(assigned(unless: isPassed, difference)).map { "\(quoted($0.0)) = \($0.1)" }.joined(
      separator: ", ")
    return "UPDATE \(quoted(owner.name)) AS o SET \(set) WHERE o.bolide_id = \(id)"
  }

  /// Whether there is any extreme, which its owner has to be looked at for.
  var haveExtreme: Bool { members.contains(where: \.isExtreme) }

  /// The derived attributes of the objects whose extremes are looked for.
  var derivedOfExtremes: [Attribute] {
    members.filter(\.isExtreme).compactMap(\.source).filter { $0.derivation != nil }
  }

  /// Whether differences of counts and sums change anything.
  func areDifferent(_ difference: (String) -> String) -> String {
    members.flatMap { member in
      (member.summarized == nil ? ["n"] : ["s", "n"]).map { "\(difference("\($0)\(member.place)")) <> 0" }
    }.joined(separator: " OR ")
  }

  /// What counts, sums and means of an owner `o` were before differences were added to them.
  func before(_ difference: (String) -> String) -> [(attribute: Attribute, value: String)] {
    members.map { member in
      let place = member.place
      let (name, number) = (quoted(member.attribute.name), difference("n\(place)"))
      guard member.summarized != nil else { return (member.attribute, "o.\(name) - \(number)") }
      let (sumName, numberName) = (EntityTable.sum(member.attribute), EntityTable.number(member.attribute))
      let sum = "(o.\(quoted(sumName)) - \(difference("s\(place)")))"
      let total = member.total(sum, "(o.\(quoted(numberName)) - \(number))", isQuery: false)
      return (member.attribute, "(\(Self.stored(total, member)))::\(member.attribute.type.column)")
    }
  }

  /// The owner's columns, each with its value from the owner `o` and the differences.
  private func assigned(unless isPassed: String, _ difference: (String) -> String) -> [(String, String)] {
    members.flatMap { member -> [(String, String)] in
      let place = member.place
      let name = member.attribute.name
      let number = difference("n\(place)")
      guard let source = member.summarized else { return [(name, "o.\(quoted(name)) + \(number)")] }
      if member.isExtreme {
        return [
          (
            name,
            extreme(
              member, source, came: difference("a\(place)"), went: difference("r\(place)"), unless: isPassed)
          )
        ]
      }
      let (sumName, numberName) = (EntityTable.sum(member.attribute), EntityTable.number(member.attribute))
      let newSum = "o.\(quoted(sumName)) + \(difference("s\(place)"))"
      let newNumber = "o.\(quoted(numberName)) + \(number)"
      return [
        (sumName, newSum), (numberName, newNumber), (name, member.total(newSum, newNumber, isQuery: false)),
      ]
    }
  }

  /// What went may have been the extreme: then all of the owner's objects are looked at, unless what came is beyond it.
  ///
  /// Another program's trigger may have changed what came once more, or Bolide's own what of it is derived, and that is treated
  /// first: then they are looked at, too. Counts and sums are the same in any order.
  private func extreme(
    _ member: Member, _ source: Attribute, came: String, went: String, unless isPassed: String
  ) -> String {
    let isMinimum = member.aggregate.function == .min
    let (beyond, best) = isMinimum ? ("<", "least") : (">", "greatest")
    let own = Self.comparable("o.\(quoted(member.attribute.name))", source.type)
    // Without FILTER the server would look for the owner's objects along an index of the attribute, from its end.
    let function = Self.extreme(member.aggregate.function, "x.\(quoted(source.name))", source.type)
    let all = select("\(function) FILTER (WHERE true)", member)
    return """
      CASE WHEN NOT \(EntityTriggers.isAlone(holder)) OR \(isPassed) THEN \(all)
        WHEN \(went) IS NULL OR \(own) IS NULL OR \(went) \(isMinimum ? ">" : "<") \(own)
        THEN \(best)(\(own), \(came)) WHEN \(came) \(beyond)= \(own) THEN \(came) ELSE \(all) END
      """
  }
}

extension Aggregates.Member {
  /// The attribute whose values are summarized; nil where objects are counted.
  var summarized: Attribute? { aggregate.function == .count ? nil : source }

  var isExtreme: Bool { summarized != nil && [.min, .max].contains(aggregate.function) }
}
