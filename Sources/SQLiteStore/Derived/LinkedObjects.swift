internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import TypedRows

/// Reads what aggregates take of the objects that new links lead to.
final class LinkedObjects {
  /// The index of the links' relationship to the objects among their to-one relationships.
  let onward: Int
  /// For each attribute of the group, the column of its values; nil for a count.
  let columns: [Int?]
  /// For each attribute, the column that says whether an object takes part; nil without a filter.
  private let filters: [Int?]
  private let query: RawStatement

  /// Nil for aggregates that read the children themselves.
  init?(_ db: Database, _ group: DerivedGroup, layout: ChunkLayout) throws {
    guard let (relationship, entity) = group.onward,
      let onward = layout.entity.toOneRelationships.firstIndex(where: { $0.name == relationship.name })
    else { return nil }
    self.onward = onward
    var selected = ["bolide_id"]
    func select(_ sql: String) -> Int {
      selected.append(sql)
      return selected.count - 1
    }
    columns = group.members.map { $0.children.attribute.map { select(quoted($0.name)) } }
    filters = group.members.map { $0.children.filter.map { select("(\($0)\n) IS TRUE") } }
    query = try RawStatement(
      db, "SELECT \(selected.joined(separator: ", ")) FROM \(quoted(entity.name)) WHERE bolide_id = ?")
  }

  /// Lends an object's values, and says for which attributes of the group it takes part.
  func read(_ object: Int64, _ body: (RowState, (Int) -> Bool) throws -> Void) throws {
    query.bind(object, at: 1)
    defer { query.reset() }
    guard try query.step() else { return }
    try body(.linked(query)) { index in filters[index].map { query.integer(Int32($0)) == 1 } ?? true }
  }
}
