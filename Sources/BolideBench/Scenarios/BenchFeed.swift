internal import Bolide
internal import Foundation
internal import TypedRows

/// A feed of which there is nothing to measure.
package struct UselessFeed: Error, CustomStringConvertible {
  package let description: String
}

/// The feed of one bench and size: its files, made when they are first wanted, and what must come of them.
final class BenchFeed {
  let workspace: Workspace
  /// Records in the feed.
  let rows: Int
  /// Bytes of the feed, inflated.
  let bytes: Int
  /// The feed as it is.
  let file: String
  /// Whether the feed is the generator's, whose numbers are known.
  let isGenerated: Bool
  private let pipelines: [BenchPipeline: String]
  private let generated: (BenchFeed.Kind) -> FireballFeed
  fileprivate var files: [String: String] = [:]
  fileprivate var reading: [String: [Double]] = [:]
  private var numbers: [Kind: TableNumbers] = [:]

  /// Which feed.
  enum Kind: String {
    case base, revised, shuffled
  }

  /// How much of the feed a revision touches, in percent.
  static let revision = 1.0

  /// A generated feed of so many rows.
  init(rows: Int, in workspace: Workspace) throws {
    self.workspace = workspace
    self.rows = rows
    isGenerated = true
    let generated = { (kind: Kind) in
      FireballFeed(
        rows: rows, seed: 1, revise: kind == .revised ? Self.revision : 0,
        options: .init(order: kind == .shuffled ? .shuffled : .newestFirst))
    }
    self.generated = generated
    var pipelines: [BenchPipeline: String] = [:]
    for pipeline in BenchPipeline.allCases {
      let path = workspace.file("\(pipeline).yaml")
      try Data(pipeline.yaml.utf8).write(to: URL(filePath: path))
      pipelines[pipeline] = path
    }
    self.pipelines = pipelines
    file = try workspace.write(generated(.base), to: "base-\(rows).json")
    bytes = Workspace.size(of: file)
  }

  /// A user's own feed, with the pipeline that imports it.
  ///
  /// - Throws: what an import would; `UselessFeed` when none of its records would land.
  init(file: String, pipeline: String, in workspace: Workspace) throws {
    self.workspace = workspace
    self.file = file
    isGenerated = false
    pipelines = [.plain: pipeline]
    generated = { _ in FireballFeed(rows: 0, seed: 1) }
    let parsed = try Pipeline(path: pipeline)
    bytes = try FeedReading.read(parsed, from: file, to: .bytes)
    var landing = 0
    rows = try FeedReading.read(parsed, from: file, to: .chunks) { landing += $0.order.count }
    guard landing > 0 else {
      throw UselessFeed(
        description: "\(file): none of its records (\(rows)) would land; bolide check PIPELINE FEED says why")
    }
  }

  /// The pipeline's file; a user's own is the plain one.
  func pipeline(_ pipeline: BenchPipeline = .plain) -> String { pipelines[pipeline] ?? "" }

  /// The entity that a record becomes.
  func entity(_ pipeline: BenchPipeline = .plain) throws -> Entity {
    let pipeline = try Pipeline(path: self.pipeline(pipeline))
    guard let entity = pipeline.model.entity(named: pipeline.entity) else {
      throw WrongResult("the pipeline has no entity of the name \(pipeline.entity)")
    }
    return entity
  }

  /// The feed's file of a kind.
  func path(_ kind: Kind) throws -> String {
    if kind == .base { return file }
    return try made("\(kind)") { try workspace.write(generated(kind), to: "\(kind)-\(rows).json") }
  }

  /// The feed as gzip.
  func gzip() throws -> String {
    if isGzip { return file }
    return try made("gzip") { try workspace.gzip(file, to: "base-\(rows).json.gz") }
  }

  private var isGzip: Bool {
    let handle = FileHandle(forReadingAtPath: file)
    defer { try? handle?.close() }
    return (try? handle?.read(upToCount: 2)) == Data([0x1f, 0x8b])
  }

  /// What the table must hold after the feed; of a user's own feed, what the first import left.
  func numbers(after kind: Kind) throws -> TableNumbers {
    if let known = numbers[kind] { return known }
    let result =
      isGenerated ? generated(kind).numbers() : try TableNumbers(file: try loaded(), entity: try entity())
    numbers[kind] = result
    return result
  }

  /// How many rows a revision has changed.
  func revisedRows() -> Int { generated(.revised).tally().revised }

  /// A store that holds the feed, to copy or to read. Nothing of it is measured.
  func loaded(_ pipeline: BenchPipeline = .plain) throws -> String {
    try made("loaded-\(pipeline)") {
      let store = workspace.file("loaded-\(pipeline)-\(rows).sqlite")
      let job = Job.importing(pipeline: self.pipeline(pipeline), input: file, store: store)
      let outcome = try workspace.run(job)
      let held = try TableNumbers(file: store, entity: try entity()).rows
      guard held == outcome.counts["inserted"], outcome.counts["read"] == rows else {
        throw WrongResult("the table holds \(held) rows, and the import says \(outcome.counts)")
      }
      return store
    }
  }

  /// A file that holds the feed as the floor writes it.
  func loadedFloor(
    _ shape: FloorShape = .chunkDifference, pipeline: BenchPipeline = .plain
  ) throws -> String {
    try made("loaded-\(shape)") {
      let path = workspace.file("loaded-\(shape)-\(rows).db")
      _ = try workspace.run(
        .floor(
          pipeline: self.pipeline(pipeline), input: file, file: path, shape: shape, chunkRows: transactionRows
        ))
      return path
    }
  }

  /// A file that holds the feed as a peer writes it.
  func loaded(by peer: Peer) throws -> String {
    try made("loaded by \(peer.name)") {
      let path = workspace.file("loaded-\(peer.program)-\(rows).db")
      _ = try peer.run(self, file, into: path)
      return path
    }
  }

  /// The statements that make the tables of a server's baseline.
  func serverCreation(_ pipeline: BenchPipeline) throws -> String {
    try made("psql-\(pipeline)") {
      let path = workspace.file("psql-\(pipeline).sql")
      try Data(serverProgram(of: .base, pipeline).creation.utf8).write(to: URL(filePath: path))
      return path
    }
  }

  /// The program that writes the feed into them.
  func serverProgram(
    _ shape: ServerProgram.Shape, _ kind: Kind, _ pipeline: BenchPipeline
  ) throws -> String {
    try made("psql-\(shape)-\(kind)-\(pipeline)") {
      let path = workspace.file("psql-\(shape)-\(kind)-\(pipeline)-\(rows).sql")
      try serverProgram(of: kind, pipeline).write(shape, chunkRows: transactionRows, to: path)
      return path
    }
  }

  private func serverProgram(of kind: Kind, _ pipeline: BenchPipeline) throws -> ServerProgram {
    let path = self.pipeline(pipeline)
    return ServerProgram(
      try FloorRows(try Pipeline(path: path), input: try self.path(kind), isLinked: pipeline.owner != nil))
  }

  /// Rows a transaction of the floor: as many as the import had that ran before it, and no fewer than its chunks have
  /// when nothing makes it wait.
  private(set) var transactionRows = BenchFeed.leastTransactionRows

  private static let leastTransactionRows = 32_768

  /// Lets the floor have the transactions of an import.
  func noteTransactions(of outcome: JobOutcome) {
    let chunks = max(1, outcome.counts["chunks"] ?? 1)
    transactionRows = max(Self.leastTransactionRows, (rows + chunks - 1) / chunks)
  }

  private func made(_ key: String, _ make: () throws -> String) throws -> String {
    if let path = files[key] { return path }
    let path = try make()
    files[key] = path
    return path
  }
}

extension BenchFeed {
  /// How long the reading side takes alone, at each of `ReadingDepth`, measured once an input.
  func readingSeconds(_ input: String, runs: Int) throws -> [Double] {
    if let known = reading[input] { return known }
    let depths = ReadingDepth.allCases.map { depth in
      Candidate(name: depth.rawValue) { [self] in
        try workspace.run(.reading(pipeline: pipeline(), input: input, depth: depth))
      }
    }
    let seconds = try Measure.inTurn(runs: runs, depths).map(\.median)
    reading[input] = seconds
    return seconds
  }

  /// Removes what this size has made; a user's own feed is not among it.
  func remove() {
    for path in files.values { workspace.removeDatabase(path) }
    if isGenerated { workspace.removeDatabase(file) }
  }
}
