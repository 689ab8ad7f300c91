package import GRDB
internal import ImportModel
internal import SQLiteAccess

/// Writes `bolide_dirty`: which derived values are to be computed anew.
package final class DerivedInvalidations {
  private let insert: RawStatement
  /// By derived attribute: what reads it.
  private let readers: [Int64: [Reader]]

  /// Whether a total was written that is beyond the range of its type.
  private(set) var sawNullTotal = false

  private enum Reader {
    /// A path that ends at the attribute after some hops, 0 for the object's own, or links that lead to it.
    case path(property: Int64, hop: Int)
    /// An aggregate of the object's owner.
    case owner(property: Int64, find: RawStatement)
  }

  package init(_ db: Database, _ plan: DerivedPlan) throws {
    insert = try RawStatement(
      db, "INSERT OR IGNORE INTO bolide_dirty(property, hop, object) VALUES (?, ?, ?)")
    var readers: [Int64: [Reader]] = [:]
    for node in plan.nodes {
      for reader in plan.nodes where reader.reads(node) {
        if let path = reader.path {
          readers[node.property, default: []].append(.path(property: reader.property, hop: path.hops.count))
        } else if let children = reader.children {
          guard children.onward == nil else {
            readers[node.property, default: []].append(.path(property: reader.property, hop: 1))
            continue
          }
          let find = try RawStatement(
            db,
            "SELECT \(quoted(children.toOne.column)) FROM \(quoted(children.entity.name)) WHERE bolide_id = ?"
          )
          readers[node.property, default: []].append(.owner(property: reader.property, find: find))
        }
      }
    }
    self.readers = readers
  }

  /// Marks a derived value: of an object itself, or of all that come by it after some hops.
  package func mark(_ property: Int64, hop: Int = 0, _ object: Int64) throws {
    insert.bind(property, at: 1)
    insert.bind(hop, at: 2)
    insert.bind(object, at: 3)
    try insert.run()
  }

  /// Notes what is written of a group's attributes.
  func note(_ values: [Value], of group: DerivedGroup) {
    for place in group.places where place.isTotal && values[Int(place.column)] == .null {
      sawNullTotal = true
    }
  }

  /// Marks a derived attribute of all objects of its entity.
  static func markAll(_ db: Database, _ property: Int64, of entity: Entity) throws {
    try db.run(
      "INSERT OR IGNORE INTO bolide_dirty SELECT \(property), 0, bolide_id FROM \(quoted(entity.name))")
  }

  /// A derived value of an object has changed: marks what reads it.
  func propagate(_ property: Int64, _ object: Int64) throws {
    guard let readers = readers[property] else { return }
    for reader in readers {
      switch reader {
      case .path(let property, let hop): try mark(property, hop: hop, object)
      case .owner(let property, let find):
        find.bind(object, at: 1)
        defer { find.reset() }
        if try find.step(), !find.isNull(0) { try mark(property, find.integer(0)) }
      }
    }
  }
}
