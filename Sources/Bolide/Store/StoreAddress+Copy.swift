internal import Foundation
internal import ImportModel
internal import PostgreSQLAccess
internal import PostgreSQLStore
internal import SQLiteStore
package import StoreInterface

extension StoreAddress {
  /// Copies all of a store into a schema of a server that has no store yet; objects keep their ids.
  ///
  /// - Parameter isTrial: whether nothing is kept.
  package func copyAll(
    of source: any StoreEngine, author: String, isTrial: Bool
  ) throws -> CopyReport {
    guard let server else { throw StoreError.wholeCopyIntoFile(path) }
    return try StoreCopy.make(at: server, of: source, author: author, isTrial: isTrial)
  }

  /// Opens the store that a path names to copy objects into it; where there is none, makes one with another's model.
  ///
  /// - Parameters:
  ///   - source: the store whose objects are copied.
  ///   - request: which of them: a new store is made for one that can be met.
  ///   - isTrial: whether nothing is kept: then a new store lives in memory, or on a server in a transaction that is rolled back.
  ///   - trustsSchema: as `Store.init(path:for:trustsSchema:)`.
  package static func openOrCreate(
    _ path: String, forCopiesOf source: any StoreEngine, _ request: ObjectQuery, isTrial: Bool,
    trustsSchema: Bool
  ) throws -> any StoreEngine {
    var (address, named) = try named(path)
    if address.server != nil {
      if let there = try address.openIfThere() { return there }
    } else if FileManager.default.fileExists(atPath: address.path) {
      return try address.open(trustsSchema: trustsSchema, stores: named?.namedStores ?? [])
    }
    _ = try source.readCount(request, at: nil)
    address.isTrial = isTrial
    guard let named else { return try address.makeEmpty(source.model()) }
    if isTrial, address.server == nil { return try inMemory(for: named) }
    return try address.open(for: named, lockWait: 10)
  }

  /// Makes an empty store with another one's model.
  private func makeEmpty(_ model: Model) throws -> any StoreEngine {
    if let server { return try PostgreSQLEngine(emptyAt: server, model, isTrial: isTrial) }
    return try SQLiteEngine.makeEmpty(at: isTrial ? nil : path, model)
  }
}
