internal import GRDB
internal import ImportModel
internal import QueryPlans
internal import SQLiteAccess
internal import StoreInterface

/// The rows of a fetched property's query, read along with the owners.
struct FoundRows {
  private let cursor: FetchedCursor
  private let statement: RawStatement

  /// - Parameter statement: the plan's query, with the values of the fetch.
  init(_ plan: FetchedPlan, _ statement: RawStatement) throws {
    self.statement = statement
    cursor = try FetchedCursor(plan) {
      do {
        return try statement.step() ? statement.integer(Int32(plan.plan.columns.count)) : nil
      } catch let error as StoreError where error.code == .other && plan.property.predicate != nil {
        throw StoreError.predicateFails(error.engineText ?? error.reason).of(plan.property, of: plan.owner)
      }
    }
  }

  /// Goes on to an owner.
  func begin(_ owner: Int64) { cursor.begin(owner) }

  /// Hands over this owner's rows, once; the owner's id is behind the columns of the plan.
  ///
  /// - Throws: `StoreError` when there are more or fewer than there may be, and what the closure throws.
  func read(_ body: (RawStatement) throws -> Void) throws { try cursor.read { try body(statement) } }

  /// Passes what is left of this owner's rows.
  func end() throws { try cursor.end() }

  /// - Throws: `StoreError` when rows are left: the owners were others than those of the fetch.
  func finish() throws {
    defer { reset() }
    try cursor.finish()
  }

  func reset() { statement.reset() }
}
