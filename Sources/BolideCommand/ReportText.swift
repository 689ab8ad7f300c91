import Bolide

extension ImportReport {
  /// The line for people; parts that are zero are left out.
  var line: String {
    let counts = progress.counts
    let parts = [
      (counts.inserted, "inserted"), (counts.updated, "updated"), (counts.unchanged, "unchanged"),
      (counts.ignored, "ignored"), (counts.folded, "folded"), (counts.rejected, "refused"),
      (counts.rolledBack, "rolled back"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let sum = parts.isEmpty ? "" : " = \(parts.joined(separator: " + "))"
    let repeated = counts.repeated > 0 ? "; \(counts.repeated) of the updated repeat a key" : ""
    let known = progress.sameAs.map { " (same bytes as run \($0))" } ?? ""
    let kept = stillKept.map { " · \($0) still kept" } ?? ""
    let token = token.map { " · token \($0)" } ?? ""
    let verb = stillKept == nil ? "read" : "replayed"
    let time = text(seconds, decimals: 2)
    return "\(pipeline): \(counts.read) \(verb)\(sum)\(repeated)\(known)\(kept) · \(time) s\(token)"
  }

  /// Too many records were refused, in one sentence.
  var refusal: String {
    let counts = progress.counts
    let undone = counts.rolledBack > 0 ? ", and nothing is in the store" : ""
    return "\(pipeline): \(counts.rejected) of \(counts.read) records were refused\(undone)"
  }

  /// One object for programs.
  var json: String {
    let counts = progress.counts
    var text = JSONText()
    text.object {
      $0.member("pipeline", pipeline)
      $0.member("run", run)
      $0.member("read", Int64(counts.read))
      $0.member("inserted", Int64(counts.inserted))
      $0.member("updated", Int64(counts.updated))
      $0.member("repeated", Int64(counts.repeated))
      $0.member("unchanged", Int64(counts.unchanged))
      $0.member("ignored", Int64(counts.ignored))
      $0.member("folded", Int64(counts.folded))
      $0.member("rejected", Int64(counts.rejected))
      $0.member("rolledBack", Int64(counts.rolledBack))
      if let sameAs = progress.sameAs { $0.member("sameAs", sameAs) }
      if let stillKept { $0.member("stillKept", Int64(stillKept)) }
      $0.member("chunks", Int64(progress.chunks))
      $0.member("bytes", Int64(progress.bytes))
      $0.member("seconds", seconds)
      $0.member("rowsPerSecond", Int64(rowsPerSecond))
      $0.member("token", token?.description)
    }
    return text.string
  }
}

extension ImportProgress {
  /// `62 %  6.2 M rows  812 k/s  3 refused  ETA 0:05`
  var line: String {
    var parts: [String] = []
    if let totalBytes, totalBytes > 0 { parts.append("\(bytes * 100 / totalBytes) %") }
    parts.append("\(short(Double(read))) rows")
    parts.append("\(short(Double(read) / seconds))/s")
    if rejected > 0 { parts.append("\(rejected) refused") }
    if let totalBytes, bytes > 0, bytes < totalBytes {
      let left = Int(seconds * Double(totalBytes - bytes) / Double(bytes))
      parts.append("ETA \(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60)")
    }
    return parts.joined(separator: "  ")
  }

  private func short(_ number: Double) -> String {
    if number >= 1e6 { return "\(text(number / 1e6, decimals: 1)) M" }
    if number >= 1e3 { return "\(Int(number / 1e3)) k" }
    return "\(Int(number))"
  }
}

/// A number with a fixed count of decimals.
private func text(_ number: Double, decimals: Int) -> String {
  var scale = 1.0
  for _ in 0..<decimals { scale *= 10 }
  let units = Int((number * scale).rounded())
  let fraction = String(units % Int(scale))
  return "\(units / Int(scale))." + String(repeating: "0", count: decimals - fraction.count) + fraction
}
