package import ImportModel
package import StoreInterface
internal import SQLiteAccess

/// A store that objects are copied into, inside the transaction of an edit: what an engine's SQL has of its own.
///
/// What is copied goes through temporary tables, so that memory does not grow with it.
package protocol CopyTarget {
  /// The store's model, with the entities of many-to-many links.
  var model: Model { get }
  /// What SQL calls the place of temporary tables.
  static var temporary: String { get }
  /// The type of a column that counts rows.
  static var places: String { get }
  /// What stands before the names of the store's tables.
  static var own: String { get }
  /// What stands before the names of the source's tables; nil where SQL cannot read them.
  var source: String? { get }

  /// The type of a temporary column: of an attribute, or of object ids.
  func column(_ type: AttributeType?) -> String

  /// Whether two values of a type differ; null is a value.
  func differs(_ type: AttributeType?, _ left: String, _ right: String) -> String

  /// Runs a statement.
  func run(_ sql: String) throws

  /// The number that a query gives.
  func number(_ sql: String) throws -> Int64

  /// Adds ids to a temporary table.
  ///
  /// - Returns: whether it lacked any of them.
  func add(_ ids: [Int64], to table: String) throws -> Bool

  /// Ids of a temporary table, in its order, with their places in it.
  ///
  /// - Parameters:
  ///   - place: behind which place.
  ///   - limit: how many at most.
  func ids(in table: String, behind place: Int64, limit: Int) throws -> [(place: Int64, id: Int64)]

  /// Writes rows of the source into a temporary table.
  ///
  /// - Throws: `StoreError.copyBreaksRule` for what the engine does not store.
  func write(_ rows: [[Value]], of entity: Entity, to table: String) throws

  /// Has the engine look at a temporary table whose rows have changed, as far as it plans statements by that.
  func analyze(_ table: String) throws

  /// Hands over an attribute's different values.
  ///
  /// - Parameters:
  ///   - column: the column.
  ///   - rows: what stands behind FROM.
  func eachValue(
    of attribute: Attribute, _ column: String, in rows: String, _ body: (Value) throws -> Void) throws

  /// Whether a text is JSON.
  func isJSON(_ text: String) throws -> Bool

  /// Writes rows of an entity, under the rules of its columns.
  ///
  /// - Throws: `StoreError.copyBreaksRule` where one of them is broken.
  func writing(_ entity: Entity, _ body: () throws -> Void) throws
}

extension CopyStep {
  /// The query of the objects that it leads to, for `CopySource`.
  ///
  /// - Parameters:
  ///   - tables: what stands before the names of tables.
  ///   - objects: a query of the ids of the objects where it begins.
  ///   - last: behind which id.
  package func ids(in tables: String, from objects: String, behind last: String, limit: Int) -> String {
    let (holder, link) = ("\(tables)\(quoted(holder.name)) AS s", "s.\(quoted(link.column))")
    // A link may lead nowhere, where another program did not look at it.
    return isForward
      ? """
      SELECT DISTINCT o.bolide_id FROM \(holder) JOIN \(tables)\(quoted(destination.name)) AS o ON o.bolide_id = \(link)
      WHERE s.bolide_id IN (\(objects)) AND o.bolide_id > \(last) ORDER BY o.bolide_id LIMIT \(limit)
      """
      : """
      SELECT s.bolide_id FROM \(holder)
      WHERE \(link) IN (\(objects)) AND s.bolide_id > \(last) ORDER BY s.bolide_id LIMIT \(limit)
      """
  }
}
