import Foundation
import Testing

/// `bolide rejects --erase`: what a store keeps of rejected records goes for good.
@Suite struct EraseRejectsTests {
  private let folder: Folder
  private static let secret = "secret-value-4711"

  init() throws {
    folder = try Folder.withQuakes()
    let rows = (0..<40).map { #"{"id": "k\#($0)", "magnitude": "\#(Self.secret)-\#($0)"}"# }
    try folder.write(#"[{"id": "good"}, \#(rows.joined(separator: ", "))]"#, to: "feed.json")
    _ = try folder.bolide("import", "quakes.yaml", "feed.json", "-q")
  }

  private func kept() throws -> [String] {
    try folder.sqlite(
      "quakes.sqlite",
      "SELECT pipeline, count(*), (SELECT count(*) FROM bolide_reject_text) FROM bolide_reject GROUP BY 1")
  }

  /// How often a text stands in the store's files.
  private func occurrences(of text: String) throws -> Int {
    ["", "-wal", "-shm", "-bolide"].reduce(0) { count, ending in
      let data = (try? Data(contentsOf: folder.url.appending(path: "quakes.sqlite" + ending))) ?? Data()
      return count + String(decoding: data, as: UTF8.self).components(separatedBy: text).count - 1
    }
  }

  @Test func `nothing of them is left in the file or in the log`() throws {
    #expect(try kept() == ["quakes|40|40"])
    #expect(try occurrences(of: Self.secret) >= 40)
    #expect(
      try folder.bolide("rejects", "quakes.sqlite", "--erase")
        == Outcome(status: 0, output: "40 rejected records erased\n"))
    #expect(try kept() == [])
    #expect(try occurrences(of: Self.secret) == 0)
    #expect(try folder.count("Quake", in: "quakes.sqlite") == 1)
    #expect(
      try folder.bolide("rejects", "quakes.yaml", "--erase", "--format", "ndjson")
        == Outcome(status: 0, output: "{\"erased\":0}\n"))
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `one run's and one pipeline's can be erased, and what others share stays`() throws {
    try folder.write(Folder.quakes, to: "others.yaml")
    try folder.write(
      #"[{"id": "good"}, {"id": "k0", "magnitude": "\#(Self.secret)-0"}]"#, to: "one.json")
    _ = try folder.bolide("import", "others.yaml", "one.json", "-q")
    #expect(try kept() == ["others|1|40", "quakes|40|40"])
    for arguments in [["--pipeline", "nobody"], ["--run", "3"], ["--run", "2", "--pipeline", "quakes"]] {
      #expect(
        try Running(
          Folder.tool, ["rejects", "quakes.sqlite", "--erase"] + arguments, in: folder, input: .nothing
        ).outcome().output
          == "0 rejected records erased\n")
    }
    #expect(try folder.bolide("rejects", "quakes.sqlite", "--pipeline", "others").lines.count == 1)
    #expect(
      try folder.bolide("rejects", "quakes.sqlite", "--erase", "--run", "1").output
        == "40 rejected records erased\n")
    #expect(try kept() == ["others|1|1"])
    #expect(
      try folder.bolide("rejects", "quakes.sqlite", "--erase", "--pipeline", "others.yaml").output
        == "1 rejected record erased\n")
    #expect(try kept() == [])
  }

  @Test func `an import at work is waited for`() throws {
    let running = try folder.starting("import", "quakes.yaml", "-", "--chunk-rows", "1")
    try running.write(Data(#"[{"id": "a"}, {"id": "b", "magnitude": "late"}, "#.utf8))
    try eventually { try folder.count("Quake", in: "quakes.sqlite") == 2 }
    let erasing = try folder.starting("rejects", "quakes.sqlite", "--erase")
    try running.write(Data(#"{"id": "c", "magnitude": "later"}]"#.utf8))
    try running.close()
    #expect(try running.outcome().status == 65)
    #expect(try erasing.outcome().output == "42 rejected records erased\n")
    #expect(try kept() == [])
  }

  @Test func `a reader that keeps the log is told of`() throws {
    let read = """
      import sqlite3, sys
      store = sqlite3.connect('quakes.sqlite', isolation_level=None)
      store.execute('BEGIN'); store.execute('SELECT count(*) FROM bolide_reject').fetchall()
      open('reading', 'w').close(); sys.stdin.read()
      """
    let reader = try Running("/usr/bin/env", ["python3", "-c", read], in: folder, input: .open)
    try eventually { FileManager.default.fileExists(atPath: folder.path("reading")) }
    #expect(
      try folder.bolide("rejects", "quakes.sqlite", "--erase")
        == .failure(
          75,
          "quakes.sqlite: the rejected records are erased, but a reader prevents erasing them from the write-ahead log",
          "Run the same command again when the long read has ended."))
    #expect(try kept() == [])
    try reader.close()
    _ = try reader.outcome()
    #expect(try folder.bolide("rejects", "quakes.sqlite", "--erase").output == "0 rejected records erased\n")
    #expect(try occurrences(of: Self.secret) == 0)
  }

  @Test func `the list says what is not kept`() throws {
    try folder.write(Folder.quakes + "\nreject-rows: 30\n", to: "quakes.yaml")
    _ = try folder.bolide("import", "quakes.yaml", "feed.json", "-q")
    let list = try folder.bolide("rejects", "quakes.sqlite")
    #expect(list.status == 0 && list.lines.count == 40)
    #expect(list.errors == "Note: quakes: run 2 rejected 10 more, which were not kept\n")
    #expect(try folder.bolide("rejects", "quakes.sqlite", "--run", "1").errors == "")
  }
}
