internal import GRDB

/// What became of the children that records held, in a pipeline with `children`.
public struct ChildCounts: Sendable, Hashable {
  /// The children's entity.
  public var entity: String
  /// How many were read, and what became of them.
  public var counts = ChunkCounts()

  init(_ entity: String) {
    self.entity = entity
  }
}

extension ChildCounts {
  /// Those of a run, in the order of their entities.
  static func all(_ db: Database, run: Int64) throws -> [ChildCounts] {
    let rows = try RawStatement(
      db,
      """
      SELECT entity, read, inserted, updated, repeated, unchanged, ignored, folded, rejected, rolled_back
      FROM bolide_run_child WHERE run = \(run) ORDER BY entity
      """)
    var all: [ChildCounts] = []
    while try rows.step() {
      var children = ChildCounts(rows.string(0) ?? "")
      children.counts.read = Int(rows.integer(1))
      children.counts.inserted = Int(rows.integer(2))
      children.counts.updated = Int(rows.integer(3))
      children.counts.repeated = Int(rows.integer(4))
      children.counts.unchanged = Int(rows.integer(5))
      children.counts.ignored = Int(rows.integer(6))
      children.counts.folded = Int(rows.integer(7))
      children.counts.rejected = Int(rows.integer(8))
      children.counts.rolledBack = Int(rows.integer(9))
      all.append(children)
    }
    return all
  }
}
