internal import ImportModel
internal import PostgreSQLAccess
internal import QueryPlans
internal import StoreInterface

/// A request as PostgreSQL's SQL: checked against the model, not yet run.
struct FetchStatement {
  let plan: FetchPlan
  /// The types of what is read, by cell.
  let types: [AttributeType]
  let request: ObjectQuery
  /// The fetched properties that are brought along.
  private(set) var fetched: [FoundStatement] = []
  /// The one that must find nothing.
  private var dangling: FoundStatement?
  private let condition: String?
  private let past: PastTables?

  /// What is read of the objects beside what is asked for, and which part of them.
  struct Part {
    var columns: [String] = []
    /// Behind which object they begin; nil for the first, behind the request's offset.
    var place: Place?
    /// How many at most, in place of the request's limit.
    var limit: Int?
  }

  /// - Parameters:
  ///   - readsKeys: whether the keys of objects are read whatever is asked for.
  ///   - isFetching: whether what fetched properties find is read.
  ///   - past: the tables as they were; nil for those of now.
  ///   - path: what the store is called in messages.
  /// - Throws: `StoreError` when the request cannot be met, `Untranslated` for a part of its predicate.
  init(
    _ request: ObjectQuery, _ model: Model, readsKeys: Bool, isFetching: Bool, at past: PastTables?,
    _ path: String
  ) throws {
    try request.checkPredicate(model)
    var rest = request
    (rest.predicate, rest.arguments) = (nil, [])
    var plan = try FetchPlan(rest, model, readsKeys: readsKeys, .postgreSQL)
    let tree = plan.tree
    // Its paths lead to further tables: what was changed in each has to be known before.
    func condition(_ source: @escaping (Entity) -> String) throws -> String? {
      try request.predicate.map {
        try ConditionSQL.sql($0.text, request.boundValues, in: .tree(tree, node: 0, source: source))
      }
    }
    let present = try condition { quoted($0.name) }
    let entity = tree.nodes[0].entity
    var fetched = try (isFetching ? request.fetched(of: entity) : []).map {
      try FoundStatement($0, of: tree, model, readsKeys: readsKeys, path)
    }
    var dangling = try request.danglingProperty(of: entity).map {
      try FoundStatement($0, of: tree, model, readsKeys: false, path)
    }
    if let past {
      try past.load(tree.entities)
      for property in fetched + [dangling].compactMap(\.self) { try past.load(property.plan.entities) }
      for place in fetched.indices { try fetched[place].translate(past.source) }
      try dangling?.translate(past.source)
    }
    self.condition = try past.map { past in try condition { past.source($0) } } ?? present
    plan.shape.fetched = fetched.map { .init(property: $0.plan.property, layout: $0.plan.plan.shape) }
    types = plan.shape.types(plan.columns.count)
    (self.plan, self.request, self.past) = (plan, request, past)
    (self.fetched, self.dangling) = (fetched, dangling)
  }

  private func source(_ entity: Entity) -> String { past?.source(entity) ?? quoted(entity.name) }

  /// Whether one of the request's own conditions can fail for the values of an object.
  var hasPredicate: Bool { condition != nil || dangling?.hasPredicate == true }

  /// The query for some columns of the objects, in any order and without limits.
  private func text(_ columns: [String], behind place: Place? = nil) -> String {
    let further = place.map { plan.behind($0.values.map { $0.map(literal) }, "\($0.id)") }
    let conditions = [condition, dangling?.dangling(plan.tree, source), further].compactMap {
      $0.map { "(\($0))" }
    }
    let groups = plan.groups ?? []
    return """
      SELECT \(columns.joined(separator: ", ")) FROM \(plan.tree.from(source))
      \(conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND "))
      \(groups.isEmpty ? "" : "GROUP BY " + groups.joined(separator: ", "))
      """
  }

  /// The request's objects, or a part of them: its columns, in its order and within its limits.
  func text(_ part: Part) -> String {
    let columns = zip(types, plan.columns).map { $0.result(ofColumn: $1) } + part.columns
    return sorted(columns.isEmpty ? ["1"] : columns, part)
  }

  /// What a fetched property finds for the objects of a part.
  func text(of property: FoundStatement, _ part: Part) -> String {
    let limit = part.limit ?? request.limit
    let isWhole = limit == nil && (part.place != nil || request.offset == 0)
    return property.text(
      { isWhole ? text($0, behind: part.place) : sorted($0, part) }, plan.order, source)
  }

  /// The ids of the request's objects, and what divides them into sections.
  func list(section: (sql: String, type: AttributeType?)?) -> String {
    let section = section.map { [$0.type.stored.result(ofColumn: $0.sql)] } ?? []
    return sorted([plan.id] + section, Part())
  }

  private func sorted(_ columns: [String], _ part: Part) -> String {
    let order = plan.serverOrder.joined(separator: ", ")
    let limit = (part.limit ?? request.limit).map(String.init) ?? "ALL"
    let offset = part.place == nil ? request.offset : 0
    return "\(text(columns, behind: part.place)) ORDER BY \(order) LIMIT \(limit) OFFSET \(offset)"
  }

  /// How many objects there are, without limits.
  var count: String {
    plan.isGrouped
      ? "SELECT count(*) FROM (\(text(plan.columns))) AS bolide_groups" : text(["count(*)"])
  }

  /// The values of the statement's `$1` and so on.
  var parameters: [Parameter] { past?.parameters ?? [] }

  /// A place in the order: behind one object, by what it was sorted by, as the server's text, and its id.
  struct Place {
    let values: [String?]
    let id: Int64
  }

  /// The columns of an object's place.
  var placeColumns: [String] { plan.order.map { "(\($0.sql))::text" } + [plan.id] }

  /// A row's place, which its last columns have.
  func place(_ result: QueryResult, _ row: Int) -> Place {
    let first = plan.columns.count
    let values = plan.order.indices.map { result.optionalText(row, first + $0) }
    return Place(values: values, id: result.integer(row, first + values.count))
  }
}

extension FetchPlan {
  /// The order of the answer, null first, and last in falling order.
  var serverOrder: [String] {
    order.map { key in
      // An index of what is never null has them last, as it is said nowhere.
      key.sql + (key.isAscending ? "" : " DESC")
        + (isNeverNull(key.sql) ? "" : key.isAscending ? " NULLS FIRST" : " NULLS LAST")
    } + (groups ?? []).map { "\($0) NULLS FIRST" } + [id]
  }

  private func isNeverNull(_ sql: String) -> Bool {
    let entity = tree.nodes[0].entity
    return sql == JoinTree.id(0)
      || entity.properties.contains {
        sql == "\(JoinTree.alias(0)).\(quoted($0.column))" && entity.isNeverNull($0.name)
      }
  }
}

extension RowLayout {
  /// The types of so many cells.
  func types(_ count: Int) -> [AttributeType] {
    var types = Array(repeating: AttributeType.integer64, count: count)
    func add(_ layout: RowLayout) {
      for member in layout.members + layout.key {
        // A relationship's own cell is an object id.
        types[member.cell] = member.type.stored
        if let related = member.related { add(related) }
      }
    }
    add(self)
    return types
  }
}

extension Entity {
  /// Whether a property's column has a value in every row.
  func isNeverNull(_ name: String) -> Bool {
    key.contains(name) || attribute(named: name).map { $0.isRequired && $0.derivation == nil } ?? false
  }
}

/// A fetched row, valid until the next one.
///
/// A date, a day or a UUID is another thing to the server than its stored text: that is written into memory of the row's own.
final class FetchedResult: FetchedRow {
  private let types: [AttributeType]
  private let texts: UnsafeMutablePointer<UInt8>
  /// The longest of these texts is a UUID.
  private static let room = 40
  var result: QueryResult?
  var row = 0
  /// What each fetched property finds, in the layout's order.
  var found: [FoundRows] = []

  init(_ types: [AttributeType]) {
    self.types = types
    texts = .allocate(capacity: max(1, types.count) * Self.room)
  }

  deinit { texts.deallocate() }

  subscript(cell: Int) -> FetchedCell {
    guard let result, !result.isNull(row, cell) else { return .null }
    let bytes = result.bytes(row, cell)
    switch types[cell] {
    case .integer16, .integer32, .integer64, .decimal, .boolean: return .integer(result.integer(row, cell))
    case .double, .float: return .real(result.real(row, cell))
    case .string, .json: return .text(bytes.bindMemory(to: UInt8.self))
    case .binary: return .blob(bytes.bindMemory(to: UInt8.self))
    case .date, .day, .uuid:
      let place = texts + cell * Self.room
      let count = types[cell].withStoredText(result, row, cell) { text in
        if let start = text.baseAddress { place.update(from: start, count: text.count) }
        return text.count
      }
      return .text(UnsafeBufferPointer(start: place, count: count))
    }
  }

  func fetched(_ index: Int, _ body: (any FetchedRow) throws -> Void) throws {
    try found[index].cursor.read { try body(found[index].rows.row) }
  }

  /// A cell that is an object id.
  func id(_ cell: Int) -> Int64 { result?.integer(row, cell) ?? 0 }

  /// One value.
  func value(_ cell: Int) -> Value { result.map { types[cell].value($0, row, cell) } ?? .null }
}
