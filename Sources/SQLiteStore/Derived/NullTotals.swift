package import GRDB
package import ImportModel
internal import SQLiteAccess
internal import StoreInterface

extension NullTotals {
  private static let most = 10

  /// Finds them. What waits to be computed anew is left out: nobody knows yet.
  ///
  /// - Complexity: O(owners).
  package init(_ db: Database, _ model: Model) throws {
    self.init()
    let numbers = try PropertyNumbers(db, model: model, creating: false)
    for entity in model.entities {
      guard let table = try TableColumns(db, entity.name) else { continue }
      let columns = numbers.columns(of: entity)
      for attribute in entity.derivedAttributes where attribute.isTotal && table.has(attribute.name) {
        guard let number = columns.first(where: { $0.name == attribute.name })?.number else { continue }
        let owners = try RawStatement(
          db,
          """
          SELECT bolide_id FROM \(quoted(entity.name)) WHERE \(quoted(attribute.name)) IS NULL
          AND bolide_id NOT IN (SELECT object FROM bolide_dirty WHERE property = \(number) AND hop = 0) ORDER BY bolide_id
          """)
        while try owners.step() {
          count += 1
          if named.count < Self.most { named.append(.nullTotal(attribute, of: entity, owners.integer(0))) }
        }
      }
    }
  }
}
