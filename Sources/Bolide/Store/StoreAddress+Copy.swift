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
  ///   - isTrial: whether nothing is kept: then a new store lives in memory.
  ///   - trustsSchema: as `Store.init(path:for:trustsSchema:)`.
  package static func openOrCreate(
    _ path: String, forCopiesOf source: any StoreEngine, _ request: ObjectQuery, isTrial: Bool,
    trustsSchema: Bool
  ) throws -> any StoreEngine {
    let (address, named) = try named(path)
    try address.checkFile("copying objects")
    try StoreAddress(source.path).checkFile("copying objects")
    guard !FileManager.default.fileExists(atPath: address.path) else {
      return try address.open(trustsSchema: trustsSchema, stores: named?.namedStores ?? [])
    }
    _ = try source.readCount(request, at: nil)
    if let named {
      return try isTrial ? inMemory(for: named) : address.open(for: named, lockWait: 10)
    }
    return try SQLiteEngine(reading: source.path).makeEmpty(at: isTrial ? nil : address.path)
  }
}
