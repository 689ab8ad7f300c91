import Bolide
import PlainEngine
import PlainStore
import StoreInterface

/// Imports into two engines by the same loop.
extension RandomHistory {
  /// Imports a feed into the store and into the plain engine, and compares what the two count and what history tells of it.
  mutating func takeThroughSeam(
    _ engine: PlainEngine, _ store: Store, _ pipeline: Pipeline, _ feed: [UInt8], _ options: ImportOptions
  ) throws {
    engine.objects = plain
    var reports: [ImportReport] = []
    var changes: [[NetChange]] = []
    var stops = 0
    for engine in [engine, store.engine] as [any StoreEngine] {
      try engine.assignPendingChanges()
      let before = try engine.newestToken()
      do {
        reports.append(try engine.run(pipeline, on: [.bytes(feed)], options: options))
      } catch let error as ImportError where error.kind == .store(.keyExists) {
        stops += 1
      }
      var request = HistoryRequest(after: before)
      request.isNet = true
      changes.append(
        try engine.history(request).flatMap(\.changes).compactMap { NetChange($0, model) }.sorted())
    }
    plain = engine.objects.with(plain.model)
    if stops == 1 { throw Difference("one engine's import stopped") }
    if reports.count == 2 {
      let counts = reports.map { $0.progress.plain(pipeline.entity) }
      try compare(counts[1], counts[0], isExact: false)
    }
    if changes[0] != changes[1] {
      throw Difference("history tells \(changes[1]), expected \(changes[0])")
    }
  }
}

/// A change without the ids, which each engine gives out in its own way.
struct NetChange: Comparable, CustomStringConvertible {
  var description: String

  /// Nil where nothing but times of last changes moved.
  init?(_ change: HistoryChange, _ model: PlainModel) {
    // Within a second, a time of the last change may be the same again.
    let names = change.previous.map(\.name).filter { !model.followsClock($0, of: change.entity) }
    if change.kind == .update, names.isEmpty { return nil }
    // A deletion leaves out what was null.
    let told = change.kind == .update ? names.sorted() : []
    description = "\(change.entity) \(change.kind) \(told)"
  }

  static func < (left: NetChange, right: NetChange) -> Bool { left.description < right.description }
}

extension PlainModel {
  /// Whether an attribute is a time of a last change, or follows from one.
  func followsClock(_ name: String, of entity: String) -> Bool {
    switch self[entity].attribute(name)?.derivation {
    case nil: return false
    case .now?: return true
    case .aggregate(_, let over, let read, _)?:
      guard let read, let end = self[entity].relationship(over) else { return false }
      return followsClock(read, of: end.destination)
    case .copy(let path)?, .folded(_, let path)?:
      let place = path.dropLast().reduce(entity) { self[$0].relationship($1)?.destination ?? $0 }
      return followsClock(path.last ?? "", of: place)
    }
  }
}
