internal import Bolide

// The same scenarios on a server, beside psql.
extension Scenario {
  /// Whether it can be measured on a server.
  package var runsOnServer: Bool {
    switch self {
    case .firstLoad, .again, .revised, .shuffled, .withLinks, .withDerived, .mainJob: true
    case .parse, .sorted, .gzip, .smallMemory, .foreignUpdate, .newDerived, .catchUp, .follow: false
    }
  }

  private var serverPipeline: BenchPipeline {
    switch self {
    case .withLinks: .links
    case .withDerived: .derived
    case .mainJob: .years
    default: .plain
    }
  }

  /// Everyone who does it on a server; Bolide comes first.
  func candidates(_ feed: BenchFeed, on server: BenchServer) throws -> [Candidate] {
    let pipeline = serverPipeline
    return [importing(feed, pipeline, on: server)]
      + ServerProgram.Shape.allCases.map { running($0, feed, pipeline, on: server) }
  }

  private func importing(
    _ feed: BenchFeed, _ pipeline: BenchPipeline, on server: BenchServer
  ) -> Candidate {
    Candidate(name: "bolide") {
      let schema = "bolide"
      func load(_ kind: BenchFeed.Kind) throws -> JobOutcome {
        let job = Job.importing(
          pipeline: feed.pipeline(pipeline), input: try feed.path(kind), store: server.store(schema))
        return try feed.workspace.run(job)
      }
      try server.clear(schema)
      if isOver { _ = try load(.base) }
      try server.settle(schema)
      var outcome = try load(feedKind)
      feed.noteTransactions(of: outcome)
      let updated = self == .revised ? feed.revisedRows() : 0
      try feed.check(outcome, inserted: isOver ? 0 : feed.rows, updated: updated)
      try check(feed, schema, pipeline, hasSums: pipeline.isDerived, on: server)
      outcome.bytes = feed.bytes
      return outcome
    }
  }

  private func running(
    _ shape: ServerProgram.Shape, _ feed: BenchFeed, _ pipeline: BenchPipeline, on server: BenchServer
  ) -> Candidate {
    Candidate(name: shape.title, isWholeProcess: true, isOptional: true) {
      let schema = "psql"
      func load(_ kind: BenchFeed.Kind) throws -> JobOutcome {
        try server.run(try feed.serverProgram(shape, kind, pipeline), in: schema, rows: feed.rows)
      }
      try server.clear(schema, making: true)
      let creation = try feed.serverCreation(pipeline)
      _ = try server.run(creation, in: schema, rows: 0)
      if isOver { _ = try load(.base) }
      try server.settle(schema)
      var outcome = try load(feedKind)
      try check(feed, schema, pipeline, hasSums: false, on: server)
      outcome.bytes = feed.bytes
      return outcome
    }
  }

  private func check(
    _ feed: BenchFeed, _ schema: String, _ pipeline: BenchPipeline, hasSums: Bool, on server: BenchServer
  ) throws {
    let entity = try feed.entity()
    let found = TableNumbers(
      try server.counts(schema, TableNumbers.query(entity, .postgreSQL)), of: entity)
    if let difference = found.difference(from: try feed.numbers(after: feedKind)) {
      throw WrongResult("the table is wrong: \(difference)")
    }
    guard let owner = pipeline.owner else { return }
    try feed.checkLinks(owner, hasSums: hasSums, .postgreSQL) { try server.counts(schema, $0) }
  }
}
