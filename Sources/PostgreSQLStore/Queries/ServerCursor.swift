internal import ImportModel
internal import PostgreSQLAccess

/// The rows of a query, a page at a time, so that other statements can run between them in the same transaction.
final class ServerCursor {
  private let connection: PostgreSQLConnection
  private let name: String
  private var result: QueryResult?
  private var isAtEnd = false
  /// The present row.
  let row: FetchedResult

  private static let rows = 256

  /// Compiles the query; it is run for the first page.
  ///
  /// - Parameters:
  ///   - name: one of its own within the transaction.
  ///   - types: of what is read, by cell.
  init(
    _ name: String, _ text: String, _ parameters: [Parameter], _ types: [AttributeType],
    _ connection: PostgreSQLConnection
  ) throws {
    (self.connection, self.name, row) = (connection, name, FetchedResult(types))
    try connection.run("DECLARE \(name) NO SCROLL CURSOR FOR \(text)", parameters)
  }

  /// Goes on to the next row.
  ///
  /// - Returns: whether there is one.
  func next() throws -> Bool {
    row.row += 1
    if let result, row.row < result.count { return true }
    if isAtEnd { return false }
    let page = try connection.run("FETCH \(Self.rows) FROM \(name)")
    (result, row.result, row.row) = (page, page, 0)
    isAtEnd = page.count < Self.rows
    return page.count > 0
  }

  /// Lets go of the query, as far as the transaction still stands: a failed one has no cursors.
  func close() { _ = try? connection.run("CLOSE \(name)") }
}
