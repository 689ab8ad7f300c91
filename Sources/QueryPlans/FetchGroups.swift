internal import ImportModel
internal import StoreInterface

/// What a request groups by and computes of each group, as SQL.
struct FetchGroups {
  /// The columns that are grouped by.
  private(set) var columns: [String] = []
  /// What is read of the groups beside the aggregates.
  let shown: [String]
  private var aggregates: [(name: String, type: AttributeType, sql: String)] = []
  private let tree: JoinTree

  /// Nil for a request of objects.
  ///
  /// - Throws: `StoreError` for what cannot be grouped or computed.
  init?(_ request: ObjectQuery, _ tree: JoinTree) throws(StoreError) {
    guard request.isGrouped else { return nil }
    if request.isDistinct {
      if !request.groups.isEmpty || !request.aggregates.isEmpty { throw .distinctGroups }
      if request.properties.isEmpty { throw .distinctObjects }
    }
    guard request.related.isEmpty, request.batchSize == nil else { throw .groupsBring }
    self.tree = tree
    let groups = request.isDistinct ? request.properties : request.groups
    shown = request.properties.isEmpty ? groups : request.properties
    for name in groups { columns.append(try tree.property(at: tree.path(name)).sql) }
    for name in shown { try check(tree.property(at: tree.path(name)), name) }
    for aggregate in request.aggregates { aggregates.append(try Self.aggregate(aggregate, tree)) }
  }

  /// Appends the aggregates to what a row holds.
  ///
  /// - Throws: `StoreError` where two things would have one name.
  func addAggregates(to shape: inout RowLayout, _ cell: (String) -> Int) throws(StoreError) {
    for (name, type, sql) in aggregates {
      if name.isEmpty || shape.members.contains(where: { $0.name == name }) { throw .nameTwice(name) }
      shape.members.append(.init(name: name, type: type, cell: cell(sql), related: nil))
    }
  }

  /// What is sorted by: an aggregate's name, or a group.
  func sql(of key: ObjectQuery.SortKey) throws(StoreError) -> String {
    if let aggregate = aggregates.first(where: { $0.name.caseFolded == key.name.caseFolded }) {
      return aggregate.sql
    }
    // So that a misspelt aggregate is not looked for among the attributes.
    if key.name.contains("(") { throw .neitherGroupedNorComputed(key.name) }
    let property = try tree.property(at: tree.path(key.name))
    try check(property, key.name)
    return property.sql
  }

  private func check(_ property: JoinTree.Property, _ name: String) throws(StoreError) {
    if !columns.contains(property.sql) { throw .neitherGroupedNorComputed(name) }
  }

  // MARK: Aggregates

  private static func aggregate(
    _ aggregate: ObjectQuery.Aggregate, _ tree: JoinTree
  ) throws(StoreError) -> (name: String, type: AttributeType, sql: String) {
    let function = aggregate.function
    guard let path = aggregate.property else {
      guard function == .count else { throw .aggregateOfNothing(function) }
      return (aggregate.name, .integer64, "count(*)")
    }
    let property = try tree.property(at: tree.path(path))
    let (type, sql) = (property.type, property.sql)
    if function == .count { return (aggregate.name, .integer64, "count(\(sql))") }
    guard let type, function.takes(type) else {
      throw .cannotAggregate(path, of: tree.nodes[property.node].entity, type, function)
    }
    let attribute = tree.nodes[property.node].entity.attributes.first { $0.name == property.name }
    // A total that no number of its type is, is null.
    let isTotal = attribute?.isTotal == true
    let computed: AttributeType =
      switch function {
      case .sum where type.storage == .real: .double
      case .sum: if case .decimal = type { type } else { .integer64 }
      case .average: .double
      case .count, .min, .max: type
      }
    return (aggregate.name, computed, tree.dialect.aggregate(function, sql, type, isTotal))
  }
}

/// The functions of SQL that a grouping query calls: a column, whether it is a total, and the places of a decimal.
///
/// SQLite's own sums are rounded at each step, and fail where whole numbers overflow.
package enum AggregateSQL {
  /// The exact sum of whole numbers; null beyond 64 bits.
  package static let integerSum = "bolide_integer_sum"
  /// The sum of reals, rounded once; null beyond the range of a double.
  package static let realSum = "bolide_real_sum"
  /// The sum divided by the number of values, rounded once; null for none.
  package static let average = "bolide_average"
}

extension Derivation.Function {
  /// Whether it can be computed of values of a type.
  fileprivate func takes(_ type: AttributeType) -> Bool {
    switch (self, type) {
    case (.min, .boolean), (.min, .binary), (.min, .json), (.max, .boolean), (.max, .binary), (.max, .json):
      false
    case (.sum, _), (.average, _): type.isNumeric
    case (.count, _), (.min, _), (.max, _): true
    }
  }
}
