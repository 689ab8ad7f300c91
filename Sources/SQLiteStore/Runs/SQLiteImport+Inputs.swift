internal import ChunkMerging
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

  /// The last change that was made, before a chunk is applied; 0 where no input is skipped.
  func beginInputs() throws -> Int64 {
    try inputs == nil ? 0 : log.database.integer("SELECT \(ChangeNumbers.made)")
  }

  /// Notes which rows the inputs of a chunk have met, as it was applied just now.
  ///
  /// - Parameters:
  ///   - counts: of the records and of each list of children.
  ///   - start: what `beginInputs` said.
  func noteInputs(_ chunk: Chunk, _ counts: [ChunkCounts], from start: Int64) throws {
    guard let inputs else { return }
    if let last = inputs.lastNoted, last != start { inputs.rows.interrupt(chunk) }
    let last = try beginInputs()
    inputs.rows.note(chunk, met: writers.map(\.met), counts: counts, from: start, to: last)
    inputs.lastNoted = last
  }
}
