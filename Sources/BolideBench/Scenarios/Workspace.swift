internal import CZlib
internal import Foundation

/// The folder where feeds and stores are made; it goes with the bench.
package final class Workspace: Sendable {
  let path: String
  /// The tool itself.
  let tool: String

  /// Makes a folder within `parent`.
  package init(in parent: String, tool: String) throws {
    path = "\(parent)/bolide-bench-\(UUID().uuidString)"
    self.tool = tool
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// Removes the folder.
  package func remove() {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Where a name in the folder leads.
  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Does a job in a process of its own.
  ///
  /// - Parameter name: tells it from other jobs at the same time.
  func run(
    _ job: Job, input: ChildProcess.Input = .nothing, name: String = "child"
  ) throws -> JobOutcome {
    let text = String(decoding: try JSONEncoder().encode(job), as: UTF8.self)
    let child = try ChildProcess.run(tool, ["bench-job", text], in: path, input: input, name: name)
    guard child.status == 0 else {
      let line = child.errors.split(separator: "\n").first.map(String.init)
      let sentence = line?.replacing("Error: ", with: "").replacing(/\.$/, with: "")
      throw WrongResult(sentence ?? "a measured process ended with status \(child.status)")
    }
    var outcome = try JSONDecoder().decode(JobOutcome.self, from: Data(child.output.utf8))
    outcome.processSeconds = child.seconds
    return outcome
  }

  /// Runs another program to its end, as a user would.
  func run(
    program: String, _ arguments: [String], rows: Int, input: ChildProcess.Input = .nothing
  ) throws -> JobOutcome {
    let child = try ChildProcess.run(program, arguments, in: path, input: input)
    guard child.status == 0 else {
      let words = child.errors.split(separator: "\n").last.map(String.init)
      throw WrongResult("\(program) ended with status \(child.status): \(words ?? "nothing said")")
    }
    var outcome = JobOutcome(seconds: child.seconds, rows: rows)
    outcome.processSeconds = child.seconds
    outcome.processorSeconds = child.processorSeconds
    outcome.peakBytes = child.peakBytes
    return outcome
  }

  /// Writes a generated feed.
  func write(_ feed: FireballFeed, to name: String) throws -> String {
    let path = file(name)
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let handle = FileHandle(forWritingAtPath: path)
    else { throw WrongResult("\(path) cannot be written") }
    defer { try? handle.close() }
    try feed.write { try handle.write(contentsOf: Data($0)) }
    return path
  }

  /// Packs a file, as `gzip -6` does.
  func gzip(_ path: String, to name: String) throws -> String {
    let packed = file(name)
    guard let source = FileHandle(forReadingAtPath: path), let target = gzopen(packed, "wb6") else {
      throw WrongResult("\(packed) cannot be written")
    }
    while let data = try source.read(upToCount: 1 << 20), !data.isEmpty {
      let written = data.withUnsafeBytes { gzwrite(target, $0.baseAddress, UInt32($0.count)) }
      guard written == data.count else { throw WrongResult("\(packed) cannot be written") }
    }
    guard gzclose(target) == Z_OK else { throw WrongResult("\(packed) cannot be written") }
    return packed
  }

  /// Copies a database to a new place, all of it on the disk: a measured run must not pay for the copy.
  func copy(_ path: String, to name: String) throws -> String {
    let copy = file(name)
    removeDatabase(copy)
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let descriptor = open(copy, O_RDONLY)
    if descriptor >= 0 {
      fsync(descriptor)
      close(descriptor)
    }
    return copy
  }

  /// Removes a database and what lies beside it.
  func removeDatabase(_ path: String) {
    for ending in ["", "-wal", "-shm", "-journal", "-bolide"] {
      try? FileManager.default.removeItem(atPath: path + ending)
    }
  }

  static func size(of path: String) -> Int {
    let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
    return size?.intValue ?? 0
  }
}
