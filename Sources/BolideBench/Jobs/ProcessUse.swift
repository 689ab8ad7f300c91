internal import Foundation

/// What this process has used so far.
struct ProcessUse {
  /// Processor time of all threads, in seconds.
  let processorSeconds: Double
  /// Bytes given to `write` calls; nil where the system does not tell.
  let writtenBytes: Int?

  static var now: ProcessUse {
    var usage = rusage()
    // 0 is RUSAGE_SELF, which is of another type on every system.
    getrusage(0, &usage)
    return ProcessUse(
      processorSeconds: usage.processorSeconds,
      writtenBytes: number(of: "wchar:", in: "/proc/self/io"))
  }

  /// The most memory that this program held at a time, in bytes.
  ///
  /// On Linux not `ru_maxrss`: a child inherits its parent's there, and keeps it beyond `exec`.
  static var peakBytes: Int? {
    if let kilobytes = number(of: "VmHWM:", in: "/proc/self/status") { return kilobytes * 1024 }
    #if canImport(Darwin)
      var usage = rusage()
      getrusage(0, &usage)
      return usage.ru_maxrss
    #else
      return nil
    #endif
  }

  private static func number(of name: String, in path: String) -> Int? {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
  }
}

extension rusage {
  /// User and system time together.
  var processorSeconds: Double {
    Double(ru_utime.tv_sec + ru_stime.tv_sec) + Double(ru_utime.tv_usec + ru_stime.tv_usec) * 1e-6
  }
}

extension JobOutcome {
  /// Does the work by the clock.
  ///
  /// - Parameter work: returns how many rows it was about.
  static func measuring(_ work: () throws -> Int) rethrows -> JobOutcome {
    let before = ProcessUse.now
    let clock = ContinuousClock()
    let start = clock.now
    let rows = try work()
    let seconds = start.duration(to: clock.now) / .seconds(1)
    let after = ProcessUse.now
    var outcome = JobOutcome(seconds: seconds, rows: rows)
    outcome.processorSeconds = after.processorSeconds - before.processorSeconds
    if let before = before.writtenBytes, let after = after.writtenBytes {
      outcome.writtenBytes = after - before
    }
    outcome.peakBytes = ProcessUse.peakBytes
    return outcome
  }
}
