internal import ImportModel
internal import ObjectEdits
internal import PostgreSQLAccess
internal import StoreInterface

/// Puts rows back as they were, with the triggers on, many at a time.
///
/// Rows that a constraint forbids are found by halving. A link to an object that is still to come is made when all rows are back: the
/// server's foreign keys are not deferrable.
final class RevertAttempt: RevertedRows {
  /// The rows of one entity that the reverted changes touched.
  private struct Rows {
    let entity: Entity
    let properties: [(name: String, column: String, type: AttributeType?)]
    /// As they were; an empty row for one that was not there.
    var past: [Int64: [Value]] = [:]
    /// As they are.
    var present: [Int64: [Value]] = [:]
    /// Those that others have changed since.
    var other: Set<Int64> = []
  }

  private let connection: PostgreSQLConnection
  private let model: Model
  private let scope: RevertScope
  private let force: Bool
  private var rows: [Rows] = []
  private var gone: [RevertItem] = []
  /// Links that are still to be made: of an entity, by the property's place.
  private var links: [Link: [(id: Int64, target: Int64)]] = [:]

  private struct Link: Hashable {
    let entity: Int
    let property: Int
  }

  /// - Parameter force: whether rows that others have changed since are put back too.
  init(_ objects: StoredObjects, _ scope: RevertScope, force: Bool) throws {
    (connection, model, self.scope, self.force) = (objects.connection, objects.stored.model, scope, force)
    let (own, other) = try scope.objects()
    rows = try model.entities.enumerated().map { place, entity in
      let properties = entity.properties.filter { entity.attribute(named: $0.name)?.derivation == nil }
      var rows = Rows(entity: entity, properties: properties)
      let ids = (own[entity.name] ?? []).sorted()
      if ids.isEmpty { return rows }
      let found = try PastRows(connection, objects.stored, entity, at: scope.start, ids: ids)
      func values(_ row: [HistoryChange.Property]?) -> [Value] {
        guard let row else { return [] }
        return properties.map { property in row.first { $0.name == property.name }?.value ?? .null }
      }
      for id in ids {
        if found.row(id) != nil, found.erasure(id).isObject {
          gone.append(RevertItem(entity: place, id: id, action: .insert))
          continue
        }
        rows.past[id] = values(found.row(id))
        rows.present[id] = found.present[id].map(values)
      }
      rows.other = other[entity.name] ?? []
      return rows
    }
  }

  func items() throws -> (items: [RevertItem], changedSince: [RevertItem]) {
    var (items, changed): ([RevertItem], [RevertItem]) = ([], [])
    for (index, rows) in rows.enumerated() {
      for (id, past) in rows.past.sorted(by: { $0.key < $1.key }) {
        let present = rows.present[id]
        if past.isEmpty, present == nil { continue }
        if let present, past.count == present.count, zip(past, present).allSatisfy({ $0.isSame(as: $1) }) {
          continue
        }
        let action: RevertItem.Action = past.isEmpty ? .delete : present == nil ? .insert : .update
        let item = RevertItem(entity: index, id: id, action: action)
        if rows.other.contains(id), !force { changed.append(item) } else { items.append(item) }
      }
    }
    return (items, changed)
  }

  func erased() -> [RevertItem] { gone }

  func keep(_ items: some Sequence<RevertItem>) {
    for item in items { rows[item.entity].past[item.id] = nil }
  }

  func put(_ items: [RevertItem], _ order: RevertOrder) throws -> [Left] {
    var left: [Left] = []
    for index in rows.indices {
      for action in [RevertItem.Action.delete, .update, .insert] {
        let ids = items.filter { $0.entity == index && $0.action == action }.map(\.id)
        if ids.isEmpty { continue }
        let waiting = try action == .delete ? linked(index, ids, order) : orphans(index, ids, order)
        let ready = ids.filter { !waiting.contains($0) }
        let denied = try halving(ready) { ids in
          if action == .delete {
            try connection.deleteRows(ids, of: rows[index].entity.name, in: model)
          } else {
            try write(index, ids, isNew: action == .insert, makesAllLinks: order == .forEach)
          }
        }
        let held = action == .insert ? try orphans(index, denied, .forEach, areHeld: true) : []
        func item(_ id: Int64) -> RevertItem { RevertItem(entity: index, id: id, action: action) }
        left += waiting.sorted().map { (item($0), action == .delete ? .linked : .ownerGone) }
        left += denied.map {
          (item($0), action == .delete ? .linked : held.contains($0) ? .ownerGone : .taken)
        }
      }
    }
    return left
  }

  func attempt(_ body: () throws -> [Left]) throws -> [Left] {
    links = [:]
    try connection.run("SAVEPOINT bolide_revert")
    let left = try body()
    if left.isEmpty { try makeLinks() } else { try connection.run("ROLLBACK TO bolide_revert") }
    try connection.run("RELEASE bolide_revert")
    return left
  }

  func leftRow(_ item: RevertItem, _ reason: LeftRow.Reason) -> LeftRow {
    let rows = rows[item.entity]
    let values = (item.action == .insert ? rows.past[item.id] : rows.present[item.id]) ?? []
    let key = zip(rows.properties, values).map {
      HistoryChange.Property(name: $0.name, type: $0.type, value: $1)
    }
    return LeftRow(
      entity: rows.entity.name, id: item.id, key: rows.entity.keyProperties(key), reason: reason)
  }

  func markRuns() throws { try scope.markRuns() }

  // MARK: What waits

  /// Of some objects those that rows are linked to.
  private func linked(_ index: Int, _ ids: [Int64], _ order: RevertOrder) throws -> Set<Int64> {
    if order == .forNone { return [] }
    var linked: Set<Int64> = []
    for holder in rows {
      let going = order == .forAll ? holder.past.filter(\.value.isEmpty).map(\.key) : []
      for link in holder.entity.toOneRelationships
      where link.destination.isSameName(as: rows[index].entity.name) {
        let column = quoted(link.column)
        let found = try connection.run(
          """
          SELECT DISTINCT \(column) FROM \(quoted(holder.entity.name)) AS h WHERE \(column) = ANY ($1)
          AND NOT EXISTS (SELECT FROM unnest($2::bigint[]) AS g(id) WHERE g.id = h.bolide_id)
          """, [.integers(ids), .integers(going)])
        linked.formUnion((0..<found.count).map { found.integer($0, 0) })
      }
    }
    return linked
  }

  /// Of some objects those that were linked to one that is not there.
  ///
  /// - Parameter areHeld: whether only links that are never null are meant, which cannot be made when all rows are back.
  private func orphans(
    _ index: Int, _ ids: [Int64], _ order: RevertOrder, areHeld: Bool = false
  ) throws -> Set<Int64> {
    var orphans: Set<Int64> = []
    for (place, property) in rows[index].properties.enumerated()
    where property.type == nil && (!areHeld || rows[index].entity.isNeverNull(property.name)) {
      let links = ids.compactMap { id in target(index, id, place).map { (id, $0) } }
      var missing = try missing(index, place, links.map(\.1))
      if order != .forEach, let destination = destination(index, place) {
        missing = missing.filter { rows[destination].past[$0]?.isEmpty != false }
      }
      orphans.formUnion(links.filter { missing.contains($0.1) }.map(\.0))
    }
    return orphans
  }

  private func target(_ index: Int, _ id: Int64, _ place: Int) -> Int64? {
    guard let values = rows[index].past[id], values.indices.contains(place),
      case .integer(let target) = values[place]
    else { return nil }
    return target
  }

  private func destination(_ index: Int, _ place: Int) -> Int? {
    guard let name = rows[index].entity.relationship(named: rows[index].properties[place].name)?.destination
    else { return nil }
    return rows.firstIndex { $0.entity.name.isSameName(as: name) }
  }

  /// Of the objects that a relationship led to those that are not there now.
  private func missing(_ index: Int, _ place: Int, _ targets: [Int64]) throws -> Set<Int64> {
    guard !targets.isEmpty, let destination = destination(index, place) else { return [] }
    let found = try connection.run(
      "SELECT bolide_id FROM \(quoted(rows[destination].entity.name)) WHERE bolide_id = ANY ($1)",
      [.integers(targets)])
    return Set(targets).subtracting((0..<found.count).map { found.integer($0, 0) })
  }

  // MARK: Writing

  /// Runs something for as many of some objects as constraints allow.
  ///
  /// - Returns: the others.
  private func halving(_ ids: [Int64], _ body: ([Int64]) throws -> Void) throws -> [Int64] {
    if ids.isEmpty { return [] }
    if try connection.holds({ try body(ids) }) { return [] }
    if ids.count == 1 { return ids }
    let half = ids.count / 2
    return try halving(Array(ids[..<half]), body) + halving(Array(ids[half...]), body)
  }

  private func write(_ index: Int, _ ids: [Int64], isNew: Bool, makesAllLinks: Bool) throws {
    let (entity, properties) = (rows[index].entity, rows[index].properties)
    var parameters = [Parameter.integers(ids)]
    var later: [Link: [(id: Int64, target: Int64)]] = [:]
    for (place, property) in properties.enumerated() {
      // What is required now, and was not there then, gets its default.
      let attribute = entity.attribute(named: property.name)
      let start = attribute?.isRequired == true ? attribute?.defaultValue : nil
      let missing: Set<Int64> =
        makesAllLinks || property.type != nil
        ? [] : try missing(index, place, ids.compactMap { target(index, $0, place) })
      var array = ArrayParameter(property.type.stored.element, capacity: ids.count)
      for id in ids {
        var value = rows[index].past[id]?[place] ?? .null
        if value == .null, let start { value = start }
        if let target = target(index, id, place), property.type == nil, missing.contains(target) {
          later[Link(entity: index, property: place), default: []].append((id, target))
          value = .null
        }
        array.fields.append(stored: value, property.type.stored)
      }
      parameters.append(array.parameter)
    }
    let names = properties.map { quoted($0.column) }
    let source = parameterRows(["id"] + names.indices.map { "c\($0)" })
    let values = properties.enumerated().map { $1.type.stored.value(ofParameter: "x.c\($0)") }
    let table = quoted(entity.name)
    if isNew {
      let made = try connection.run(
        """
        INSERT INTO \(table)(bolide_id, \(names.joined(separator: ", ")))
        SELECT x.id, \(values.joined(separator: ", ")) FROM \(source)
        """, parameters)
      guard made.affected == ids.count else { throw StoreError.rowsKeptOut(entity.name) }
    } else {
      let assignments = zip(names, values).map { "\($0) = \($1)" }.joined(separator: ", ")
      let found = try connection.run(
        "UPDATE \(table) AS t SET \(assignments) FROM \(source) WHERE t.bolide_id = x.id RETURNING t.bolide_id",
        parameters)
      // A delete rule has taken the others meanwhile.
      let gone = Set(ids).subtracting((0..<found.count).map { found.integer($0, 0) })
      if !gone.isEmpty {
        try connection.checkAreGone(gone.sorted(), of: entity.name)
        try write(index, gone.sorted(), isNew: true, makesAllLinks: makesAllLinks)
      }
    }
    links.merge(later) { $0 + $1 }
  }

  private func makeLinks() throws {
    for (link, made) in links {
      let column = quoted(rows[link.entity].properties[link.property].column)
      try connection.run(
        """
        UPDATE \(quoted(rows[link.entity].entity.name)) AS t SET \(column) = x.target
        FROM \(parameterRows(["id", "target"])) WHERE t.bolide_id = x.id
        """, [.integers(made.map(\.id)), .integers(made.map(\.target))])
    }
  }

  func release(_ item: RevertItem) throws {
    let entity = rows[item.entity].entity
    let links = entity.toOneRelationships.filter { !entity.key.contains($0.name) }
    var columns: [(String, String)]
    if item.action == .delete {
      columns = links.filter { model.deleteRule(of: $0, in: entity) == .deny }.map { ($0.column, "NULL") }
    } else {
      let unique = entity.uniquenessConstraints.compactMap(\.first).filter { !entity.key.contains($0) }
      columns = unique.compactMap(entity.attribute(named:)).map {
        ($0.name, $0.isRequired ? $0.type.parked : "NULL")
      }
      columns += links.map { ($0.column, "NULL") }
    }
    for (column, value) in columns {
      _ = try connection.holds {
        try connection.run(
          "UPDATE \(quoted(entity.name)) SET \(quoted(column)) = \(value) WHERE bolide_id = \(item.id)")
      }
    }
  }
}

extension AttributeType {
  /// A value by chance that hardly any row has, to give up a unique one for.
  fileprivate var parked: String {
    switch self {
    case .integer16: "(random() * 65535 - 32768)::smallint"
    case .integer32: "(random() * 4294967295 - 2147483648)::integer"
    case .integer64: "(random() * 18014398509481984 - 9007199254740992)::bigint"
    case .decimal(let scale): "trunc((random() * 18014398509481984)::numeric) * '1e-\(scale)'::numeric"
    case .double, .float: "random() * 2 - 1"
    case .string: "'bolide-parked-' || md5(random()::text)"
    case .boolean: "random() < 0.5"
    case .date: "to_timestamp(trunc(random() * 200000000000))"
    case .day: "'0001-01-01'::date + (random() * 3000000)::integer"
    case .uuid: "md5(random()::text)::uuid"
    case .binary: "decode(md5(random()::text), 'hex')"
    case .json: "to_json(md5(random()::text))"
    }
  }
}
