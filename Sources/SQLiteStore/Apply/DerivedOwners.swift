internal import GRDB
internal import ImportModel

/// What one chunk adds to the owners of one entity over one relationship.
final class DerivedOwners {
  let entityName: String
  /// The relationship's index among the child's to-one relationships.
  let relationship: Int

  private let attributes: [Attribute]
  private let properties: [Int64]
  private let entity: Int64
  /// The chunk's column that each derived attribute sums; nil for a count.
  private let summed: [Int?]
  private let read: RawStatement
  private let write: RawStatement
  private let recompute: OwnerRecompute

  /// The touched owners, and for each its differences: one for each attribute.
  private var slots: [Int64: Int] = [:]
  private var integers: [Int64] = []
  private var reals: [TwoPartSum] = []
  private var overflowed: Set<Int64> = []

  init(_ db: Database, _ group: DerivationGroup, layout: ChunkLayout, numbers: PropertyNumbers) throws {
    entityName = group.owner.name
    attributes = group.attributes
    guard let index = layout.entity.toOneRelationships.firstIndex(where: { $0.name == group.toOne.name })
    else {
      preconditionFailure("a group's children have its relationship")
    }
    relationship = index
    entity = numbers.entity(group.owner.name)
    let columns = numbers.columns(of: group.owner)
    properties = attributes.map { attribute in columns.first { $0.name == attribute.name }?.number ?? 0 }
    summed = attributes.map { attribute in
      group.summed(attribute).flatMap { name in
        layout.columns[..<layout.storedCount].firstIndex { $0.name == name }
      }
    }
    let table = quoted(group.owner.name)
    read = try RawStatement(
      db, "SELECT \(group.columns.joined(separator: ", ")) FROM \(table) WHERE bolide_id = ?")
    write = try RawStatement(db, group.update)
    recompute = try OwnerRecompute(db, group)
  }

  func begin() {
    slots.removeAll(keepingCapacity: true)
    integers.removeAll(keepingCapacity: true)
    reals.removeAll(keepingCapacity: true)
    overflowed.removeAll()
  }

  /// A child joins its owner, or leaves it.
  func move(_ owner: Int64, by sign: Int64, _ value: (Int) -> Number) {
    let first = slot(owner)
    for (index, column) in summed.enumerated() {
      guard let column else {
        integers[first + index] += sign
        continue
      }
      add(value(column), sign, first + index, owner)
    }
  }

  /// A child of an owner gets other values.
  func replace(_ owner: Int64, old: (Int) -> Number, new: (Int) -> Number) {
    for (index, column) in summed.enumerated() {
      guard let column else { continue }
      let (before, after) = (old(column), new(column))
      guard before.integer != after.integer || before.real != after.real else { continue }
      let first = slot(owner)
      add(after, 1, first + index, owner)
      add(before, -1, first + index, owner)
    }
  }

  /// Adds the differences to the owners, one read and one write for each, and notes the history.
  func end(history: HistoryWriter, made: Set<Int64>) throws {
    for (owner, first) in slots.sorted(by: { $0.key < $1.key }) {
      guard overflowed.contains(owner) || hasDifference(first) else { continue }
      read.bind(owner, at: 1)
      defer { read.reset() }
      // An owner that another program deleted has nothing to keep true.
      guard try read.step() else { continue }
      var values = try newValues(owner, first)
      if values == nil { values = try recompute.values(of: owner) }
      guard let values else { continue }
      try note(values, owner, history, isNew: made.contains(owner))
      for (index, value) in values.enumerated() { write.bind(value, at: Int32(index + 1)) }
      write.bind(owner, at: Int32(values.count + 1))
      try write.run()
    }
  }

  private func slot(_ owner: Int64) -> Int {
    if let slot = slots[owner] { return slot }
    let first = integers.count
    slots[owner] = first
    integers.append(contentsOf: repeatElement(0, count: attributes.count))
    reals.append(contentsOf: repeatElement(TwoPartSum(), count: attributes.count))
    return first
  }

  private func add(_ number: Number, _ sign: Int64, _ place: Int, _ owner: Int64) {
    switch number {
    case .integer(let value):
      let (product, tooLarge) = value.multipliedReportingOverflow(by: sign)
      let (sum, overflow) = integers[place].addingReportingOverflow(product)
      integers[place] = sum
      if tooLarge || overflow { overflowed.insert(owner) }
    case .real(let value):
      reals[place].add(sign < 0 ? -value : value)
    }
  }

  private func hasDifference(_ first: Int) -> Bool {
    attributes.indices.contains { integers[first + $0] != 0 || reals[first + $0] != TwoPartSum() }
  }

  /// The owner's new columns; nil when they must be computed anew.
  private func newValues(_ owner: Int64, _ first: Int) throws -> [Value]? {
    if overflowed.contains(owner) { return nil }
    var values: [Value] = []
    var column: Int32 = 0
    for (index, attribute) in attributes.enumerated() {
      if attribute.lowPart != nil {
        guard !read.isNull(column + 1) else { return nil }
        var sum = TwoPartSum(high: read.real(column), low: read.real(column + 1))
        sum.add(reals[first + index])
        guard sum.isFinite else { return nil }
        values += [.real(sum.high), .real(sum.low)]
        column += 2
      } else {
        let (sum, overflow) = read.integer(column).addingReportingOverflow(integers[first + index])
        if overflow { return nil }
        values.append(.integer(sum))
        column += 1
      }
    }
    return values
  }

  private func note(_ values: [Value], _ owner: Int64, _ history: HistoryWriter, isNew: Bool) throws {
    if isNew { return }
    var column: Int32 = 0
    var changed: [(property: Int64, column: Int32)] = []
    for (index, attribute) in attributes.enumerated() {
      if read.value(column) != values[Int(column)] { changed.append((properties[index], column)) }
      column += attribute.lowPart == nil ? 1 : 2
    }
    guard !changed.isEmpty else { return }
    try history.noteUpdate(entity, owner)
    for change in changed { try history.notePrevious(change.property, read, change.column) }
  }
}
