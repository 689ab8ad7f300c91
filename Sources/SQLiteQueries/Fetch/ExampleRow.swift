internal import ImportModel
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  package func exampleRow(of request: ObjectQuery) throws -> Snapshot.Row {
    try reading { try FetchReading($0, path: path).example(of: request) }
  }
}

extension FetchReading {
  /// A row like those of a request; see `QueryEngine.exampleRow(of:)`.
  func example(of request: ObjectQuery) throws -> Snapshot.Row {
    let fetched = request.related.filter { isFetched($0, of: request.entity) }
    var example = request
    example.limit = 1
    example.related = request.related.filter { !fetched.contains($0) }
    let cursor = try cursor(example, at: nil)
    defer { cursor.end() }
    // A group is not made for that: it takes all objects.
    var row = try (request.isGrouped ? nil : cursor.nextRow()) ?? cursor.layout.madeUpRow
    row.fetched = fetched.map { Snapshot.Row.Fetched(name: $0, rows: []) }
    return row
  }
}

extension RowLayout {
  /// A row with a value in each property that is no relationship, or is one whose object is brought along.
  fileprivate var madeUpRow: Snapshot.Row {
    var row = Snapshot.Row(entity: entity, id: 0, key: [], values: [])
    for member in members where member.cell != id {
      let value = member.type?.madeUpValue ?? (member.related == nil ? .null : .integer(0))
      row.values.append(HistoryChange.Property(name: member.name, type: member.type, value: value))
      row.related += member.related.map { [.init(name: member.name, row: $0.madeUpRow)] } ?? []
    }
    return row
  }
}

extension AttributeType {
  /// A value that can be read as each Swift type that the attribute's can.
  fileprivate var madeUpValue: Value {
    switch self {
    case .integer16, .integer32, .integer64, .decimal, .boolean: .integer(0)
    case .double, .float: .real(0)
    case .string: .text("")
    case .date(let precision): .text(precision.instant("2000-01-01T00:00:00.000Z"))
    case .day: .text("2000-01-01")
    case .uuid: .text("00000000-0000-0000-0000-000000000000")
    case .binary: .blob([])
    case .json: .text("null")
    }
  }
}
