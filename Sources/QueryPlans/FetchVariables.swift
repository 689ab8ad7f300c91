internal import ImportModel
internal import RowExpressions
internal import SQLiteAccess
internal import StoreInterface

/// What `$FETCH_SOURCE` and `$FETCHED_PROPERTY` stand for in a fetched property's predicate.
package final class FetchVariables {
  /// The owners, by the name of their query.
  static let owner = "bolide_owner"

  /// What stands for an owner and what belongs to it.
  static let source = "$FETCH_SOURCE"

  /// What is asked for of an owner: columns of the tables that its fetch reads.
  private(set) var sources: [String] = []
  private let property: FetchedProperty
  private let tree: JoinTree

  /// - Parameter owner: gets the tables that paths of the owner lead to.
  init(_ property: FetchedProperty, of owner: JoinTree) {
    (self.property, tree) = (property, owner)
  }

  /// A source's name in the owners' query.
  static func source(_ index: Int) -> String { "bolide_s\(index)" }

  /// A variable with the names behind it, as SQL.
  ///
  /// - Throws: `StoreError` for what the owner or the property does not have.
  func sql(_ variable: String, _ path: [String]) throws(StoreError) -> String {
    switch variable {
    case Self.source:
      let property = path.isEmpty ? nil : try tree.property(at: path)
      let sql = property?.sql ?? JoinTree.id(0)
      let index = sources.firstIndex(of: sql) ?? sources.count
      if index == sources.count { sources.append(sql) }
      let column = "\(Self.owner).\(Self.source(index))"
      if case .decimal(let scale)? = property?.type { return DecimalNumbers.number(column, scale: scale) }
      return column
    case "$FETCHED_PROPERTY":
      let name = path.joined(separator: ".")
      guard let value = property.userInfo[name] else { throw .noUserInfo(name, of: property) }
      return value.sql
    default: throw .unknownVariable(variable)
    }
  }
}
