internal import GRDB
internal import ImportModel
internal import SQLiteAccess

/// Computes owners' aggregates from their children, from scratch.
final class AggregateValues {
  private let group: DerivedGroup
  private let children: RawStatement
  /// For each attribute the query's column of its values; nil for a count.
  private let columns: [Int32?]
  /// For each attribute the query's column that says whether a child takes part; nil without a filter.
  private let filters: [Int32?]

  /// Whether `children` is on a row that no owner has had yet.
  private var isOnRow = false

  /// - Parameter condition: which owners are asked for, in the order of their ids, by `next`; nil for single ones, by `values`.
  init(_ db: Database, _ group: DerivedGroup, ofOwnersWhere condition: String? = nil) throws {
    self.group = group
    var selected = [condition == nil ? "bolide_id" : "bolide_owner"]
    func select(_ sql: String) -> Int32 {
      selected.append(sql)
      return Int32(selected.count - 1)
    }
    columns = group.members.map { $0.children.attribute.map { select(quoted($0.name)) } }
    filters = group.members.map { $0.children.filter.map { select("(\($0)\n) IS TRUE") } }
    let isRead = selected.count > 1
    let objects =
      condition.map { group.objectsByOwner(readingThem: isRead, where: $0) } ?? group.objectsOfOwner
    children = try RawStatement(db, "SELECT \(selected.joined(separator: ", ")) FROM \(objects)")
    if condition != nil { isOnRow = try children.step() }
  }

  /// The group's columns for an owner.
  ///
  /// A sum beyond the range of its type is null, and so is what is computed of one.
  /// - Complexity: O(children).
  func values(of id: Int64) throws -> [Value] {
    var states = group.members.map { State($0.children) }
    children.bind(id, at: 1)
    defer { children.reset() }
    while try children.step() { take(&states) }
    return zip(group.members, states).flatMap { member, state in state.values(member) }
  }

  /// The group's columns for the next owner that has an id above the last one's.
  func next(_ id: Int64) throws -> [Value] {
    var states = group.members.map { State($0.children) }
    // Who leads to an owner that is not there belongs to none.
    while isOnRow, children.integer(0) <= id {
      if children.integer(0) == id { take(&states) }
      isOnRow = try children.step()
    }
    return zip(group.members, states).flatMap { member, state in state.values(member) }
  }

  /// Takes the child of the query's row.
  private func take(_ states: inout [State]) {
    for index in states.indices {
      if let filter = filters[index], children.integer(filter) == 0 { continue }
      guard let column = columns[index] else {
        states[index].count += 1
        continue
      }
      states[index].take(children, column)
    }
  }

  /// One aggregate while its children go by.
  private struct State {
    let function: Derivation.Function
    let storage: StorageClass
    var count: Int64 = 0
    private let isOfTotals: Bool
    private var integer: Int128 = 0
    private var real = WideSum()
    private var best: Value = .null
    /// One of the values is a total that no number of its type is.
    private var isUnknown = false

    init(_ children: DerivedChildren) {
      function = children.function
      storage = children.attribute?.type.storage ?? .integer
      isOfTotals = children.attribute?.isTotal == true
    }

    mutating func take(_ row: RawStatement, _ column: Int32) {
      if row.isNull(column) { return isUnknown = isUnknown || isOfTotals }
      count += 1
      switch function {
      case .count: break
      case .sum where storage == .integer: integer += Int128(row.integer(column))
      case .sum, .average:
        real.add(storage == .integer ? .integer(row.integer(column)) : .real(row.real(column)))
      case .min, .max:
        let value = row.value(column)
        if best == .null || (function == .min ? value.isLess(than: best) : best.isLess(than: value)) {
          best = value
        }
      }
    }

    func values(_ member: DerivedGroup.Member) -> [Value] {
      if isUnknown { return Array(repeating: .null, count: 1 + member.attribute.hiddenColumns.count) }
      return switch function {
      case .count: [.integer(count)]
      case .min, .max: [best]
      case .average: [mean(member), .integer(count)] + parts
      case .sum where storage == .integer: [Int64(exactly: integer).map(Value.integer) ?? .null]
      case .sum: parts
      }
    }

    private var parts: [Value] { real.parts.map { $0.map(Value.real) ?? .null } }

    private func mean(_ member: DerivedGroup.Member) -> Value {
      guard count > 0, let mean = real.quotient(by: count, scale: member.scale) else { return .null }
      return .real(mean)
    }
  }
}
