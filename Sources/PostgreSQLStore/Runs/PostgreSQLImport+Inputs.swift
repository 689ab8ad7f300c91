internal import ChunkMerging
internal import PostgreSQLAccess
internal import StoreInterface
internal import TypedRows

// Inputs that need not be read, of an import of several.
extension PostgreSQLImport {
  func knownInputs(rules: [UInt8]) throws -> [KnownInput] {
    // What a chunk's parts meet is not told apart by inputs.
    if workers.count > 1 { return [] }
    return try asking {
      let connection = self.connection
      // What others have changed before the run is before its inputs in history, too. A trial would keep others from numbering.
      let pending = try connection.run("SELECT FROM bolide_pending LIMIT 1")
      if pending.count > 0, !connection.isTrial {
        try connection.inTransaction { try connection.numberPending() }
      }
      self.inputs = try KnownInputs(
        connection, self.stored, self.pipeline, layout: self.layout, rules: rules, run: self.run)
      return try self.inputs?.all() ?? []
    }
  }

  func skip(_ input: KnownInput) throws -> Bool {
    // What another program's trigger has changed in the open transaction is not in mind.
    guard let inputs, !(inputs.hasOtherTriggers && (isOpen || connection.isTrial)) else { return false }
    guard let found = try asking({ try inputs.find(input.number) }) else { return false }
    progress.counts += found.counts[0]
    progress.skipped += 1
    for (list, counts) in found.counts.dropFirst().enumerated() {
      progress.children[list].counts += counts
    }
    for (writer, rows) in zip(main.writers, found.rows) { writer.noteSeen(rows) }
    return true
  }

  /// Notes which rows the inputs of a chunk have met, as it was applied just now.
  func noteInputs(_ chunk: Chunk) {
    // Which number an open transaction will have, nobody knows yet.
    inputs?.note(
      chunk, main.writers, applied.counts.compactMap(\.first), from: applied.start,
      to: isOpen ? .max : progress.token?.number ?? 0)
  }

  /// Keeps what the run's inputs were.
  func writeInputs(_ facts: [InputFacts?]) throws {
    try inputs?.write(facts, isAtomic: isCommitted)
  }
}
