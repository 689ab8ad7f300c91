internal import StoreInterface
internal import Synchronization

/// Sees that types ask rows for names that these have, before the rows are read: once for each type and kind of row.
final class NameChecks: Sendable {
  private struct Use: Hashable {
    let type: ObjectIdentifier
    /// What decides which names its rows have.
    let request: ObjectQuery
  }

  private let good = Mutex<Set<Use>>([])
  /// Requests that are made up at run time would never end.
  private static let limit = 1000

  /// Reads a row of the entity as the type. Where there is none it has made-up values, as it has names that are to be checked also
  /// then.
  ///
  /// - Throws: `StoreError` where the type asks for a name that the row has not. What else is wrong the request's own rows
  ///   tell: the type may never be asked to read this one.
  func check<Object: Decodable>(
    _ type: Object.Type, _ request: ObjectQuery, in store: any StoreEngine
  ) throws {
    var shape = ObjectQuery(request.entity)
    (shape.properties, shape.related, shape.isDistinct) = (
      request.properties, request.related, request.isDistinct
    )
    (shape.groups, shape.aggregates) = (request.groups, request.aggregates)
    let use = Use(type: ObjectIdentifier(type), request: shape)
    if good.withLock({ $0.contains(use) }) { return }
    let row = try store.exampleRow(of: shape)
    if let error = RowDecoder().misspelling(in: type, for: row) { throw error }
    good.withLock { good in
      if good.count == Self.limit { good = [] }
      good.insert(use)
    }
  }
}
