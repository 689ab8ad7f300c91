import Bolide
import ImportModel
import StoreInterface

/// What imports leave beside rows: missing rows of full feeds, rejected records and their replays, and dry runs, which leave nothing.
extension TwoEngines {
  /// Makes the feeds of some pipelines full ones, whose missing rows stay or go.
  static func declare(_ pipelines: [Pipeline], _ seed: Int) -> [Pipeline] {
    var dice = Dice(seed, -3)
    return pipelines.map { pipeline in
      var full = pipeline
      full.feed = .full
      full.gone = dice.once(in: 3) ? .delete : .keep
      full.settings.maximumMissing = dice.once(in: 3) ? 0.5 : 1
      return dice.once(in: 2) && full.problems().isEmpty ? full : pipeline
    }
  }

  /// Says what an import would do, in one of the engines.
  func tried(
    _ place: Int, _ pipeline: Pipeline, _ feed: String, _ options: ImportOptions
  ) throws -> String {
    try reported(pipeline) {
      try StoreAddress(engines[place].path).trying(creation: .ifNew) {
        try $0.open(for: pipeline, lockWait: 10)
          .run(pipeline, on: [.bytes(feed.utf8, name: "feed")], options: options)
      }
    }
  }

  /// Replays what a pipeline has rejected, in one of the engines.
  func replayed(_ place: Int, _ pipeline: Pipeline) throws -> String {
    try reported(pipeline) { try engines[place].replay(pipeline, options: ImportOptions()) }
  }

  /// What an import counts, or why it stops.
  func reported(_ pipeline: Pipeline, _ run: () throws -> ImportReport) throws -> String {
    do {
      let report = try run()
      let counts = report.progress.plain(pipeline.entity).sorted { $0.key < $1.key }.map { "\($0)" }
      let missing = report.progress.missing.map { ", missing \($0)" } ?? ""
      return counts.joined() + missing
    } catch let error as ImportError {
      return "stops: \(error.kind)"
    }
  }

  /// The rejected records that are kept, and the rows that a pipeline's feed has no more.
  func left(_ place: Int, _ pipeline: Pipeline) throws -> String {
    let engine = engines[place]
    let rejects = try engine.rejects(RejectFilter(), after: 0).map { kept in
      let reject = kept.reject
      return "\(kept.pipeline) \(kept.times) times, \(reject.code) at \(reject.record), \(reject.child): "
        + "\(reject.message)"
    }.sorted()
    guard pipeline.feed == .full else { return rejects.joined(separator: "\n") }
    let names = try objects(engine).reduce(into: [:]) { $0[$1.value.name] = $1.key }
    var rows: [String] = []
    do {
      try engine.readMissing(of: pipeline.name) { row in
        rows.append(names[ObjectName(entity: row.entity, id: row.id)] ?? "nobody")
      }
    } catch let error as StoreError {
      rows.append("\(error.code)")
    }
    return (rejects + ["missing \(rows.sorted())"]).joined(separator: "\n")
  }

  /// Deletes the missing rows, in one of the engines.
  func deletedMissing(_ place: Int, _ pipeline: Pipeline) throws -> String {
    do {
      let (missing, token) = try engines[place].deleteMissing(of: pipeline.name, noMoreThan: 1)
      return "\(missing.count) of \(missing.seen)\(token == nil ? "" : ", a token")"
    } catch let error as StoreError {
      return "\(error.code) \(error.reason)"
    }
  }
}
