internal import GRDB
internal import SQLiteAccess
package import StoreInterface
internal import TypedRows

// Inputs that need not be read, of an import of several.
extension SQLiteImport {
  package func knownInputs(rules: [UInt8]) throws -> [KnownInput] {
    try writing { db in
      inputs = try KnownInputs(db, pipeline, layout: layout, rules: rules, run: run)
      for writer in writers { writer.notesMet = inputs != nil }
      return try inputs?.all() ?? []
    }
  }

  package func skip(_ input: KnownInput) throws -> Bool {
    guard let found = try looking({ _ in try inputs?.find(input.number) }) else { return false }
    progress.counts += found.counts[0]
    progress.skipped += 1
    for (list, counts) in found.counts.dropFirst().enumerated() {
      progress.children[list].counts += counts
    }
    for (writer, rows) in zip(writers, found.rows) { writer.noteSeen(rows) }
    return true
  }

  /// Notes which rows the inputs of a chunk have met, as it was applied just now.
  ///
  /// - Parameter counts: of the records and of each list of children.
  func noteInputs(_ chunk: Chunk, _ counts: [ChunkCounts]) throws {
    guard let inputs else { return }
    inputs.rows.note(
      chunk, met: writers.map(\.met), counts: counts,
      change: try log.database.integer("SELECT \(ChangeNumbers.made)"))
  }
}
