import Bolide

extension StatusOfStore {
  /// One object for programs. Times are UTC, ages and limits seconds.
  var json: String {
    var text = JSONText()
    text.object {
      $0.member("store", path)
      $0.member("needsAttention", needsAttention)
      if let status { $0.write(status) }
      $0.member("pipelines", objects: pipelines) { $0.write($1) }
    }
    return text.string
  }
}

extension JSONText {
  fileprivate mutating func write(_ status: StoreStatus) {
    member("created", status.created)
    member("bytes", status.bytes)
    member("walBytes", status.walBytes)
    member("hasLog", status.hasLog)
    member("model") {
      $0.member("version", status.modelVersion)
      $0.member("since", status.modelSince)
    }
    member("entities") {
      for count in status.entities { $0.member(count.entity, count.rows) }
    }
    member("history") {
      $0.member("token", status.token.description)
      $0.member("transactions", status.transactions)
      $0.member("changes", status.changes)
      $0.member("since", status.historySince)
      $0.member("pendingChanges", status.pendingChanges)
    }
    member("readers", objects: status.readers) { $0.write(members: $1) }
    member("pins", objects: status.pins) {
      $0.member("process", Int64($1.process))
      $0.member("since", $1.since)
      $0.member("age", $1.age)
      $0.member("token", $1.token)
    }
    member("dirtyOwners", status.dirtyOwners)
    member("triggerProblems", Int64(status.upkeep.triggers.count))
    member("indexProblems", Int64(status.upkeep.indexes.count))
    member("unbuiltIndexes", Int64(status.upkeep.unbuiltIndexes.count))
    write(status.nullTotals)
    member("unfinishedAttributes", Int64(status.unfinishedAttributes.count))
    member("openErasures", status.openErasures)
    if let holder = status.holder {
      member("atWork") {
        $0.member("pipeline", holder.pipeline)
        $0.member("process", Int64(holder.process))
        $0.member("since", holder.since)
      }
    }
  }

  fileprivate mutating func write(_ pipeline: PipelineStatus) {
    member("pipeline", pipeline.name)
    member("state", pipeline.state.rawValue)
    member("isOverdue", pipeline.isOverdue)
    if let maxAge = pipeline.maxAge { member("maxAge", maxAge) }
    member("openRejects", pipeline.openRejects)
    if let missing = pipeline.missing { member("missing", Int64(missing.count)) }
    if let most = pipeline.maximumMissing { member("maxMissing", most) }
    write(pipeline.lastRun, as: "lastRun")
    write(pipeline.lastGoodRun, as: "lastGoodRun")
    write(pipeline.lastChange, as: "lastChange")
  }

  private mutating func write(_ run: PipelineStatus.Run?, as name: String) {
    guard let run else { return member(name, nil as String?) }
    member(name) { $0.write(members: run) }
  }

  mutating func write(members run: PipelineStatus.Run) {
    member("run", run.number)
    member("input", run.input)
    member("started", run.started)
    member("ended", run.ended)
    member("age", run.age)
    if let seconds = run.seconds { member("seconds", seconds) }
    member("outcome", run.outcome)
    write(run.progress)
  }
}
