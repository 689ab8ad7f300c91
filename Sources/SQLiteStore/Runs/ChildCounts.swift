package import GRDB
internal import ImportModel
package import SQLiteAccess
package import StoreInterface

extension ChildCounts {
  /// Those of a run, in the order of their entities.
  package static func all(_ db: Database, run: Int64) throws -> [ChildCounts] {
    let rows = try RawStatement(
      db,
      "SELECT entity, \(ChunkCounts.columns) FROM bolide_run_child WHERE run = \(run) ORDER BY entity")
    var all: [ChildCounts] = []
    while try rows.step() {
      var children = ChildCounts(rows.string(0) ?? "")
      children.counts = try ChunkCounts(rows, from: 1)
      all.append(children)
    }
    return all
  }
}

// Counts as a run's row has them, and its children's.
extension ChunkCounts {
  package static let columns =
    "read, inserted, updated, repeated, unchanged, ignored, duplicates, superseded, rejected, rolled_back"
  /// A place for the value of each column.
  static let marks = "?, ?, ?, ?, ?, ?, ?, ?, ?, ?"

  /// Those of a query's current row, in the order of `columns`.
  package init(_ row: RawStatement, from column: Int32) throws(StoreError) {
    self.init()
    func next(_ place: Int32) throws(StoreError) -> Int { Int(try row.number(column + place)) }
    (read, inserted, updated, repeated, unchanged) = try (next(0), next(1), next(2), next(3), next(4))
    (ignored, duplicates, superseded, rejected, rolledBack) = try (
      next(5), next(6), next(7), next(8), next(9)
    )
  }

  /// In the order of `columns`.
  var values: [Value] {
    [read, inserted, updated, repeated, unchanged, ignored, duplicates, superseded, rejected, rolledBack].map
    {
      .integer(Int64($0))
    }
  }
}
