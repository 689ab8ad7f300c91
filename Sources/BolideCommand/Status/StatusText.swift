import Bolide
import CommandSupport

/// One line a pipeline, one a reader that cannot go on, and one a store with an incomplete erasure, each with a head.
struct StatusTable {
  private let pipelines: [[String]]
  private let readers: [[String]]
  private let erasures: [[String]]

  /// - Parameter isQuiet: only what somebody should look at.
  /// - Returns: nil when there is nothing to say.
  init?(_ stores: [StatusOfStore], isQuiet: Bool) {
    pipelines = stores.flatMap { store in
      store.pipelines.filter { !isQuiet || $0.state.isTrouble }.map { Self.cells($0, store) }
    }
    readers = stores.flatMap { store in
      store.strandedReaders.map { [$0.name.printable, $0.state.rawValue, store.path.printable] }
    }
    erasures = stores.filter(\.hasOpenErasures).map { ["incomplete", $0.path.printable] }
    if pipelines.isEmpty, readers.isEmpty, erasures.isEmpty { return nil }
  }

  private static func cells(_ pipeline: PipelineStatus, _ store: StatusOfStore) -> [String] {
    var cells = [
      pipeline.name.printable, pipeline.stateWithReason, pipeline.lastGoodRun?.age.ago ?? "never",
      pipeline.maxAge.map { "every \($0.duration)" } ?? "", pipeline.lastChange?.age.ago ?? "never",
    ]
    if Sparkline.isShown { cells.append(Sparkline.text(store.recentRuns[pipeline.name] ?? [])) }
    cells += ["\(pipeline.openRejects)", pipeline.missing.map { "\($0.count)" } ?? "", store.path.printable]
    return cells
  }

  var text: String {
    let recent = Sparkline.isShown ? ["RECENT"] : []
    let heads = [
      ["PIPELINE", "STATE", "LAST GOOD RUN", "DUE", "LAST CHANGE"] + recent + [
        "REJECTED", "MISSING", "STORE",
      ],
      ["READER", "STATE", "STORE"],
      ["ERASURE", "STORE"],
    ]
    return zip(heads, [pipelines, readers, erasures]).filter { !$1.isEmpty }.map {
      TextTable.text([$0] + $1, leastFirst: ["DUE", "LAST CHANGE", "RECENT"])
    }
    .joined(separator: "\n")
  }
}

extension PipelineStatus.State {
  /// Whether somebody should look.
  var isTrouble: Bool { [.overdue, .failed, .killed, .never, .missing].contains(self) }
}

extension StatusOfStore {
  /// The full picture, in blocks of `name  value` lines.
  var text: String {
    ([lines] + pipelines.map(\.block)).map { block in
      let width = block.map { $0.name.count }.max() ?? 0
      return block.map {
        ($0.name.padded(to: width + 2) + $0.value.printable).wrapped(indent: width + 2) + "\n"
      }.joined()
    }.joined(separator: "\n")
  }

  /// What is said of the store itself: names with their lines.
  var blocks: [(name: String, values: [String])] {
    lines.reduce(into: []) { blocks, line in
      if line.name.isEmpty, !blocks.isEmpty {
        blocks[blocks.count - 1].values.append(line.value)
      } else {
        blocks.append((line.name, [line.value]))
      }
    }
  }

  private var lines: [(name: String, value: String)] {
    guard let status else { return [("store", "\(path): not made yet")] }
    var lines = [
      ("store", path), ("made", status.created.minute),
      (
        "size",
        status.bytes.size
          + (status.hasLog
            ? status.walBytes.map { ", write-ahead log \($0.size)" } ?? ""
            : ", without the write-ahead log; an import restores it")
      ),
      ("model", "version \(status.modelVersion), since \(status.modelSince.minute)"),
    ]
    let width = status.entities.map { $0.entity.count }.max() ?? 0
    for (index, count) in status.entities.enumerated() {
      let entity = count.entity.padded(to: width + 2)
      lines.append((index == 0 ? "entities" : "", entity + count.rows.grouped))
    }
    let since = status.historySince.map { ", since \($0.minute)" } ?? ""
    lines += [
      (
        "history",
        "\(counted(status.transactions, "transaction")), \(counted(status.changes, "change"))\(since)"
      ),
      ("token", status.token.description),
    ]
    for (index, reader) in status.readers.enumerated() {
      lines.append((index == 0 ? "readers" : "", reader.line))
    }
    for (index, pin) in status.pins.enumerated() {
      lines.append((index == 0 ? "pinned" : "", pin.line))
    }
    if status.pendingChanges > 0 {
      lines.append(("pending", "\(counted(status.pendingChanges, "change")) of other programs"))
    }
    if status.dirtyOwners > 0 {
      lines.append(
        ("dirty", "derived attributes of \(counted(status.dirtyOwners, "object")) are out of date"))
    }
    if status.openErasures > 0 {
      lines.append(
        (
          "erasures",
          "\(status.openErasures.grouped) incomplete: what was erased may still be in free pages and in the write-ahead "
            + "log; run `bolide erase` again"
        ))
    }
    for (label, problems, gap) in [
      ("triggers", status.upkeep.triggers, ", and history has a gap"), ("indexes", status.upkeep.indexes, ""),
    ] {
      guard let problem = problems.first else { continue }
      let more = problems.count > 1 ? ", and \(problems.count - 1) more" : ""
      lines.append((label, "\(problem)\(more): the next import restores them\(gap)"))
    }
    let unbuilt = status.upkeep.unbuiltIndexes.count
    if unbuilt > 0 {
      lines.append(
        (
          "indexes",
          "\(unbuilt) not built yet: the import that is at work, or else the next one, builds \(unbuilt == 1 ? "it" : "them")"
        ))
    }
    for (index, attribute) in status.unfinishedAttributes.enumerated() {
      lines.append(
        (
          index == 0 ? "migration" : "",
          "\(attribute.name) is not filled yet: the import or migration by \(attribute.pipeline) that is at work, or else the "
            + "next one, goes on"
        ))
    }
    for (index, total) in status.nullTotals.lines.enumerated() {
      lines.append((index == 0 ? "totals" : "", total))
    }
    if let holder = status.holder {
      lines.append(("at work", "\(holder.pipeline), process \(holder.process), since \(holder.since.minute)"))
    }
    return lines
  }
}

extension Reader {
  /// `map  live, 3 transactions behind for 2 h`
  fileprivate var line: String {
    let behind = "\(counted(Int64(transactionsBehind), "transaction")) behind for \(secondsBehind.duration)"
    return "\(name)  \(state.rawValue), \(transactionsBehind == 0 ? "has seen everything" : behind)"
  }
}

extension PinnedState {
  /// `process 4711 for 3 h, at b1-k3v9-18-x7mw`
  fileprivate var line: String { "process \(process) for \(age.duration), at \(token)" }
}

extension PipelineStatus {
  /// `failed: max-missing`
  var stateWithReason: String {
    let reason = state == .failed ? lastRun?.outcome : nil
    return state.rawValue + (reason.map { ": \($0.printable)" } ?? "")
  }

  fileprivate var block: [(name: String, value: String)] {
    var lines = [("pipeline", name), ("state", state.rawValue + limit)]
    guard let lastRun else { return lines + [("last run", "never")] }
    lines.append(("last run", lastRun.line))
    if lastRun.number != lastGoodRun?.number {
      lines.append(("last good run", lastGoodRun?.line ?? "never"))
    }
    if lastRun.number != lastChange?.number { lines.append(("last change", lastChange?.line ?? "never")) }
    if let missing, missing.count > 0 {
      let limit = maximumMissing.map { "; at most \($0.inPercent) may be" } ?? ""
      lines.append(
        ("missing", "\(counted(Int64(missing.count), "row")) of \(missing.total.grouped)\(limit)"))
    }
    if openRejects > 0 { lines.append(("rejected", "\(counted(openRejects, "record")) kept")) }
    return lines
  }

  private var limit: String {
    guard let maxAge else { return "" }
    return isOverdue
      ? ": the last good run is older than \(maxAge.duration), or there is none"
      : "; due every \(maxAge.duration)"
  }
}

extension PipelineStatus.Run {
  /// `run 42, 3 h ago, 2026-05-12 06:00 UTC: 1060 read = 3 inserted + 1057 unchanged; ok`
  fileprivate var line: String {
    let end = outcome.map { $0 == RunOutcome.good ? "" : "; \($0)" } ?? "; it has not ended"
    return "run \(number), \(age.ago), \((ended ?? started).minute): \(progress.sum())\(end)"
  }
}
