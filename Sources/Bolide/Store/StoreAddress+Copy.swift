internal import Foundation
internal import ImportModel
internal import SQLiteStore
package import StoreInterface

extension StoreAddress {
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
