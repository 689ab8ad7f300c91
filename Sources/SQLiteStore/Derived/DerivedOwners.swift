internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import TypedRows

/// What one chunk does to the owners of one entity over one relationship: gathered, then applied once an owner.
final class DerivedOwners {
  let entityName: String
  /// The relationship's index among the child's to-one relationships.
  let relationship: Int
  /// Where the children are links, what is read of the objects that they lead to.
  let objects: LinkedObjects?

  private let group: DerivedGroup
  private let entity: Int64
  private let parts: [Part]
  private let filters: [ChildFilter?]
  private let isFiltered: Bool
  private let read: RawStatement
  private let write: RawStatement
  private let children: AggregateValues
  private let indexes: DeferredIndexes

  /// The touched owners, and for each its differences: one for each attribute.
  private var slots: [Int64: Int] = [:]
  private var integers: [Int64] = []
  private var reals: [ExactSum] = []
  /// Stays empty where the group has none.
  private var extremes: [Extreme] = []
  private var overflowed: Set<Int64> = []

  /// What an attribute takes of a child: a column of the chunk, as a rule.
  private enum Part {
    case count
    case sum(Int)
    case extreme(Int, isMaximum: Bool)
    case average(Int)
  }

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
    parts = group.members.enumerated().map { index, member in
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
    filters = try group.members.map { member in
      try objects == nil ? ChildFilter(db, member.children, layout: layout) : nil
    }
    isFiltered = filters.contains { $0 != nil }
    read = try RawStatement(db, group.select)
    write = try RawStatement(db, group.update)
    children = try AggregateValues(db, group)
  }

  func begin() {
    slots.removeAll(keepingCapacity: true)
    integers.removeAll(keepingCapacity: true)
    reals.removeAll(keepingCapacity: true)
    extremes.removeAll(keepingCapacity: true)
    overflowed.removeAll()
  }

  // MARK: Gathering

  /// An owner gets a link to an object.
  func link(_ owner: Int64, to object: Int64, _ objects: LinkedObjects) throws {
    let first = slot(owner)
    try objects.read(object) { row, takesPart in
      for index in parts.indices where takesPart(index) { note(row, 1, index, first + index, owner) }
    }
  }

  /// A child joins its owner (1), or leaves it (-1).
  func move(_ owner: Int64, by sign: Int64, _ row: RowState) throws {
    let first = slot(owner)
    for index in parts.indices where try takes(row, index) { note(row, sign, index, first + index, owner) }
  }

  /// A child of an owner gets other values.
  func replace(_ owner: Int64, old: RowState, new: RowState) throws {
    for (index, part) in parts.enumerated() {
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
      let first = slot(owner)
      if willBe { note(new, 1, index, first + index, owner) }
      if was { note(old, -1, index, first + index, owner) }
    }
  }

  private func takes(_ row: RowState, _ index: Int) throws -> Bool {
    try !isFiltered || filters[index]?.passes(row) ?? true
  }

  private func slot(_ owner: Int64) -> Int {
    if let slot = slots[owner] { return slot }
    let first = integers.count
    slots[owner] = first
    integers.append(contentsOf: repeatElement(0, count: parts.count))
    reals.append(contentsOf: repeatElement(ExactSum(), count: parts.count))
    if group.hasExtremes {
      extremes += group.members.map { Extreme(isMaximum: $0.children.function == .max) }
    }
    return first
  }

  private func note(_ row: RowState, _ sign: Int64, _ index: Int, _ place: Int, _ owner: Int64) {
    switch parts[index] {
    case .count: integers[place] += sign
    case .sum(let column):
      switch row.number(column) {
      case .integer(let value):
        let (product, tooLarge) = value.multipliedReportingOverflow(by: sign)
        let (sum, overflow) = integers[place].addingReportingOverflow(product)
        integers[place] = sum
        if tooLarge || overflow { overflowed.insert(owner) }
      case .real(let value): reals[place].add(sign < 0 ? -value : value)
      }
    case .extreme(let column, _):
      if !row.isNull(column) { extremes[place].note(row.value(column), isAdded: sign > 0) }
    case .average(let column):
      guard !row.isNull(column) else { return }
      integers[place] += sign
      var value = ExactSum(row.number(column))
      if sign < 0 { value.negate() }
      reals[place].add(value)
    }
  }

  // MARK: Applying

  /// Adds the differences to the owners, one read and one write for each, and notes the history.
  ///
  /// - Parameter isMade: whether an owner was made for this chunk: its history is its insertion alone.
  func end(history: HistoryWriter, isMade: (Int64) -> Bool, marks: DerivedInvalidations) throws {
    for (owner, first) in slots.sorted(by: { $0.key < $1.key }) {
      guard overflowed.contains(owner) || hasDifference(first) else { continue }
      read.bind(owner, at: 1)
      defer { read.reset() }
      // An owner that another program deleted has nothing to keep true.
      guard try read.step() else { continue }
      var values = try newValues(owner, first)
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

  private func hasDifference(_ first: Int) -> Bool {
    parts.indices.contains {
      integers[first + $0] != 0 || reals[first + $0] != ExactSum()
        || (!extremes.isEmpty && extremes[first + $0].isTouched)
    }
  }

  /// The owner's new columns; nil when they must be computed anew.
  private func newValues(_ owner: Int64, _ first: Int) throws -> [Value]? {
    if overflowed.contains(owner) { return nil }
    var values: [Value] = []
    for (index, member) in group.members.enumerated() {
      let column = Int32(values.count)
      let (integer, real) = (integers[first + index], reals[first + index])
      switch parts[index] {
      case .sum where member.attribute.hasParts:
        guard let sum = sum(at: column, adding: real) else { return nil }
        values += sum.values
      case .count, .sum:
        let (sum, overflow) = read.integer(column).addingReportingOverflow(integer)
        if read.isNull(column) { return nil }
        if overflow { return nil }
        values.append(.integer(sum))
      case .extreme:
        guard let extreme = extremes[first + index].value(after: read.value(column)) else { return nil }
        values.append(extreme)
      case .average:
        let count = read.integer(column + 1) + integer
        guard let sum = sum(at: column + 2, adding: real), let mean = member.mean(count, sum) else {
          return nil
        }
        values += [mean, .integer(count)] + sum.values
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

extension ExactSum {
  fileprivate var values: [Value] { [.real(first), .real(second), .real(third), .real(fourth)] }
}

extension DerivedGroup {
  var hasExtremes: Bool {
    members.contains { $0.children.function == .min || $0.children.function == .max }
  }

  /// The attributes whose values are others now: their numbers, and their columns in a row that `select` gave.
  func changed(_ row: RawStatement, _ values: [Value]) -> [(property: Int64, column: Int32)] {
    var changed: [(property: Int64, column: Int32)] = []
    var column = 0
    for member in members {
      if row.value(Int32(column)) != values[column] { changed.append((member.node.property, Int32(column))) }
      column += 1 + member.attribute.hiddenColumns.count
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
