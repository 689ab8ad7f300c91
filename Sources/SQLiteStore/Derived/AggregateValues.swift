internal import GRDB
internal import ImportModel

/// Computes an owner's aggregates from its children, from scratch.
final class AggregateValues {
  private let group: DerivedGroup
  private let children: RawStatement
  /// For each attribute the query's column of its values; nil for a count.
  private let columns: [Int32?]
  /// For each attribute the query's column that says whether a child takes part; nil without a filter.
  private let filters: [Int32?]

  init(_ db: Database, _ group: DerivedGroup) throws {
    self.group = group
    var selected = ["bolide_id"]
    func select(_ sql: String) -> Int32 {
      selected.append(sql)
      return Int32(selected.count - 1)
    }
    columns = group.members.map { $0.children.attribute.map { select(quoted($0.name)) } }
    filters = group.members.map { $0.children.filter.map { select("(\($0)\n) IS TRUE") } }
    children = try RawStatement(
      db, "SELECT \(selected.joined(separator: ", ")) FROM \(group.objectsOfOwner)")
  }

  /// The group's columns for an owner.
  ///
  /// A sum of reals that leaves the range of a double is infinite; a sum of whole numbers is an error.
  /// - Complexity: O(children).
  func values(of id: Int64) throws -> [Value] {
    var states = group.members.map { State($0.children) }
    children.bind(id, at: 1)
    defer { children.reset() }
    while try children.step() {
      for index in states.indices {
        if let filter = filters[index], children.integer(filter) == 0 { continue }
        guard let column = columns[index] else {
          states[index].count += 1
          continue
        }
        if children.isNull(column) { continue }
        guard states[index].take(children, column) else {
          let name = "\(group.owner.name).\(group.members[index].attribute.name)"
          throw StoreError.overflow(name, ofObject: id)
        }
      }
    }
    return zip(group.members, states).flatMap { member, state in state.values(member) }
  }

  /// One aggregate while its children go by.
  private struct State {
    let function: Derivation.Function
    let storage: StorageClass
    var count: Int64 = 0
    private var integer: Int64 = 0
    private var real = TwoPartSum()
    private var best: Value = .null

    init(_ children: DerivedChildren) {
      function = children.function
      storage = children.attribute?.type.storage ?? .integer
    }

    /// Takes a value that is not null.
    ///
    /// - Returns: false when the sum overflows.
    mutating func take(_ row: RawStatement, _ column: Int32) -> Bool {
      count += 1
      switch function {
      case .count: break
      case .sum where storage == .integer:
        let (sum, overflow) = integer.addingReportingOverflow(row.integer(column))
        integer = sum
        return !overflow
      case .sum, .average:
        real.add(TwoPartSum(storage == .integer ? .integer(row.integer(column)) : .real(row.real(column))))
      case .min, .max:
        let value = row.value(column)
        if best == .null || (function == .min ? value.isLess(than: best) : best.isLess(than: value)) {
          best = value
        }
      }
      return true
    }

    func values(_ member: DerivedGroup.Member) -> [Value] {
      switch function {
      case .count: [.integer(count)]
      case .min, .max: [best]
      case .average: member.average(count, real)
      case .sum where member.attribute.lowPart == nil: [.integer(integer)]
      // Without a low part the next change computes the owner anew.
      case .sum: [.real(real.value), real.isFinite ? .real(real.low) : .null]
      }
    }
  }
}
