import Bolide
import CommandSupport

extension ImportReport {
  /// The line for people; parts that are zero are left out.
  var line: String {
    let kept = stillKept.map { " · \($0) still kept" } ?? ""
    let token = token.map { " · token \($0)" } ?? ""
    let verb = stillKept == nil ? "read" : "replayed"
    let time = decimal(seconds, places: 2)
    let trial = isTrial ? "dry run: " : ""
    let pages = pages.map { $0.isWhole ? "" : "; \($0.total) on all pages" } ?? ""
    let stopped = isStopped ? "; stopped before the end" : ""
    return "\(trial)\(pipeline): \(progress.sum(verb))\(pages)\(kept)\(stopped) · \(time) s\(token)"
  }

  /// One object for programs.
  ///
  /// - Parameter failure: what ended the import.
  func json(_ failure: Failure?) -> String {
    var text = JSONText()
    text.object {
      $0.member("pipeline", pipeline)
      $0.member("run", isTrial ? nil : run)
      if let failure {
        $0.write(failure)
      } else {
        let outcome = verdict == .tooManyRejected ? RunOutcome.tooManyRejected : RunOutcome.good
        $0.write(outcome: outcome, status.rawValue)
      }
      $0.write(progress)
      if isTrial { $0.member("dryRun", true) }
      if let pages { $0.member("onAllPages", Int64(pages.total)) }
      if let stillKept { $0.member("stillKept", Int64(stillKept)) }
      if !newFields.isEmpty {
        $0.member("newFields", objects: newFields) {
          $0.member("name", $1.name)
          $0.member("kind", $1.kind)
          if let example = $1.example { $0.member("example", example) }
          if let attribute = $1.attribute { $0.member("attribute", attribute.name) }
        }
      }
      if !absentFields.isEmpty {
        $0.member("absentFields", objects: absentFields) {
          $0.member("attribute", $1.attribute)
          $0.member("field", $1.field)
          $0.member("lastSeen", $1.lastSeen)
        }
      }
      if !absent.isEmpty {
        $0.member("absent") { text in absent.forEach { text.member($0.attribute, Int64($0.records)) } }
      }
      $0.member("seconds", seconds)
      $0.member("rowsPerSecond", Int64(rowsPerSecond))
      $0.member("token", token?.description)
    }
    return text.string
  }
}

extension ImportReport {
  /// What the tool ends with.
  var status: ExitStatus {
    switch verdict {
    case .allLanded: .allLanded
    case .someRejected: .someRejected
    case .tooManyRejected: .dataRejected
    }
  }
}

extension JSONText {
  mutating func write(outcome: String, _ status: Int32) {
    member("outcome", outcome)
    member("exitStatus", Int64(status))
  }

  /// `"outcome":"input-ends","exitStatus":65,"error":{"code":"input-ends","message":"…","hint":"…"}`
  mutating func write(_ failure: Failure) {
    write(outcome: failure.code, failure.signalStatus ?? failure.status.rawValue)
    member("error") {
      $0.member("code", failure.code)
      $0.member("message", failure.message)
      $0.member("hint", failure.hint)
    }
  }
}

extension Failure {
  /// One object for programs, of a store that could not be looked at.
  func json(ofStore path: String) -> String {
    var text = JSONText()
    text.object {
      $0.member("store", path)
      $0.write(self)
    }
    return text.string
  }

  /// One object for programs.
  var json: String {
    var text = JSONText()
    text.object { $0.write(self) }
    return text.string
  }
}

extension ChunkCounts {
  /// What became of the records: a count for each, those of nothing too.
  var parts: [(name: String, count: Int)] {
    [
      ("inserted", inserted), ("updated", updated), ("unchanged", unchanged), ("ignored", ignored),
      ("duplicate", duplicates), ("superseded", superseded), ("rejected", rejected),
      ("rolled back", rolledBack),
    ]
  }

  /// `1060 read = 3 inserted + 1057 unchanged`; parts that are zero are left out.
  func sum(_ verb: String) -> String {
    let parts = parts.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
    let sum = parts.isEmpty ? "" : " = \(parts.joined(separator: " + "))"
    let repeats = repeated > 0 ? "; \(repeated) of the updated repeat a key" : ""
    return "\(read) \(verb)\(sum)\(repeats)"
  }
}

extension RunProgress {
  /// `42 read = 42 inserted; Approach 61 read = 61 inserted; 3 missing`
  func sum(_ verb: String = "read") -> String {
    let children = children.map { "; \($0.entity) \($0.counts.sum("read"))" }.joined()
    let known = sameAs.map { " (same bytes as run \($0))" } ?? ""
    let absent = missing.flatMap { $0 > 0 ? "; \($0) missing" : nil } ?? ""
    let treated = gone > 0 ? "; \(gone) gone" : ""
    let unkept = unkept > 0 ? "; \(unkept) of the rejected are not kept" : ""
    let skipped = skipped > 0 ? "; \(skipped) unchanged \(skipped == 1 ? "input" : "inputs") skipped" : ""
    return counts.sum(verb) + children + unkept + treated + absent + known + skipped
  }
}

extension NullTotals {
  /// A line for each, and one for the rest.
  var lines: [String] {
    named.map(\.description) + (count > named.count ? [Note.more(count - named.count)] : [])
  }
}

extension JSONText {
  /// The members of a run's counts.
  mutating func write(_ progress: RunProgress) {
    write(progress.counts)
    if !progress.children.isEmpty {
      member("children") { text in
        for children in progress.children { text.member(children.entity) { $0.write(children.counts) } }
      }
    }
    if progress.unkept > 0 { member("unkept", Int64(progress.unkept)) }
    if progress.gone > 0 { member("gone", Int64(progress.gone)) }
    if let missing = progress.missing { member("missing", Int64(missing)) }
    if let sameAs = progress.sameAs { member("sameAs", sameAs) }
    if progress.skipped > 0 { member("skipped", Int64(progress.skipped)) }
    write(progress.nullTotals)
    member("chunks", Int64(progress.chunks))
    member("bytes", Int64(progress.bytes))
  }

  /// The totals beyond the range of their type; nothing where there is none.
  mutating func write(_ totals: NullTotals) {
    if totals.count == 0 { return }
    member("nullTotals", Int64(totals.count))
    member("nullTotalsOf", objects: totals.named) {
      $0.member("entity", $1.entity)
      if let id = $1.id { $0.member("id", id) }
      $0.member("attribute", $1.attribute)
    }
  }

  private mutating func write(_ counts: ChunkCounts) {
    member("read", Int64(counts.read))
    member("inserted", Int64(counts.inserted))
    member("updated", Int64(counts.updated))
    member("repeated", Int64(counts.repeated))
    member("unchanged", Int64(counts.unchanged))
    member("ignored", Int64(counts.ignored))
    member("duplicates", Int64(counts.duplicates))
    member("superseded", Int64(counts.superseded))
    member("rejected", Int64(counts.rejected))
    member("rolledBack", Int64(counts.rolledBack))
  }
}

/// A number with a fixed count of decimals.
func decimal(_ number: Double, places: Int) -> String {
  var scale = 1.0
  for _ in 0..<places { scale *= 10 }
  let units = Int((number * scale).rounded())
  let fraction = String(units % Int(scale))
  return "\(units / Int(scale))." + String(repeating: "0", count: places - fraction.count) + fraction
}
