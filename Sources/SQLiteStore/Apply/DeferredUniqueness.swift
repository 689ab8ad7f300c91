internal import GRDB
package import ImportModel
internal import SQLiteAccess
internal import StoreInterface
internal import TypedRows

/// Makes room for values that rows of a chunk hand on: for a moment their holders get values that nobody has.
final class DeferredUniqueness {
  /// A row whose values others take, and the constraint that they stand in.
  struct Owner: Hashable {
    let id: Int64
    let constraint: Int
  }

  /// By constraint; a link is taken away for the moment, and has no storage.
  private let updates: [(statement: RawStatement, storage: StorageClass?)?]

  init(_ db: Database, layout: ChunkLayout) throws {
    let table = quoted(layout.entity.name)
    updates = try layout.constraints.map { constraint in
      // Rows keep their keys, so a constraint within the key has nothing to hand on.
      let column = constraint.columns.first { !layout.columns[$0].isKey }
      guard let name = constraint.owner?.relationship.column ?? column.map({ layout.columns[$0].name }) else {
        return nil
      }
      let update = try RawStatement(db, "UPDATE \(table) SET \(quoted(name)) = ? WHERE bolide_id = ?")
      return (update, constraint.owner == nil ? column.map { layout.columns[$0].storage } : nil)
    }
  }

  /// Gives rows values that nobody has.
  func park(_ owners: Set<Owner>) throws {
    for place in owners {
      guard let (statement, storage) = updates[place.constraint] else { continue }
      statement.bind(place.id, at: 2)
      if let storage {
        try write(statement, .random(storage), storage, attemptsLeft: 10)
      } else {
        statement.bind(.null, at: 1)
        try statement.run()
      }
    }
  }

  /// Random among 10^15 values and more; to meet one that is there is possible all the same.
  private func write(
    _ statement: RawStatement, _ value: Value, _ storage: StorageClass, attemptsLeft: Int
  ) throws(StoreError) {
    statement.bind(value, at: 1)
    do {
      try statement.run()
    } catch {
      guard error.code == .constraint, attemptsLeft > 0 else { throw error }
      try write(statement, .random(storage), storage, attemptsLeft: attemptsLeft - 1)
    }
  }
}

extension Value {
  /// A value to park a row with: small enough for every sum that it may pass through.
  package static func random(_ storage: StorageClass) -> Value {
    switch storage {
    case .integer: .integer(.random(in: -(1 << 53)...(1 << 53)))
    case .real: .real(.random(in: -1...1))
    case .text: .text("bolide-parked-" + randomWord(length: 20))
    case .blob: .blob(Array(randomWord(length: 26).utf8))
    }
  }
}
