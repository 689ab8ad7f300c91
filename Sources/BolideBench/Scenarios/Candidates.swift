internal import Bolide

// Who does what: each candidate makes ready, does its work in a process of its own, and has it checked.

extension Scenario {
  func parsing(_ feed: BenchFeed) -> [Candidate] {
    guard feed.isGenerated else {
      let job = Job.reading(pipeline: feed.pipeline(), input: feed.file, depth: .records)
      return [
        Candidate(name: "bolide") {
          var outcome = try feed.workspace.run(job)
          guard outcome.rows == feed.rows else { throw WrongResult("\(outcome.rows) records") }
          outcome.bytes = feed.bytes
          return outcome
        }
      ]
    }
    return ParseInput.Kind.allCases.map { kind in
      Candidate(name: kind.title) { try feed.workspace.run(.parse(kind, rows: feed.rows)) }
    }
  }

  /// A first load by Bolide.
  func loading(
    _ feed: BenchFeed, _ kind: BenchFeed.Kind, pipeline: BenchPipeline = .plain, isPiped: Bool = false,
    name: String = "bolide"
  ) throws -> Candidate {
    let store = feed.workspace.file("bolide.sqlite")
    let input = isPiped ? "-" : try feed.path(kind)
    let standardInput: ChildProcess.Input = isPiped ? .pipe(try feed.gzip()) : .nothing
    return Candidate(name: name) {
      feed.workspace.removeDatabase(store)
      var outcome = try feed.workspace.run(
        .importing(pipeline: feed.pipeline(pipeline), input: input, store: store), input: standardInput)
      feed.noteTransactions(of: outcome)
      try feed.check(outcome, inserted: feed.rows, updated: 0)
      try feed.check(store, kind)
      if let owner = pipeline.owner { try feed.check(store, owner, hasSums: pipeline.isDerived) }
      outcome.bytes = feed.bytes
      return outcome
    }
  }

  /// The feed, or its revision, into a store that holds the feed.
  func importingOver(_ feed: BenchFeed, _ kind: BenchFeed.Kind) throws -> Candidate {
    let loaded = try feed.loaded()
    let input = try feed.path(kind)
    return Candidate(name: "bolide") {
      let store = try feed.workspace.copy(loaded, to: "bolide.sqlite")
      var outcome = try feed.workspace.run(.importing(pipeline: feed.pipeline(), input: input, store: store))
      feed.noteTransactions(of: outcome)
      try feed.check(outcome, inserted: 0, updated: kind == .base ? 0 : feed.revisedRows())
      try feed.check(store, kind)
      outcome.bytes = kind == .base ? feed.bytes : Workspace.size(of: input)
      return outcome
    }
  }

  /// A first load by SQLite alone.
  func flooring(
    _ feed: BenchFeed, _ kind: BenchFeed.Kind, _ shape: FloorShape, pipeline: BenchPipeline = .plain
  ) -> Candidate {
    let file = feed.workspace.file("floor.db")
    return Candidate(name: shape.title, isOptional: !feed.isGenerated) {
      feed.workspace.removeDatabase(file)
      let outcome = try floor(feed, kind, shape, file, pipeline)
      if let owner = pipeline.owner { try feed.check(file, owner, hasSums: false) }
      return outcome
    }
  }

  /// The feed, or its revision, by SQLite alone into a table that holds the feed.
  func flooringOver(_ feed: BenchFeed, _ kind: BenchFeed.Kind, _ shape: FloorShape) -> Candidate {
    return Candidate(name: shape.title, isOptional: !feed.isGenerated) {
      let file = try feed.workspace.copy(try feed.loadedFloor(), to: "floor.db")
      return try floor(feed, kind, shape, file)
    }
  }

  private func floor(
    _ feed: BenchFeed, _ kind: BenchFeed.Kind, _ shape: FloorShape, _ file: String,
    _ pipeline: BenchPipeline = .plain
  ) throws -> JobOutcome {
    let outcome = try feed.workspace.run(
      .floor(
        pipeline: feed.pipeline(pipeline), input: try feed.path(kind), file: file, shape: shape,
        chunkRows: feed.transactionRows))
    try feed.check(file, kind)
    return outcome
  }

  /// Another program, whose statement fires the triggers of a store that holds the feed.
  func updating(_ feed: BenchFeed, _ pipeline: BenchPipeline, name: String) -> Candidate {
    Candidate(name: name) {
      let store = try feed.workspace.copy(try feed.loaded(pipeline), to: "bolide.sqlite")
      let outcome = try feed.workspace.run(
        .statement(
          file: store, sql: "UPDATE Fireball SET impactEnergy = impactEnergy * 1.01 + 0.1"))
      guard outcome.rows == feed.rows else { throw WrongResult("\(outcome.rows) rows were updated") }
      if let owner = pipeline.owner { try feed.check(store, owner, hasSums: pipeline.isDerived) }
      return outcome
    }
  }

  /// A store of linked rows gets a derived attribute: a copy of their owners' key.
  func copying(_ feed: BenchFeed) -> Candidate {
    Candidate(name: "bolide") {
      let store = try feed.workspace.copy(try feed.loaded(.links), to: "bolide.sqlite")
      let outcome = try feed.workspace.run(
        .migrating(pipeline: feed.pipeline(.copied), store: store, rows: feed.rows))
      try feed.checkCopies(store)
      return outcome
    }
  }

  /// The same by SQL alone, in a file that has nothing but the rows and their owners.
  func copyingBySQL(_ feed: BenchFeed) -> Candidate {
    Candidate(name: "floor: one UPDATE") {
      let loaded = try feed.loadedFloor(.linkedInsertThenIndex, pipeline: .links)
      let file = try feed.workspace.copy(loaded, to: "floor.db")
      let outcome = try feed.workspace.run(
        .statement(
          file: file,
          sql: """
            ALTER TABLE Fireball ADD COLUMN cellNumber INTEGER;
            UPDATE Fireball SET cellNumber = (SELECT number FROM Cell WHERE Cell.bolide_id = cell_id)
            """))
      try feed.checkCopies(file)
      return outcome
    }
  }

  /// A reader of history.
  func reading(_ feed: BenchFeed) -> Candidate {
    Candidate(name: "bolide") {
      let outcome = try feed.workspace.run(.history(store: try feed.loaded()))
      let expected = try feed.numbers(after: .base).rows
      // A user's own pipeline may have made owners too.
      guard outcome.rows == expected || !feed.isGenerated && outcome.rows > expected else {
        throw WrongResult("\(outcome.rows) changes for \(expected) rows")
      }
      return outcome
    }
  }

  /// A reader that follows while a writer commits.
  func following(_ feed: BenchFeed, _ writer: SmallCommits.Writer) -> Candidate {
    Candidate(name: writer.title) {
      let store = try feed.workspace.copy(try feed.loaded(), to: "bolide.sqlite")
      return try feed.workspace.run(
        .following(
          writer, pipeline: feed.pipeline(), store: store, tool: feed.workspace.tool,
          count: SmallCommits.count(feedRows: feed.rows)))
    }
  }
}

extension BenchFeed {
  /// Holds an import's counts against what the feed must give.
  func check(_ outcome: JobOutcome, inserted: Int, updated: Int) throws {
    let counts = outcome.counts
    let kinds = ["inserted", "updated", "unchanged", "ignored", "duplicates", "superseded", "rejected"]
    guard counts["read"] == rows, kinds.compactMap({ counts[$0] }).reduce(0, +) == rows else {
      throw WrongResult("the counts do not add up to \(rows): \(counts)")
    }
    // What repeated keys and rejected records do to a user's own feed, the table tells.
    guard isGenerated else { return }
    let expected = ["inserted": inserted, "updated": updated, "unchanged": rows - inserted - updated]
    for (name, number) in expected where counts[name] != number {
      throw WrongResult("\(counts[name] ?? 0) rows \(name), and it must be \(number)")
    }
  }

  /// Every row has its owner's key.
  func checkCopies(_ file: String) throws {
    let sql = "SELECT count(*) FROM Fireball JOIN Cell ON Cell.bolide_id = cell_id WHERE cellNumber = number"
    let right = try TableNumbers.counts(file, sql: sql)
    guard right == [rows] else { throw WrongResult("\(right) rows have their owner's key") }
  }

  /// Holds a table against what the feed must give.
  func check(_ file: String, _ kind: Kind, entity: Entity? = nil) throws {
    let found = try TableNumbers(file: file, entity: try entity ?? self.entity())
    if let difference = found.difference(from: try numbers(after: kind)) {
      throw WrongResult("the table is wrong: \(difference)")
    }
  }

  /// Holds links against the rows: each has its owner, and the owners' counts and sums are the rows' own.
  ///
  /// - Parameter id: the owners' column of what the rows refer to.
  func check(_ file: String, _ owner: BenchOwner, id: String = "bolide_id", hasSums: Bool) throws {
    try checkLinks(owner, id: id, hasSums: hasSums, .sqlite) { try TableNumbers.counts(file, sql: $0) }
  }

  /// - Parameter counts: the numbers in the one row that a query gives.
  func checkLinks(
    _ owner: BenchOwner, id: String = "bolide_id", hasSums: Bool, _ dialect: TableNumbers.Dialect,
    _ counts: (String) throws -> [Int]
  ) throws {
    let (table, rows, column) = (quoted(owner.entity), quoted("Fireball"), owner.relationship + "_id")
    let isWrong =
      hasSums
      ? "\(quoted("fireballCount")) <> n OR abs(\(quoted("totalImpactEnergy")) - s) > 1e-6 * s" : "1 = 0"
    let sql = """
      SELECT (SELECT count(*) FROM \(rows) WHERE \(column) IS NULL),
        (SELECT count(*) FROM \(table) LEFT JOIN (SELECT \(column) AS owner, count(*) AS n,
            sum(\(quoted("impactEnergy"))) AS s FROM \(rows) GROUP BY \(column)) AS r ON owner = \(id)
          WHERE n IS NULL OR \(isWrong)),
        (SELECT count(*) FROM \(rows) JOIN \(table) ON \(table).\(id) = \(column)
          WHERE \(quoted(owner.key)) <> \(owner.keyOfRow(dialect)))
      """
    let wrong = try counts(sql)
    guard wrong.allSatisfy({ $0 == 0 }) else {
      throw WrongResult(
        "\(wrong[0]) rows without owner, \(wrong[1]) owners with wrong sums, \(wrong[2]) with wrong rows")
    }
  }
}
