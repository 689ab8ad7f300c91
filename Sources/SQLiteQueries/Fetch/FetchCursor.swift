internal import GRDB
internal import QueryPlans
internal import SQLiteAccess
internal import StoreInterface

/// Goes through a query's objects, one after the other, inside one read transaction.
final class FetchCursor {
  private let query: FetchQuery
  /// How many columns are read of an object, without the id that comes last.
  private let columns: Int
  private var cells: FetchedCells
  private var isBegun = false

  /// - Parameter columns: what is read of an object, without the id that comes last.
  init(_ query: FetchQuery, _ columns: [String], _ db: Database) throws {
    var query = query
    do {
      let selected = columns + [query.plan.id]
      query.access = try query.access(selected, db)
      let statement = try query.statement(query.sorted(selected), db)
      cells = FetchedCells(statement: statement)
      for plan in query.fetched {
        let text = plan.query({ query.sorted($0) }, query.plan.order, query.source)
        cells.fetched.append(try FoundRows(plan, query.statement(text, db)))
      }
    } catch {
      query.past?.drop()
      throw error
    }
    (self.query, self.columns) = (query, columns.count)
  }

  /// What is read of an object.
  var layout: RowLayout { query.plan.shape }

  /// Goes on to the next object. Its cells are valid until then.
  func next() throws -> FetchedCells? {
    if isBegun { for cursor in cells.fetched { try cursor.end() } }
    isBegun = true
    guard try query.step(cells.statement) else {
      for cursor in cells.fetched { try cursor.finish() }
      return nil
    }
    let id = cells.statement.integer(Int32(columns))
    for cursor in cells.fetched { cursor.begin(id) }
    return cells
  }

  /// Goes on to the next object, and gives it as values.
  func nextRow() throws -> Snapshot.Row? {
    while let cells = try next() {
      if let row = try query.plan.shape.row(cells.statement, cells.fetched) { return row }
    }
    return nil
  }

  /// Lets go of what is read from.
  func end() {
    cells.statement.reset()
    for cursor in cells.fetched { cursor.reset() }
    query.past?.drop()
  }
}
