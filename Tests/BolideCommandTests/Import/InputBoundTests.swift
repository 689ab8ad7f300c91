import Foundation
import Testing

/// An input may have bounds: of records, of bytes, of time. Past one the import ends with 65, and says what landed.
@Suite struct InputBoundTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
  }

  private func feed(_ count: Int) -> String {
    "[" + (0..<count).map { #"{"id": "q\#($0)", "magnitude": 1.5}"# }.joined(separator: ",\n") + "]"
  }

  private func raise(_ name: String) -> String {
    "Check the input, or raise `\(name)`."
  }

  private func rows() throws -> Int { try folder.count("Quake", in: "quakes.sqlite") }

  @Test func `more records than there may be`() throws {
    try folder.write(feed(10), to: "feed.json")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--max-records", "10") == .silent)
    #expect(
      try folder.bolide("import", "quakes.yaml", "feed.json", "--force", "--max-records", "9")
        == .failure(
          65, "feed.json: there are more than 9 records. The 9 records before it are in the store",
          raise("max-records")))
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT outcome, read FROM bolide_run WHERE run = 2")
        == ["max-records|9"])
    // Several files are one input.
    #expect(
      try folder.bolide("import", "quakes.yaml", "feed.json", "feed.json", "--max-records", "15").errors
        .hasPrefix("Error: feed.json: there are more than 15 records. The 15 records"))
    let none = try folder.bolide("import", "quakes.yaml", "--max-records", "0")
    #expect(none.status == 64 && none.errors.contains("--max-records must be at least 1"))
  }

  @Test func `with atomic nothing lands`() throws {
    try folder.write(feed(10), to: "feed.json")
    #expect(
      try folder.bolide("import", "quakes.yaml", "feed.json", "--atomic", "--max-records", "9")
        == .failure(
          65, "feed.json: there are more than 9 records",
          "Nothing of this import is in the store. " + raise("max-records")))
    #expect(try rows() == 0)
  }

  @Test func `more bytes than there may be, of what a compressed input expands to`() throws {
    let text = feed(5_000)
    try folder.write(text, to: "feed.json")
    try #require(try folder.shell("gzip -k feed.json").status == 0)
    try folder.write(Folder.quakes + "\nmax-bytes: 100kB\n", to: "bound.yaml")
    let outcome = try folder.bolide("import", "bound.yaml", "feed.json.gz")
    let landed = try rows()
    #expect(landed > 2_000 && landed < 3_500)
    #expect(
      outcome
        == .failure(
          65,
          "feed.json.gz: the input is larger than 100,000 bytes. The \(landed) records before it are in the store",
          raise("max-bytes")))
    // The flag wins, and the last byte may be there.
    func status(_ bytes: Int) throws -> Int32 {
      try folder.bolide("import", "bound.yaml", "feed.json.gz", "--force", "--max-bytes", "\(bytes)").status
    }
    #expect(try status(text.utf8.count) == 0)
    #expect(try status(text.utf8.count - 1) == 65)
    let check = try folder.bolide("check", "bound.yaml", "feed.json")
    #expect(check.errors.hasPrefix("Error: feed.json: the input is larger than 100,000 bytes"))
  }

  @Test func `an endless stream ends within its bounds`() throws {
    let endless = #"while echo '{"id": "q", "magnitude": 1}'; do :; done 2>&-"#
    let bytes = try folder.shell("(\(endless)) | \"$bolide\" import quakes.yaml - --max-bytes 200kB")
    #expect(bytes.status == 65)
    let time = try folder.shell("(\(endless)) | \"$bolide\" import quakes.yaml - --max-time 1")
    #expect(time.status == 65)
    #expect(time.errors.hasPrefix("Error: stdin: the import takes more than 1 second. Of the "))
    #expect(time.errors.contains(" repeat a key."))
  }

  @Test func `a pipe that falls silent ends when the time is over`() throws {
    let running = try folder.starting("import", "quakes.yaml", "-", "--max-time", "0.5s")
    try running.write(Data(#"[{"id": "a", "magnitude": 1}, "#.utf8))
    #expect(
      try running.outcome(within: 20)
        == .failure(
          65, "stdin: the import takes more than 0.5 seconds. The record before it is in the store",
          raise("max-time")))
    #expect(try rows() == 1)
  }

  @Test func `rows before their names have the bounds of their input`() throws {
    let rows = (0..<2_000).map { #"["q\#($0)", 1]"# }.joined(separator: ",")
    try folder.write(#"{"data": [\#(rows)], "fields": ["id", "magnitude"]}"#, to: "feed.json")
    #expect(
      try folder.bolide("import", "quakes.yaml", "feed.json", "--max-bytes", "1000")
        == .failure(65, "feed.json: the input is larger than 1,000 bytes", raise("max-bytes")))
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--max-records", "7").status == 65)
    #expect(try self.rows() == 7)
  }

  @Test func `an import in little memory does the same, and takes shorter records`() throws {
    let text = String(repeating: "x", count: 90)
    let rows = (0..<60_000).map { #"{"id": "\#(text)\#($0 * 7919 % 60_000)", "place": "r\#($0 % 50)"}"# }
    try folder.write(rows.joined(separator: "\n"), to: "feed.json")
    func dump(_ memory: String) throws -> (rows: [String], chunks: Int) {
      let store = "\(memory).sqlite"
      let outcome = try folder.bolide(
        "import", "quakes.yaml", "feed.json", "--store", store, "--memory", memory)
      #expect(outcome == .silent)
      #expect(try folder.bolide("verify", store) == .silent)
      return (
        try folder.sqlite(
          store, "SELECT id, name FROM Quake JOIN Region r ON r.bolide_id = region_id ORDER BY id"),
        Int(try folder.sqlite(store, "SELECT chunks FROM bolide_run").first ?? "") ?? 0
      )
    }
    let (little, much) = (try dump("48MiB"), try dump("1GiB"))
    #expect(little.rows == much.rows && little.rows.count == 60_000)
    #expect(little.chunks > 2)

    try folder.write(
      #"{"id": "long", "place": "\#(String(repeating: "y", count: 4 << 20))"}"#, to: "long.json")
    let long = try folder.bolide("import", "quakes.yaml", "long.json", "--memory", "48MiB")
    #expect(
      long.status == 65
        && long.errors.hasPrefix("Error: long.json:1:1: found a record over the limit of 3 MiB"))
    #expect(try folder.bolide("import", "quakes.yaml", "long.json") == .silent)
    for size in ["47MiB", "5GiB", "little"] {
      let wrong = try folder.bolide("import", "quakes.yaml", "feed.json", "--memory", size)
      #expect(wrong.status == 64)
      #expect(wrong.errors.hasPrefix("Error: The value '\(size)' is invalid for '--memory <size>'"))
    }
  }

  @Test(.enabled(if: ControlGroup.canBeMade, "no control group with a limit of memory can be made here"))
  func `a control group's limit changes neither chunks nor rows`() throws {
    let rows = (0..<60_000).map { #"{"id": "\#($0 * 7919 % 60_000)", "place": "r\#($0 % 50)"}"# }
    try folder.write(rows.joined(separator: "\n"), to: "feed.json")
    func dump(_ store: String, in group: ControlGroup?) throws -> [String] {
      let command = "import quakes.yaml feed.json --store \(store) --memory 256MiB --chunk-rows 20000"
      let enter = group.map { "echo $$ > \($0.path)/cgroup.procs; " } ?? ""
      #expect(try folder.shell("\(enter)exec $bolide \(command)") == .silent)
      return try folder.sqlite(
        store,
        """
        SELECT id, name FROM Quake JOIN Region r ON r.bolide_id = region_id ORDER BY id;
        SELECT read, inserted, chunks, last_transaction FROM bolide_run;
        """)
    }
    let group = try #require(ControlGroup(bytes: 160 << 20))
    defer { group.remove() }
    #expect(try dump("within.sqlite", in: group) == dump("without.sqlite", in: nil))
  }
}

/// A control group below this process's own, with a limit of memory.
private struct ControlGroup {
  let path: String

  /// Whether this process may make one.
  static var canBeMade: Bool {
    guard let group = ControlGroup(bytes: 1 << 30) else { return false }
    group.remove()
    return true
  }

  /// - Returns: nil where none can be made.
  init?(bytes: Int) {
    let text = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
    let name = "bolide-\(UUID().uuidString)"
    for (start, root, file) in [
      ("0::", "/sys/fs/cgroup", "memory.max"),
      (":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
    ] {
      guard let line = text.split(separator: "\n").first(where: { $0.contains(start) }) else { continue }
      let group = line.split(separator: ":").last.map(String.init) ?? "/"
      let path = "\(root)\(group == "/" ? "" : group)/\(name)"
      guard mkdir(path, 0o755) == 0 else { continue }
      if let limit = FileHandle(forWritingAtPath: "\(path)/\(file)"),
        (try? limit.write(contentsOf: Data("\(bytes)".utf8))) != nil
      {
        self.path = path
        return
      }
      rmdir(path)
    }
    return nil
  }

  func remove() { _ = rmdir(path) }
}
