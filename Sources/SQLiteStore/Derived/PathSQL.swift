internal import ImportModel
internal import SQLiteAccess

extension DerivedPath {
  /// The value at the path's end, as SQL.
  ///
  /// - Parameter column: the SQL for a column of the object where the path begins.
  func value(of column: (String) -> String) -> String {
    let plain = hops.isEmpty ? column(attribute.name) : value(at: 0, key: column(hops[0].relationship.column))
    return folding.map { "\(TextFunctions.name($0))(\(plain))" } ?? plain
  }

  private func value(at hop: Int, key: String) -> String {
    let table = "bolide_hop_\(hop)"
    let next = hop + 1
    let value =
      next == hops.count
      ? "\(table).\(quoted(attribute.name))"
      : self.value(at: next, key: "\(table).\(quoted(hops[next].relationship.column))")
    return
      "(SELECT \(value) FROM \(quoted(hops[hop].destination.name)) AS \(table) WHERE \(table).bolide_id = \(key))"
  }

  /// The objects at the path's beginning that come by those of `bolide_dirty` after some hops.
  func origins(from entity: Entity, property: Int64, hop: Int) -> String {
    guard hop > 0 else { return DerivedInvalidations.objects(property) }
    // From the marks back to the beginning: each join is a search in the index of a to-one relationship.
    var joins = ""
    var key = "bolide_mark.object"
    for index in stride(from: hop - 1, through: 0, by: -1) {
      let (table, alias) = (self.entity(after: index, from: entity), "bolide_hop_\(index)")
      joins +=
        " CROSS JOIN \(quoted(table.name)) AS \(alias) ON \(alias).\(quoted(hops[index].relationship.column)) = \(key)"
      key = "\(alias).bolide_id"
    }
    return
      "SELECT \(key) FROM bolide_dirty AS bolide_mark\(joins) WHERE \(DerivedInvalidations.isMarked(property, hop))"
  }
}

extension DerivedChildren {
  /// The owners whose links lead to the objects of `bolide_dirty`; nil where nothing is read through links.
  func owners(property: Int64) -> String? {
    guard readsThroughLinks, let onward else { return nil }
    let search =
      "CROSS JOIN \(quoted(entity.name)) AS bolide_link ON bolide_link.\(quoted(onward.relationship.column))"
    return "SELECT bolide_link.\(quoted(toOne.column)) FROM bolide_dirty AS bolide_mark "
      + "\(search) = bolide_mark.object WHERE \(DerivedInvalidations.isMarked(property, 1))"
  }
}

extension DerivedInvalidations {
  /// The objects of which a derived value is marked itself.
  static func objects(_ property: Int64) -> String {
    "SELECT bolide_mark.object FROM bolide_dirty AS bolide_mark WHERE \(isMarked(property, 0))"
  }

  fileprivate static func isMarked(_ property: Int64, _ hop: Int) -> String {
    "bolide_mark.property = \(property) AND bolide_mark.hop = \(hop)"
  }
}
