import Bolide
import Foundation
import GRDB
import PlainEngine
import PlainStore
import Synchronization

/// An object's name in a store: its entity and id.
struct ObjectName: Hashable, Comparable, CustomStringConvertible {
  var entity: String
  var id: Int64

  var description: String { "\(entity) \(id)" }

  static func < (left: ObjectName, right: ObjectName) -> Bool {
    (left.entity, left.id) < (right.entity, right.id)
  }
}

/// All objects of a store, with values and the ids of their to-one relationships by name.
typealias StoreState = [ObjectName: [String: PlainValue]]

extension PlainValue {
  init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .whole(number)
    case .double(let number): self = .real(number)
    case .string(let text): self = .text(text)
    case .blob(let bytes): self = .bytes(Array(bytes))
    }
  }

  var argument: (any DatabaseValueConvertible)? {
    switch self {
    case .null, .beyond: nil
    case .whole(let number): number
    case .real(let number): number
    case .text(let text): text
    case .bytes(let bytes): Data(bytes)
    }
  }
}

extension Store {
  /// Everything that the store holds, and the token of that.
  func state() async throws -> (StoreState, HistoryToken) {
    let rows = Mutex<StoreState>([:])
    let snapshot = try await snapshot { row in
      rows.withLock {
        $0[ObjectName(entity: row.entity, id: row.id)] = row.values.plain
      }
    }
    return (rows.withLock { $0 }, snapshot.token)
  }
}

extension [HistoryChange.Property] {
  /// The values by name.
  var plain: [String: PlainValue] {
    Dictionary(map { ($0.name, PlainValue($0.value)) }) { first, _ in first }
  }
}

/// Something that a store does otherwise than the plain model.
struct Difference: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
