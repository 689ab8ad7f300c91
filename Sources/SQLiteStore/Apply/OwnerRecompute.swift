internal import GRDB
internal import ImportModel

/// Computes an owner's derived attributes from its children, from scratch.
final class OwnerRecompute {
  private let group: DerivationGroup
  private var attributes: [Attribute] { group.attributes }
  private let children: RawStatement
  private let columnOf: [Int32?]

  init(_ db: Database, _ group: DerivationGroup) throws {
    self.group = group
    var summed: [String] = []
    columnOf = group.attributes.map { attribute in
      guard let name = group.summed(attribute) else { return nil }
      summed.append(quoted(name))
      return Int32(summed.count)
    }
    children = try RawStatement(
      db,
      """
      SELECT \((["bolide_id"] + summed).joined(separator: ", ")) FROM \(quoted(group.child.name))
      WHERE \(quoted(group.toOne.column)) = ?
      """)
  }

  /// The columns of the derived attributes, a real sum's low part behind its high one.
  ///
  /// A sum of reals that leaves the range of a double is infinite; a sum of whole numbers is an error.
  /// - Complexity: O(children).
  func values(of id: Int64) throws -> [Value] {
    var integers = [Int64](repeating: 0, count: attributes.count)
    var reals = [TwoPartSum](repeating: TwoPartSum(), count: attributes.count)
    children.bind(id, at: 1)
    defer { children.reset() }
    while try children.step() {
      for (index, attribute) in attributes.enumerated() {
        guard let column = columnOf[index] else {
          integers[index] += 1
          continue
        }
        if attribute.lowPart != nil {
          reals[index].add(children.real(column))
        } else {
          let (sum, overflow) = integers[index].addingReportingOverflow(children.integer(column))
          guard !overflow else {
            throw StoreError(
              .derivedOverflow,
              "\(group.owner.name).\(attribute.name) of the object \(id) is beyond the range of 64 bits",
              hint: "Sum smaller numbers, or derive the sum from a double.")
          }
          integers[index] = sum
        }
      }
    }
    return attributes.enumerated().flatMap { index, attribute -> [Value] in
      guard attribute.lowPart != nil else { return [.integer(integers[index])] }
      let sum = reals[index]
      // Without a low part the next change computes the owner anew.
      return sum.isFinite
        ? [.real(sum.high), .real(sum.low)] : [.real(sum.high.isNaN ? .infinity : sum.high), .null]
    }
  }
}

extension OwnerRecompute {
  /// Computes the owners anew that stand in `bolide_dirty`, with history, in a transaction of its own.
  static func settle(_ db: Database, model: Model) throws {
    guard try db.value("SELECT 1 FROM bolide_dirty LIMIT 1") != .null else { return }
    try db.inTransaction(.immediate) {
      let numbers = try PropertyNumbers(db, model: model, creating: false)
      for group in DerivationGroup.all(in: model) {
        try OwnerRecompute(db, group).settle(db, numbers.entity(group.owner.name))
      }
      try db.run("DELETE FROM bolide_dirty")
      return .commit
    }
  }

  /// The triggers are on here: they write the history.
  private func settle(_ db: Database, _ entity: Int64) throws {
    let dirty = try RawStatement(db, "SELECT object FROM bolide_dirty WHERE entity = \(entity)")
    let write = try RawStatement(db, group.update)
    while try dirty.step() {
      let values = try values(of: dirty.integer(0))
      for (index, value) in values.enumerated() { write.bind(value, at: Int32(index + 1)) }
      write.bind(dirty.integer(0), at: Int32(values.count + 1))
      try write.run()
    }
  }
}
