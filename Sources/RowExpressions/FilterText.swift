internal import GRDB
package import ImportModel
internal import SQLiteAccess
internal import StoreInterface

/// A filter's text with another name in it.
package enum FilterText {
  /// SQLite itself does it, in a view over a table of its own.
  package static func renaming(
    _ old: String, to new: String, in filter: String, over entity: Entity
  ) throws -> String {
    guard entity.writableAttributes.contains(where: { $0.name == old }) else { return filter }
    let columns = entity.writableAttributes.map { "\(quoted($0.name)) \($0.type.storage.sql)" }
    let (start, end) = ("CREATE VIEW bolide_filter AS SELECT (", "\n) FROM record")
    let text = try DatabaseQueue().inDatabase { db in
      try db.run("CREATE TABLE record(\(columns.joined(separator: ", ")))")
      try db.run(start + filter + end)
      try db.run("ALTER TABLE record RENAME COLUMN \(quoted(old)) TO \(quoted(new))")
      return try db.value("SELECT sql FROM sqlite_schema WHERE name = 'bolide_filter'")
    }
    guard case .text(let text) = text, text.hasPrefix(start), text.hasSuffix(end) else {
      throw StoreError.unreadableFilter(filter)
    }
    return String(text.dropFirst(start.count).dropLast(end.count))
  }
}
