internal import ChunkMerging
internal import ImportModel
internal import TypedRows

/// What one chunk does to the owners of a group: of each touched owner a slot, and in it a difference for each attribute.
///
///     owners     [ 17 |  4 | … ]            in the order in which they were touched
///     integers   [ a b | a b | … ]          as many for each slot as there are attributes: a, b; the others likewise
struct OwnerDifferences {
  /// What an attribute takes of a child: a column of the chunk, as a rule.
  enum Part {
    case count
    case sum(Int)
    case extreme(Int, isMaximum: Bool)
    case average(Int)

    var isMaximum: Bool? {
      if case .extreme(_, let isMaximum) = self { isMaximum } else { nil }
    }
  }

  let parts: [Part]
  private(set) var owners: [Int64] = []
  private var known = DistinctKeys()
  private var integers: [Int64] = []
  private var reals: [ExactSum] = []
  /// Stays empty where no part is one.
  private var extremes: [Extreme] = []
  /// The slots in which a number was too large.
  private var overflowed: Set<Int> = []

  private let hasExtremes: Bool

  init(of parts: [Part]) {
    self.parts = parts
    hasExtremes = parts.contains { $0.isMaximum != nil }
  }

  mutating func removeAll() {
    owners.removeAll(keepingCapacity: true)
    known = DistinctKeys()
    integers.removeAll(keepingCapacity: true)
    reals.removeAll(keepingCapacity: true)
    extremes.removeAll(keepingCapacity: true)
    overflowed.removeAll()
  }

  /// The slot of an owner, which is touched with it.
  mutating func slot(of owner: Int64) -> Int {
    // The upper bits of the product depend on all of the id's.
    let hash = Int((UInt64(bitPattern: owner) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    if let slot = known.first(like: owners.count, hash, isSame: { owners[$0] == owner }) { return slot }
    owners.append(owner)
    for part in parts {
      integers.append(0)
      reals.append(ExactSum())
      if hasExtremes { extremes.append(Extreme(isMaximum: part.isMaximum == true)) }
    }
    return owners.count - 1
  }

  /// Adds new rows to all attributes, an attribute at a time.
  ///
  /// - Parameter owners: each row's, 0 for none.
  mutating func add(_ chunk: Chunk, _ rows: [Int32], to owners: [Int64]) {
    var children: [(row: Int32, slot: Int32)] = []
    children.reserveCapacity(rows.count)
    for row in rows where owners[Int(row)] != 0 {
      children.append((row, Int32(truncatingIfNeeded: slot(of: owners[Int(row)]))))
    }
    let width = parts.count
    for (index, part) in parts.enumerated() {
      switch part {
      case .count:
        for child in children { integers[Int(child.slot) * width + index] += 1 }
      case .sum(let column) where chunk.layout.storages[column] == .real:
        for child in children where chunk.state(column, Int(child.row)) == .value {
          reals[Int(child.slot) * width + index].add(chunk.real(column, Int(child.row)))
        }
      case .sum, .extreme, .average:
        for child in children { note(.new(chunk, Int(child.row)), 1, index, in: Int(child.slot)) }
      }
    }
  }

  /// Adds a child to an attribute (1), or takes it away (-1).
  mutating func note(_ row: RowState, _ sign: Int64, _ index: Int, in slot: Int) {
    let place = slot * parts.count + index
    switch parts[index] {
    case .count: integers[place] += sign
    case .sum(let column):
      switch row.number(column) {
      case .integer(let value):
        let (product, tooLarge) = value.multipliedReportingOverflow(by: sign)
        let (sum, overflow) = integers[place].addingReportingOverflow(product)
        integers[place] = sum
        if tooLarge || overflow { overflowed.insert(slot) }
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

  // MARK: What was gathered

  func hasOverflow(_ slot: Int) -> Bool { overflowed.contains(slot) }

  func isEmpty(_ slot: Int) -> Bool {
    let places = slot * parts.count..<(slot + 1) * parts.count
    return !overflowed.contains(slot)
      && places.allSatisfy {
        integers[$0] == 0 && reals[$0] == ExactSum() && (!hasExtremes || !extremes[$0].isTouched)
      }
  }

  func integer(_ slot: Int, _ index: Int) -> Int64 { integers[slot * parts.count + index] }

  func real(_ slot: Int, _ index: Int) -> ExactSum { reals[slot * parts.count + index] }

  func extreme(_ slot: Int, _ index: Int) -> Extreme { extremes[slot * parts.count + index] }
}
