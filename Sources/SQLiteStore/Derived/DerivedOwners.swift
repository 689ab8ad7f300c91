internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import TypedRows

/// Keeps the aggregates of one entity over one relationship true: what a chunk does is gathered, and applied once an owner.
final class DerivedOwners {
  let entityName: String
  /// The relationship's index among the child's to-one relationships.
  let relationship: Int
  /// Where the children are links, what is read of the objects that they lead to.
  let objects: LinkedObjects?

  private let group: DerivedGroup
  private let entity: Int64
  private let filters: [ChildFilter?]
  private let isFiltered: Bool
  private let read: RawStatement
  private let write: RawStatement
  private let children: AggregateValues
  private let indexes: DeferredIndexes
  private var differences: OwnerDifferences

  init(
    _ db: Database, _ group: DerivedGroup, layout: ChunkLayout, numbers: PropertyNumbers,
    indexes: DeferredIndexes
  ) throws {
    self.group = group
    self.indexes = indexes
    entityName = group.owner.name
    guard let index = layout.entity.toOneRelationships.firstIndex(where: { $0.name == group.toOne.name })
    else {
      preconditionFailure("a group's children have its relationship")
    }
    relationship = index
    entity = numbers.entity(group.owner.name)
    let objects = try LinkedObjects(db, group, layout: layout)
    self.objects = objects
    let parts = group.members.enumerated().map { index, member -> OwnerDifferences.Part in
      let ofChild = member.children.attribute.flatMap { attribute in
        layout.columns[..<layout.storedCount].firstIndex { $0.name == attribute.name }
      }
      guard let column = objects.map({ $0.columns[index] }) ?? ofChild else { return .count }
      return switch member.children.function {
      case .count: .count
      case .sum: .sum(column)
      case .min: .extreme(column, isMaximum: false)
      case .max: .extreme(column, isMaximum: true)
      case .average: .average(column)
      }
    }
    differences = OwnerDifferences(of: parts)
    filters = try group.members.map { member in
      try objects == nil ? ChildFilter(db, member.children, layout: layout) : nil
    }
    isFiltered = filters.contains { $0 != nil }
    read = try RawStatement(db, group.select)
    write = try RawStatement(db, group.update)
    children = try AggregateValues(db, group)
  }

  func begin() { differences.removeAll() }

  // MARK: Gathering

  /// New rows join their owners.
  ///
  /// - Parameter owners: each row's, 0 for none.
  func add(_ chunk: Chunk, _ rows: [Int32], to owners: [Int64], _ links: Links) throws {
    // A local variable, as each way into a class's property is guarded.
    var differences = self.differences
    self.differences = OwnerDifferences(of: differences.parts)
    defer { self.differences = differences }
    if objects == nil, !isFiltered { return differences.add(chunk, rows, to: owners) }
    let objectIDs = objects.flatMap { links.owners(ofRelationship: $0.onward, chunk) }
    for row in rows.lazy.map(Int.init) where owners[row] != 0 {
      let slot = differences.slot(of: owners[row])
      if let objects {
        try objects.read(objectIDs?[row] ?? 0) { object, takesPart in
          for index in filters.indices where takesPart(index) {
            differences.note(object, 1, index, in: slot)
          }
        }
      } else {
        let state = RowState.new(chunk, row)
        for index in filters.indices where try takes(state, index) {
          differences.note(state, 1, index, in: slot)
        }
      }
    }
  }

  /// A child joins its owner (1), or leaves it (-1).
  func move(_ owner: Int64, by sign: Int64, _ row: RowState) throws {
    let slot = differences.slot(of: owner)
    for index in filters.indices where try takes(row, index) {
      differences.note(row, sign, index, in: slot)
    }
  }

  /// A child of an owner gets other values.
  func replace(_ owner: Int64, old: RowState, new: RowState) throws {
    for (index, part) in differences.parts.enumerated() {
      let (was, willBe) = (try takes(old, index), try takes(new, index))
      if was == willBe {
        guard was else { continue }
        switch part {
        case .count: continue
        case .sum(let column):
          if old.number(column) == new.number(column) { continue }
        case .extreme(let column, _), .average(let column):
          if old.value(column) == new.value(column) { continue }
        }
      }
      let slot = differences.slot(of: owner)
      if willBe { differences.note(new, 1, index, in: slot) }
      if was { differences.note(old, -1, index, in: slot) }
    }
  }

  private func takes(_ row: RowState, _ index: Int) throws -> Bool {
    try !isFiltered || filters[index]?.passes(row) ?? true
  }

  // MARK: Applying

  /// Adds the differences to the owners, one read and one write for each, and notes the history.
  ///
  /// - Parameter isMade: whether an owner was made for this chunk: its history is its insertion alone.
  func end(history: HistoryWriter, isMade: (Int64) -> Bool, marks: DerivedInvalidations) throws {
    // A local variable, as each way into a class's property is guarded.
    let differences = differences
    for slot in differences.owners.indices.sorted(by: { differences.owners[$0] < differences.owners[$1] }) {
      if differences.isEmpty(slot) { continue }
      let owner = differences.owners[slot]
      read.bind(owner, at: 1)
      defer { read.reset() }
      // An owner that another program deleted has nothing to keep true.
      guard try read.step() else { continue }
      var values = newValues(differences, slot)
      if values == nil {
        try indexes.build()
        values = try children.values(of: owner)
      }
      guard let values else { continue }
      let changed = group.changed(read, values)
      try history.noteDerived(entity, owner, changed, read, isNew: isMade(owner))
      marks.note(values, of: group)
      write.bind(values)
      write.bind(owner, at: Int32(values.count + 1))
      try write.run()
      for change in changed { try marks.propagate(change.property, owner) }
    }
  }

  /// The owner's new columns; nil when they must be computed anew.
  private func newValues(_ differences: OwnerDifferences, _ slot: Int) -> [Value]? {
    if differences.hasOverflow(slot) { return nil }
    var values: [Value] = []
    values.reserveCapacity(group.columnCount)
    for (index, part) in differences.parts.enumerated() {
      let place = group.places[index]
      let integer = differences.integer(slot, index)
      switch part {
      case .sum where place.hasParts:
        guard let sum = sum(at: place.column, adding: differences.real(slot, index)) else { return nil }
        values.append(sum)
      case .count, .sum:
        let (sum, overflow) = read.integer(place.column).addingReportingOverflow(integer)
        if overflow || read.isNull(place.column) { return nil }
        values.append(.integer(sum))
      case .extreme:
        let extreme = differences.extreme(slot, index)
        guard let value = extreme.value(after: read.value(place.column)) else { return nil }
        values.append(value)
      case .average:
        let count = read.integer(place.column + 1) + integer
        guard let sum = sum(at: place.column + 2, adding: differences.real(slot, index)),
          let mean = group.members[index].mean(count, sum)
        else { return nil }
        values.append(mean)
        values.append(.integer(count))
        values.append(sum)
      }
    }
    return values
  }

  /// The sum whose parts stand in the owner's columns, with a difference; nil when it must be computed anew.
  private func sum(at column: Int32, adding difference: ExactSum) -> ExactSum? {
    if read.isNull(column + 3) { return nil }
    var sum = ExactSum(
      read.real(column), read.real(column + 1), read.real(column + 2), read.real(column + 3))
    sum.add(difference)
    return sum.normalized
  }
}

extension [Value] {
  /// Appends the four parts.
  fileprivate mutating func append(_ sum: ExactSum) {
    append(.real(sum.first))
    append(.real(sum.second))
    append(.real(sum.third))
    append(.real(sum.fourth))
  }
}

extension DerivedGroup {
  /// The attributes whose values are others now: their numbers, and their columns in a row that `select` gave.
  func changed(_ row: RawStatement, _ values: [Value]) -> [(property: Int64, column: Int32)] {
    var changed: [(property: Int64, column: Int32)] = []
    for place in places where row.value(place.column) != values[Int(place.column)] {
      changed.append((place.property, place.column))
    }
    return changed
  }
}

extension DerivedGroup.Member {
  /// The decimals of the values, which are whole numbers of units.
  var scale: Int {
    if case .decimal(let scale) = children.attribute?.type { scale } else { 0 }
  }

  /// The average of so many values with a normalized sum; nil when it must be computed anew.
  func mean(_ count: Int64, _ sum: ExactSum) -> Value? {
    if count == 0 { return .null }
    var divisor = count
    for _ in 0..<scale {
      let (product, overflow) = divisor.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      divisor = product
    }
    return sum.quotient(by: divisor).map(Value.real)
  }
}

extension HistoryWriter {
  /// Notes that derived attributes of an object have other values, unless the object is new to history anyway.
  ///
  /// - Parameter row: a query's current row with the values before.
  func noteDerived(
    _ entity: Int64, _ object: Int64, _ changed: [(property: Int64, column: Int32)], _ row: RawStatement,
    isNew: Bool
  ) throws {
    guard !isNew, !changed.isEmpty else { return }
    try noteUpdate(entity, object)
    for change in changed { try notePrevious(change.property, row, change.column) }
  }
}
