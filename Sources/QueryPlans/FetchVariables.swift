package import ImportModel
internal import RowExpressions
internal import SQLiteAccess
package import StoreInterface

/// What `$FETCH_SOURCE` and `$FETCHED_PROPERTY` stand for in a fetched property's predicate.
package final class FetchVariables {
  /// What a variable stands for.
  package enum Meaning {
    /// A column of the owners' query; the type is nil for an object id.
    case column(String, AttributeType?)
    /// A value of the property's own.
    case value(Value)
  }

  /// The owners, by the name of their query.
  package static let owner = "bolide_owner"

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

  /// What a variable stands for with the names behind it.
  ///
  /// - Throws: `StoreError` for what the owner or the property does not have.
  package func meaning(_ variable: String, _ path: [String]) throws(StoreError) -> Meaning {
    switch variable {
    case Self.source:
      let property = path.isEmpty ? nil : try tree.property(at: path)
      let sql = property?.sql ?? JoinTree.id(0)
      let index = sources.firstIndex(of: sql) ?? sources.count
      if index == sources.count { sources.append(sql) }
      return .column("\(Self.owner).\(Self.source(index))", property?.type)
    case "$FETCHED_PROPERTY":
      let name = path.joined(separator: ".")
      guard let value = property.userInfo[name] else { throw .noUserInfo(name, of: property) }
      return .value(value)
    default: throw .unknownVariable(variable)
    }
  }

  /// A variable with the names behind it, as SQLite's SQL.
  func sql(_ variable: String, _ path: [String]) throws(StoreError) -> String {
    switch try meaning(variable, path) {
    case .column(let column, .decimal(let scale)?): DecimalNumbers.number(column, scale: scale)
    case .column(let column, _): column
    case .value(let value): value.sql
    }
  }
}
