internal import ImportModel
internal import QueryPlans
internal import SQLiteAccess
internal import StoreInterface

/// Reads what a fetched property finds, along with the owners: both come in the same order.
final class FetchedCursor {
  private let plan: FetchedPlan
  private let statement: RawStatement
  /// The owner that the statement's row belongs to; nil behind the last row.
  private var next: Int64?
  private var owner: Int64 = 0
  /// How many rows of this owner have been passed.
  private var count = 0
  private var isRead = false

  /// - Parameter statement: the plan's query, with the values of the fetch.
  init(_ plan: FetchedPlan, _ statement: RawStatement) throws(StoreError) {
    (self.plan, self.statement) = (plan, statement)
    try step()
  }

  /// Goes on to an owner.
  func begin(_ owner: Int64) {
    (self.owner, count, isRead) = (owner, 0, false)
  }

  /// Hands over this owner's rows, once; the owner's id is behind the columns of the plan.
  ///
  /// - Throws: `StoreError` when there are more or fewer than there may be, and what the closure throws.
  func read(_ body: (RawStatement) throws -> Void) throws {
    while !isRead, next == owner {
      count += 1
      if count <= plan.property.limit ?? .max {
        if count > 1, plan.property.cardinality != .many {
          throw StoreError.findsSeveral(plan.property, of: plan.owner)
        }
        try body(statement)
      }
      try step()
    }
    isRead = true
    if count == 0, plan.property.cardinality == .one {
      throw StoreError.findsNone(plan.property, of: plan.owner)
    }
  }

  /// Passes what is left of this owner's rows.
  func end() throws {
    if !isRead { try read { _ in } }
  }

  /// - Throws: `StoreError` when rows are left: the owners were others than those of the fetch.
  func finish() throws(StoreError) {
    defer { statement.reset() }
    if next != nil { throw StoreError.changingOwners(plan.property, of: plan.owner) }
  }

  private func step() throws(StoreError) {
    do {
      next = try statement.step() ? statement.integer(Int32(plan.plan.columns.count)) : nil
    } catch {
      guard error.code == .other, plan.property.predicate != nil else { throw error }
      throw StoreError.predicateFails(error.engineText ?? error.reason).of(plan.property, of: plan.owner)
    }
  }

  func reset() { statement.reset() }
}
