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
