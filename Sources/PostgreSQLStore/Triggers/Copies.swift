internal import ImportModel
internal import PostgreSQLAccess

/// A derived attribute that is a copy of another one, at the end of a path of relationships to one object each, or a
/// spelling of it.
struct Copy {
  let entity: Entity
  let attribute: Attribute
  /// How the text is spelt otherwise; nil for a copy as it is.
  let folding: TextFolding?
  private let hops: [Hop]
  private let source: String

  /// One step of a path.
  private struct Hop {
    /// Where it leads.
    let destination: Entity
    /// The column of the place before that holds the destination's id; of a has-one relationship the destination's that
    /// holds the place's.
    let column: String
    let isBackward: Bool
  }

  /// All of an entity, those that read others of the same entity behind these.
  static func all(_ entity: Entity, _ model: Model) -> [Copy] {
    entity.derivedAttributes.compactMap { Copy($0, entity, model) }.sorted { left, right in
      model.rank(of: DerivedName(entity: entity.name, attribute: left.attribute.name))
        < model.rank(of: DerivedName(entity: entity.name, attribute: right.attribute.name))
    }
  }

  private init?(_ attribute: Attribute, _ entity: Entity, _ model: Model) {
    guard let path = attribute.derivation?.path, let source = path.last else { return nil }
    (self.entity, self.attribute, self.source) = (entity, attribute, source)
    folding = if case .folded(let folding, _) = attribute.derivation { folding } else { nil }
    if let (_, one, _) = model.copyOfOne(along: path, from: entity) {
      hops = [Hop(destination: one.destination, column: one.toOne.column, isBackward: true)]
    } else {
      hops = (model.hops(along: path, from: entity) ?? []).map {
        Hop(destination: $0.destination, column: $0.relationship.column, isBackward: false)
      }
    }
  }

  /// The source's value as SQL.
  ///
  /// - Parameter column: a column of the object, as in `NEW."in_id"`.
  func value(_ column: (String) -> String) -> String {
    if hops.isEmpty { return column(source) }
    var from = ""
    var condition = ""
    for (place, hop) in hops.enumerated() {
      let table = "\(quoted(hop.destination.name)) AS h\(place)"
      func before(_ name: String) -> String { place == 0 ? column(name) : "h\(place - 1).\(quoted(name))" }
      let on =
        hop.isBackward
        ? "h\(place).\(quoted(hop.column)) = \(before("bolide_id"))"
        : "h\(place).bolide_id = \(before(hop.column))"
      if place == 0 { (from, condition) = (table, on) } else { from += " JOIN \(table) ON \(on)" }
    }
    return "(SELECT h\(hops.count - 1).\(quoted(source)) FROM \(from) WHERE \(condition))"
  }

  /// The columns of the object itself on which the value depends.
  var ownColumns: [String] { hops.first.map { $0.isBackward ? [] : [$0.column] } ?? [source] }

  /// The column that leads to the first place of the path; nil for none, and where the place leads to the object itself.
  var firstColumn: String? {
    guard let hop = hops.first, !hop.isBackward else { return nil }
    return hop.column
  }

  /// The entity of the first place of the path.
  var firstPlace: Entity? { hops.first?.destination }

  /// What locks the rows of the path, place by place, so that a copy is of what is there until the transaction ends: whoever changes
  /// one of them meanwhile waits, and finds the object. A statement that computes the copy behind these sees what they have waited for.
  ///
  /// - Parameters:
  ///   - place: the first one that is locked.
  ///   - ids: what holds of its rows' ids, as in `= NEW."in_id"`.
  /// - Returns: what is read, from FROM on.
  func locks(from place: Int = 0, _ ids: String) -> [String] {
    guard firstColumn != nil else { return [] }
    var ids = ids
    return hops[place...].indices.map { index in
      if index > place {
        let table = quoted(hops[index - 1].destination.name)
        ids = "IN (SELECT h.\(quoted(hops[index].column)) FROM \(table) AS h WHERE h.bolide_id \(ids))"
      }
      let place = hops[index].destination
      return "FROM \(quoted(place.name)) WHERE bolide_id \(ids) ORDER BY bolide_id \(place.lock)"
    }
  }

  /// Gives objects the present value, as `RowUpdate` does.
  ///
  /// - Parameter ids: what holds of their ids, as in `= ANY ($1)`.
  func update(_ ids: String) -> String {
    let value = value { "t.\(quoted($0))" }
    let differs = attribute.type.differs("t.\(quoted(attribute.name))", value)
    return RowUpdate(
      entity: entity, columns: [attribute.name],
      rows:
        "SELECT t.bolide_id, \(value) AS v0 FROM \(quoted(entity.name)) AS t WHERE t.bolide_id \(ids) AND \(differs)"
    ).statement
  }

  /// Which objects depend on rows of an entity: for each place where it stands in the path, a query of their ids.
  ///
  /// - Parameters:
  ///   - rows: a subquery of that entity's rows.
  /// - Returns: the query, the columns of these rows whose change matters, and what locks the rest of the path (see `locks`).
  func dependents(
    on other: Entity, _ rows: String
  ) -> [(query: String, columns: [String], locks: [String])] {
    hops.indices.compactMap { place in
      guard hops[place].destination.name == other.name else { return nil }
      let next = place + 1 < hops.count ? hops[place + 1].column : source
      if hops[place].isBackward {
        return (
          "SELECT r.\(quoted(hops[place].column)) FROM (\(rows)) AS r", [source, hops[place].column], []
        )
      }
      var from = "(\(rows)) AS r"
      var last = "r"
      for index in stride(from: place, through: 0, by: -1) {
        let table = index == 0 ? entity.name : hops[index - 1].destination.name
        from +=
          " JOIN \(quoted(table)) AS p\(index) ON p\(index).\(quoted(hops[index].column)) = \(last).bolide_id"
        last = "p\(index)"
      }
      let rest =
        place + 1 < hops.count
        ? locks(from: place + 1, "IN (SELECT r.\(quoted(next)) FROM (\(rows)) AS r)") : []
      return ("SELECT p0.bolide_id FROM \(from)", [next], rest)
    }
  }
}

extension Entity {
  /// How rows are locked whose values go into others until the transaction ends: what these rows count themselves may be changed behind
  /// it, and two that have a shared lock would wait for each other then.
  var lock: String {
    isOwner ? "FOR NO KEY UPDATE" : "FOR SHARE"
  }

  /// Whether its objects count or summarize others.
  var isOwner: Bool { derivedAttributes.contains { $0.derivation?.aggregate != nil } }
}
