package import ImportModel
package import TypedRows

/// A store's history and rejected records, inside the transaction of an erasure: what an engine does, and what all engines make
/// of it.
package protocol ErasableHistory {
  /// The number by which history knows a property; nil for none.
  func number(of property: String, in entity: Entity) -> Int64?

  /// Derived attributes that were dropped, by number: nobody knows any more what they were computed from.
  func droppedDerived() throws -> [Int64]

  /// The objects that were linked to one of some owners when they were deleted.
  func deleted(
    _ holder: Entity, _ relationship: Relationship, with owners: Set<Int64>
  ) throws -> Set<Int64>

  /// Hands over what the changes of some objects kept of the values before them, by property: object by object, the newest change
  /// first.
  func readValues(
    of entity: Entity, _ ids: Set<Int64>, _ body: (_ id: Int64, _ before: [Int64: Value]) throws -> Void
  ) throws

  /// The objects that a to-one relationship leads, or ever led, to some objects.
  func holders(
    _ entity: Entity, _ relationship: Relationship, of objects: Set<Int64>
  ) throws -> Set<Int64>

  /// The objects that a to-one relationship of some rows leads, or ever led, to.
  func targets(_ entity: Entity, _ relationship: Relationship, of rows: Set<Int64>) throws -> Set<Int64>

  /// The keys of objects as they are, or as they were when the objects were deleted.
  func keys(of entity: Entity, _ ids: Set<Int64>) throws -> Set<[Value]>

  /// Takes all values of some objects out of history, and marks their changes.
  func eraseValues(of entity: Entity, _ ids: Set<Int64>) throws

  /// Takes some values of one property out of history, and marks their changes.
  ///
  /// - Parameter objects: whose values; nil for all objects'.
  /// - Returns: how many there were.
  func eraseValues(
    of property: Int64, _ objects: (entity: Entity, ids: Set<Int64>)?, where isErased: (Value) -> Bool
  ) throws -> Int

  /// The key of the digests by which rejected records know their keys.
  func digestKey() throws -> SipHash.Key

  /// Takes out rejected records, and children of records, that have one of some keys of an entity. Of pipelines that have read no
  /// record of the entity, an equal key is another object's.
  ///
  /// - Parameter keys: their digests.
  /// - Returns: how many there were.
  func removeRejects(_ keys: [Int64], of entity: Entity) throws -> Int

  /// The rejected records that may be an entity's, or contain one of its objects: their key could not be read, or is that of an
  /// object that it was linked to.
  ///
  /// - Parameter owners: the digests of such objects' keys.
  func unclearRejects(_ owners: [Int64], of entity: Entity) throws -> Set<Int64>
}

extension Set<[Value]> {
  /// The digests that chunks compute of the same keys.
  func digests(_ key: SipHash.Key) -> [Int64] { Set<Int64>(compactMap { $0.digest(key) }).sorted() }
}

extension [Value] {
  fileprivate func digest(_ key: SipHash.Key) -> Int64? {
    var digest = SipHash(key)
    for value in self {
      switch value {
      case .null: return nil
      case .integer(let number): digest.add(UInt64(bitPattern: number))
      case .real(let number): digest.add(number.bitPattern)
      case .text(let text): digest.add(part: text)
      case .blob(let bytes): bytes.withUnsafeBufferPointer { digest.add(part: $0) }
      }
    }
    return digest.value
  }
}
