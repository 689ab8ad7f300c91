internal import ImportModel
internal import StoreInterface

/// Reads what a fetched property finds, along with the owners: both come in the same order.
package final class FetchedCursor {
  private let plan: FetchedPlan
  /// Goes on to the next row, and gives the owner that it belongs to; nil behind the last row.
  private let step: () throws -> Int64?
  /// The owner that the present row belongs to; nil behind the last row.
  private var next: Int64?
  private var owner: Int64 = 0
  /// How many rows of this owner have been passed.
  private var count = 0
  private var isRead = false

  /// Goes on to the first row.
  ///
  /// - Parameter step: goes on to the next row, and gives the owner that it belongs to; nil behind the last row.
  package init(_ plan: FetchedPlan, _ step: @escaping () throws -> Int64?) throws {
    (self.plan, self.step) = (plan, step)
    next = try step()
  }

  /// Goes on to an owner.
  package func begin(_ owner: Int64) {
    (self.owner, count, isRead) = (owner, 0, false)
  }

  /// Calls the closure at each of this owner's rows, once.
  ///
  /// - Throws: `StoreError` when there are more or fewer than there may be, and what the closure throws.
  package func read(_ body: () throws -> Void) throws {
    while !isRead, next == owner {
      count += 1
      if count <= plan.property.limit ?? .max {
        if count > 1, plan.property.cardinality != .many {
          throw StoreError.findsSeveral(plan.property, of: plan.owner)
        }
        try body()
      }
      next = try step()
    }
    isRead = true
    if count == 0, plan.property.cardinality == .one {
      throw StoreError.findsNone(plan.property, of: plan.owner)
    }
  }

  /// Passes what is left of this owner's rows.
  package func end() throws {
    if !isRead { try read {} }
  }

  /// - Throws: `StoreError` when rows are left: the owners were others than those of the fetch.
  package func finish() throws {
    if next != nil { throw StoreError.changingOwners(plan.property, of: plan.owner) }
  }
}
