internal import GRDB
internal import ImportModel

extension Store {
  /// Recomputes what can be recomputed and compares it with what is stored, in one state of the store.
  ///
  /// - Parameter found: called for each thing that is wrong.
  /// - Complexity: O(rows), and O(children) for each owner with derived attributes.
  package func verify(_ found: @escaping (Finding) throws -> Void) throws {
    try reading { db in
      let check = Verify(db: db, found: found)
      try check.file()
      try check.foreignKeys()
      try check.runs()
      try check.history()
      try check.derived()
    }
  }
}

/// The checks of `bolide verify`.
private struct Verify {
  let db: Database
  let found: (Finding) throws -> Void

  /// Pages, indexes, unique and not-null constraints, types.
  func file() throws {
    let rows = try RawStatement(db, "PRAGMA integrity_check(100)")
    while try rows.step() {
      guard let text = rows.string(0), text != "ok" else { continue }
      try found(Finding(message: "the file: \(text)"))
    }
  }

  func foreignKeys() throws {
    let rows = try RawStatement(db, "PRAGMA foreign_key_check")
    while try rows.step() {
      try found(
        Finding(
          entity: rows.string(0), id: rows.isNull(1) ? nil : rows.integer(1),
          message: "leads to a \(rows.string(2) ?? "row") that is not there"))
    }
  }

  /// Every record read is one of the seven.
  func runs() throws {
    let rows = try RawStatement(
      db,
      """
      SELECT run, read, inserted + updated + unchanged + ignored + folded + rejected + rolled_back FROM bolide_run
      WHERE read <> inserted + updated + unchanged + ignored + folded + rejected + rolled_back
      """)
    while try rows.step() {
      try found(
        Finding(
          entity: "bolide_run", id: rows.integer(0), attribute: "read", stored: .integer(rows.integer(1)),
          expected: .integer(rows.integer(2))))
    }
  }

  /// Transactions own ranges of changes without gap or overlap, and count them.
  func history() throws {
    let transactions = try RawStatement(
      db,
      "SELECT number, first_change, last_change, inserted, updated, deleted FROM bolide_transaction ORDER BY number"
    )
    let counts = try RawStatement(
      db,
      """
      SELECT ifnull(sum((last - first + 1) * (kind = 0)), 0), ifnull(sum(kind = 1), 0), ifnull(sum(kind = 2), 0)
      FROM bolide_change WHERE change BETWEEN ? AND ?
      """)
    var end: Int64?
    while try transactions.step() {
      let (number, first, last) = (transactions.integer(0), transactions.integer(1), transactions.integer(2))
      if let end, first != end + 1 {
        try found(
          Finding(
            entity: "bolide_transaction", id: number, attribute: "first_change", stored: .integer(first),
            expected: .integer(end + 1)))
      }
      end = last
      counts.bind(first, at: 1)
      counts.bind(last, at: 2)
      _ = try counts.step()
      for (column, name) in ["inserted", "updated", "deleted"].enumerated() {
        let (stored, counted) = (transactions.integer(Int32(3 + column)), counts.integer(Int32(column)))
        guard stored != counted else { continue }
        try found(
          Finding(
            entity: "bolide_transaction", id: number, attribute: name, stored: .integer(stored),
            expected: .integer(counted)))
      }
      counts.reset()
    }
  }

  /// Counts and sums, from the children. Owners that wait to be computed anew are left out.
  func derived() throws {
    let model = try SchemaUpdate.storedModel(db) ?? Model()
    let numbers = try PropertyNumbers(db, model: model, creating: false)
    for group in DerivationGroup.all(in: model) {
      try compare(group, numbers.entity(group.owner.name))
    }
  }

  private func compare(_ group: DerivationGroup, _ number: Int64) throws {
    let recompute = try OwnerRecompute(db, group)
    let list = group.attributes.map { quoted($0.name) }.joined(separator: ", ")
    let owners = try RawStatement(
      db,
      """
      SELECT bolide_id, \(list) FROM \(quoted(group.owner.name))
      WHERE bolide_id NOT IN (SELECT object FROM bolide_dirty WHERE entity = \(number)) ORDER BY bolide_id
      """)
    while try owners.step() {
      let id = owners.integer(0)
      var values = try recompute.values(of: id)[...]
      for (index, attribute) in group.attributes.enumerated() {
        let expected = values.removeFirst()
        if attribute.lowPart != nil { values.removeFirst() }
        let stored = owners.value(Int32(index + 1))
        guard !stored.agrees(with: expected) else { continue }
        try found(
          Finding(
            entity: group.owner.name, id: id, attribute: attribute.name, stored: stored, expected: expected))
      }
    }
  }
}

extension Value {
  /// Equal, or for reals within one unit in the last place.
  fileprivate func agrees(with other: Value) -> Bool {
    guard case .real(let left) = self, case .real(let right) = other else { return self == other }
    return left == right || abs(left - right) <= max(left.ulp, right.ulp)
  }
}
