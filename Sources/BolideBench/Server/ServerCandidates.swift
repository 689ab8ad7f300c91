internal import Bolide
internal import StoreInterface
internal import Synchronization

// The same scenarios on a server, beside psql.
extension Scenario {
  /// Whether it can be measured on a server.
  package var runsOnServer: Bool {
    switch self {
    case .firstLoad, .again, .revised, .shuffled, .withLinks, .withDerived, .mainJob, .foreignClients,
      .connections, .importers, .follow:
      true
    case .parse, .sorted, .gzip, .smallMemory, .foreignUpdate, .newDerived, .catchUp: false
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
    switch self {
    case .foreignClients:
      return [(true, false), (false, false), (true, true), (false, true)].map { hasTriggers, haveOneOwner in
        clients(feed, hasTriggers: hasTriggers, haveOneOwner: haveOneOwner, on: server)
      }
    case .connections: return [1, 2, 4].map { importing(feed, .plain, over: $0, on: server) }
    case .importers: return [[.plain], [.plain, .other]].map { importing(feed, sideBySide: $0, on: server) }
    case .follow: return SmallCommits.Writer.allCases.map { following(feed, $0, on: server) }
    default: break
    }
    let pipeline = serverPipeline
    return [importing(feed, pipeline, on: server)]
      + ServerProgram.Shape.allCases.map { running($0, feed, pipeline, on: server) }
  }

  /// - Parameter connections: how many; nil where the others are other programs.
  private func importing(
    _ feed: BenchFeed, _ pipeline: BenchPipeline, over connections: Int? = nil, on server: BenchServer
  ) -> Candidate {
    Candidate(
      name: connections.map { $0 == 1 ? "bolide, one connection" : "bolide, \($0) connections" } ?? "bolide"
    ) {
      let schema = "bolide"
      func load(_ kind: BenchFeed.Kind) throws -> JobOutcome {
        let job = Job.importing(
          pipeline: feed.pipeline(pipeline), input: try feed.path(kind), store: server.store(schema),
          connections: connections ?? 1)
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

  /// Imports of different pipelines at a time, each of the whole feed into a table of its own of one store.
  private func importing(
    _ feed: BenchFeed, sideBySide pipelines: [BenchPipeline], on server: BenchServer
  ) -> Candidate {
    Candidate(name: pipelines.count == 1 ? "one importer" : "\(pipelines.count) importers") {
      let schema = "bolide"
      try server.clear(schema)
      let jobs = try pipelines.map {
        Job.importing(pipeline: feed.pipeline($0), input: try feed.path(.base), store: server.store(schema))
      }
      let outcomes = Mutex<[JobOutcome]>([])
      let start = ContinuousClock.now
      try WorkThread.runSideBySide(jobs.count, "bolide bench") { [workspace = feed.workspace] number in
        let outcome = try workspace.run(jobs[number], name: "importer-\(number)")
        outcomes.withLock { $0.append(outcome) }
      }
      var all = JobOutcome(seconds: start.duration(to: .now) / .seconds(1), rows: 0)
      all.processSeconds = all.seconds
      for outcome in outcomes.withLock({ $0 }) {
        try feed.check(outcome, inserted: feed.rows, updated: 0)
        all.rows += outcome.rows
        all.processorSeconds = (all.processorSeconds ?? 0) + (outcome.processorSeconds ?? 0)
        all.peakBytes = max(all.peakBytes ?? 0, outcome.peakBytes ?? 0)
      }
      for pipeline in pipelines { try check(feed, schema, pipeline, hasSums: false, on: server) }
      all.bytes = feed.bytes * pipelines.count
      return all
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

  /// A reader that follows a store there.
  private func following(
    _ feed: BenchFeed, _ writer: SmallCommits.Writer, on server: BenchServer
  ) -> Candidate {
    Candidate(name: writer.title) {
      try load(feed, .plain, into: "bolide", on: server)
      return try feed.workspace.run(
        .following(
          writer, pipeline: feed.pipeline(), store: server.store("bolide"), tool: feed.workspace.tool,
          count: SmallCommits.count(feedRows: feed.rows)))
    }
  }

  /// Eight clients of pgbench, each with a connection.
  ///
  /// - Parameters:
  ///   - hasTriggers: whether the tables have Bolide's triggers.
  ///   - haveOneOwner: whether all changed rows are one owner's.
  private func clients(
    _ feed: BenchFeed, hasTriggers: Bool, haveOneOwner: Bool, on server: BenchServer
  ) -> Candidate {
    let owners = haveOneOwner ? "one owner" : "2,000 owners"
    return Candidate(
      name: "\(owners), \(hasTriggers ? "count and sum" : "without triggers")", isWholeProcess: true,
      isOptional: true
    ) {
      try load(feed, .derived, into: "bolide", on: server)
      let commits = try server.runClients(
        "bolide", feedRows: feed.rows, hasTriggers: hasTriggers, haveOneOwner: haveOneOwner)
      if hasTriggers, let owner = BenchPipeline.derived.owner {
        try feed.checkLinks(owner, hasSums: true, .postgreSQL) { try server.counts("bolide", $0) }
      }
      return commits
    }
  }

  private func load(
    _ feed: BenchFeed, _ pipeline: BenchPipeline, into schema: String, on server: BenchServer
  ) throws {
    try server.clear(schema)
    _ = try feed.workspace.run(
      .importing(
        pipeline: feed.pipeline(pipeline), input: try feed.path(.base), store: server.store(schema)))
    try server.settle(schema)
  }

  private func check(
    _ feed: BenchFeed, _ schema: String, _ pipeline: BenchPipeline, hasSums: Bool, on server: BenchServer
  ) throws {
    let entity = try feed.entity(pipeline)
    let found = TableNumbers(
      try server.counts(schema, TableNumbers.query(entity, .postgreSQL)), of: entity)
    if let difference = found.difference(from: try feed.numbers(after: feedKind)) {
      throw WrongResult("the table is wrong: \(difference)")
    }
    guard let owner = pipeline.owner else { return }
    try feed.checkLinks(owner, hasSums: hasSums, .postgreSQL) { try server.counts(schema, $0) }
  }
}
