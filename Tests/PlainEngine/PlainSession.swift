package import ImportModel
import PlainStore
package import StoreInterface
import Synchronization
package import TypedRows

/// One run: chunks become records of the plain store.
final class PlainSession: ImportSession {
  let layout: ChunkLayout
  let run: Int64
  private(set) var progress = RunProgress()
  var times = StageTimes()
  let expiredReaders: [String] = []
  private(set) var isCommitted = false
  let undecided: HistoryToken? = nil

  private let engine: PlainEngine
  private let pipeline: Pipeline
  private let input: String
  private var memory: PlainRun
  /// The store of an atomic import, until it ends.
  private var open: PlainStore?

  init(
    _ engine: PlainEngine, _ pipeline: Pipeline, input: String, sameJSON: @escaping ChunkLayout.TextEquality
  ) {
    let (model, run) = engine.state.withLock { state in
      state.runs += 1
      return (state.model, state.runs)
    }
    var layout = ChunkLayout(pipeline, model: model)
    layout.sameJSON = sameJSON
    (self.layout, self.run) = (layout, run)
    (self.engine, self.pipeline, self.input) = (engine, pipeline, input)
    memory = PlainRun(pipeline: PlainPipeline(pipeline))
    progress.children = pipeline.children.flatMap { children -> [ChildCounts] in
      guard let toMany = pipeline.toMany(of: children) else { return [] }
      return [ChildCounts(toMany.destination.name)]
        + (toMany.onward == nil ? [] : [ChildCounts(toMany.holder.name, areLinks: true)])
    }
  }

  func apply(_ chunk: Chunk, bytes: Int) throws {
    if var store = open {
      try take(chunk, &store)
      open = store
    } else {
      try engine.writing.whileHeld {
        var store = engine.state.withLock { $0.store }
        try take(chunk, &store)
        if let token = engine.commit(store, author: author, pipeline: pipeline.name, run: run) {
          progress.token = token
        }
      }
    }
    progress.bytes = bytes
    progress.chunks += 1
  }

  func atomically(_ body: () throws -> Bool) throws -> Bool {
    try engine.writing.whileHeld {
      open = engine.state.withLock { $0.store }
      var isKept = false
      defer {
        open = nil
        if !isKept { progress.rollBack() }
      }
      guard try body(), let store = open else { return false }
      progress.token = engine.commit(store, author: author, pipeline: pipeline.name, run: run)
      (isKept, isCommitted) = (true, true)
      return true
    }
  }

  /// It reads every input.
  func knownInputs(rules: [UInt8]) -> [KnownInput] { [] }

  func skip(_ input: KnownInput) -> Bool { false }

  /// It keeps no rows that a feed has no more.
  func missingOfLastRun() -> RowShare? { nil }

  func goneRows() -> [(entity: String, share: RowShare)] { [] }

  func treatGone() throws {
    throw StoreError.unsupported("rows that are gone", by: PlainEngine.engineName, engine.path)
  }

  /// It does not know which run was good.
  func changedSinceLastGoodRun() -> RowShare? { nil }

  func replay(_ chunk: Chunk, _ kept: [[KeptReject]], rows: [Int64]) throws {
    throw StoreError.unsupported("keeping refused records", by: PlainEngine.engineName, engine.path)
  }

  func finish(
    outcome: String, bytes: Int, read identity: InputIdentity?, inputs: [InputFacts?], fields: FieldsRead,
    isComplete: Bool
  ) {
    progress.bytes = bytes
    engine.state.withLock { state in
      if outcome == RunOutcome.good { state.fields[pipeline.name, default: []].formUnion(fields.unused) }
    }
  }

  private var author: String { pipeline.author ?? pipeline.name }

  private func take(_ chunk: Chunk, _ store: inout PlainStore) throws {
    do {
      try store.take(chunk.plainRecords(pipeline.children.map(\.relationship)), &memory)
    } catch {
      throw StoreError(.keyExists, "\(layout.entity.name): \(error.reason)")
    }
    for rejected in memory.rejected {
      let rows = ([chunk] + chunk.children).first { $0.layout.entity.name == rejected.entity }
      rows?.reject(rejected.row, in: input)
    }
    // By list, the rows that take along what they hold.
    var gone: [Set<Int>] = []
    for (children, layout) in zip(chunk.children, chunk.layout.children) {
      let above = layout.within.map { gone[$0] } ?? chunk.rejectedRows
      gone.append(children.rejectedRows.union(children.rows(heldBy: above)))
      children.leaveOutChildren(of: above.contains)
    }
    count(chunk)
  }

  private func count(_ chunk: Chunk) {
    func counts(_ entity: String) -> ChunkCounts {
      var counts = ChunkCounts()
      let plain = memory.counts[entity] ?? PlainCounts()
      (counts.read, counts.rejected) = (plain.read, plain.rejected)
      (counts.inserted, counts.updated) = (plain.inserted, plain.updated)
      (counts.unchanged, counts.ignored) = (plain.unchanged, plain.ignored)
      (counts.duplicates, counts.superseded) = (plain.duplicates, plain.superseded)
      return counts
    }
    func counts(_ chunk: Chunk) -> ChunkCounts {
      var counts = counts(chunk.layout.entity.name)
      (counts.read, counts.rejected) = (chunk.recordsRead, chunk.rejects.rejectedCount)
      counts.duplicates += chunk.duplicates
      counts.superseded += chunk.superseded
      return counts
    }
    progress.counts += counts(chunk)
    for index in progress.children.indices {
      let entity = progress.children[index].entity
      let children = chunk.children.first { $0.layout.entity.name == entity }
      progress.children[index].counts += children.map(counts) ?? counts(entity)
    }
  }
}

extension PlainEngine {
  package func beginImport(
    _ pipeline: Pipeline, input: String, settings: ImportSettings,
    sameJSON: @escaping ChunkLayout.TextEquality, isCancelled: @escaping @Sendable () -> Bool
  ) throws -> any ImportSession {
    if pipeline.feed == .full { throw StoreError.unsupported("full feeds", by: Self.engineName, path) }
    if settings.stopsOnReject {
      throw StoreError.unsupported("stopping at a refused record", by: Self.engineName, path)
    }
    return PlainSession(self, pipeline, input: input, sameJSON: sameJSON)
  }
}

extension PlainPipeline {
  fileprivate init(_ pipeline: Pipeline) {
    self.init(entity: pipeline.entity)
    merge =
      switch pipeline.mergePolicy {
      case .update: .update
      case .updateNonNull: .updateNonNull
      case .ignore: .ignore
      case .fail: .fail
      case .updateIfNewer(let attribute): .updateIfNewer(attribute)
      }
    repeated = (pipeline.repeatedKeyPolicy?.rawValue).flatMap(Repeated.init) ?? .last
    links = pipeline.links.enumerated().map { number, link in
      Link(
        link.relationship,
        key: link.ownerKey.enumerated().map { ($1.attribute, "bolide_owner_\(number)_\($0)") },
        isAlways: link.timing == .always)
    }
    children = Children.lists(of: pipeline, within: nil)
  }
}

extension PlainPipeline.Children {
  fileprivate static func lists(of pipeline: Pipeline, within holder: String?) -> [Self] {
    pipeline.children.filter { $0.within == holder }.compactMap { children in
      guard let toMany = pipeline.toMany(of: children) else { return nil }
      return Self(
        children.relationship, isManyToMany: toMany.onward != nil, isAlways: children.timing == .always,
        children: lists(of: pipeline, within: toMany.destination.name))
    }
  }
}

extension Chunk {
  fileprivate var rejectedRows: Set<Int> { Set(rejects.lazy.filter(\.isRow).map(\.rowsBefore)) }
}
