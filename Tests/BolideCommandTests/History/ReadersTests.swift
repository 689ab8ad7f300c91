import Foundation
import Testing

/// `bolide readers`, and `bolide changes --reader NAME -- COMMAND`: at least once, and never a gap.
@Suite struct ReadersTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try take("a")
    try #require(
      try folder.bolide("readers", "quakes.sqlite", "add", "map", "--from", "beginning") == .silent)
  }

  private func take(_ ids: String...) throws {
    try folder.write("[" + ids.map { #"{"id": "\#($0)"}"# }.joined(separator: ",") + "]", to: "feed.json")
    try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
  }

  private func deliver(_ command: String, _ options: String = "") throws -> Outcome {
    try folder.shell(#""$bolide" changes quakes.sqlite --reader map \#(options) -- \#(command)"#)
  }

  private func behind() throws -> String {
    let list = try folder.bolide("readers", "quakes.sqlite")
    return String(try #require(list.output.firstMatch(of: /"transactions":(\d+)/)?.1))
  }

  @Test func `a command that succeeds acknowledges, any other end leaves the reader and is passed on`() throws
  {
    #expect(try deliver("sh -c 'cat > seen; exit 7'").status == 7)
    #expect(try deliver("sh -c 'kill -9 $$'").status == 137)
    #expect(try deliver("no-such-command").status == 127)
    #expect(try behind() == "1")
    #expect(try deliver("tee out") == folder.bolide("changes", "quakes.sqlite"))
    #expect(try behind() == "0")
    #expect(try folder.bytes(of: "seen") == folder.bytes(of: "out"))
    // Nothing new, and nothing is run.
    #expect(try deliver("touch ran") == .silent)
    #expect(!FileManager.default.fileExists(atPath: folder.path("ran")))
    try take("b", "c")
    try folder.sqlite("quakes.sqlite", "DELETE FROM Quake WHERE id = 'a'")
    let lines = try deliver("cat").lines
    #expect(lines.count == 5 && lines[2].contains(#""commit":true"#) && lines[4].contains(#""commit":true"#))
    #expect(try behind() == "0")
  }

  @Test func `printing does not acknowledge`() throws {
    let first = try folder.bolide("changes", "quakes.sqlite", "--reader", "map")
    #expect(first.lines.count == 2)
    #expect(try folder.bolide("changes", "quakes.sqlite", "--reader", "map") == first)
    let token = String(try #require(first.output.firstMatch(of: /"token":"([^"]+)"/)?.1))
    #expect(try folder.bolide("readers", "quakes.sqlite", "ack", "map", token) == .silent)
    #expect(try folder.bolide("changes", "quakes.sqlite", "--reader", "map") == .silent)
  }

  @Test func `a command that has read enough and is content acknowledges all`() throws {
    try take(contentsOf: 5_000)
    #expect(try deliver("head -n 1").lines.count == 1)
    #expect(try behind() == "0")
  }

  private func take(contentsOf count: Int) throws {
    try folder.write(
      "[" + (0..<count).map { #"{"id": "\#($0)"}"# }.joined(separator: ",") + "]", to: "feed.json")
    try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
  }

  @Test func `the command's own pipes end as in a shell`() throws {
    // `yes` dies of the closed pipe, as it would without us.
    #expect(try deliver("sh -c 'cat > /dev/null; yes | head -n 1'") == Outcome(status: 0, output: "y\n"))
  }

  @Test func `what a filter leaves out is acknowledged too`() throws {
    #expect(try deliver("touch ran", "--kind delete") == .silent)
    #expect(try behind() == "0" && !FileManager.default.fileExists(atPath: folder.path("ran")))
  }

  @Test func `a reader that fails again and again misses nothing`() throws {
    for round in 0..<6 {
      try take("k\(round)")
      // It fails before, while or after it takes them; what it took twice it knows by the id.
      _ = try deliver(
        "sh -c 'cat > got; head -n \(round) got >> taken; test \(round % 3) = 2 && cat got >> taken'")
    }
    #expect(try deliver("sh -c 'cat >> taken'").status == 0)
    let taken = String(decoding: try folder.bytes(of: "taken"), as: UTF8.self)
    let ids = Set(taken.matches(of: /"id":"(k?\w)?(\d?)"/).map { String($0.0) })
    #expect(ids.isSuperset(of: (0..<6).map { #""id":"k\#($0)""# } + [#""id":"a""#]))
  }

  @Test func `the list, as a table and as JSON`() throws {
    let store = try folder.sqlite("quakes.sqlite", "SELECT id FROM bolide_store")[0]
    let table = try folder.bolide("readers", "quakes.sqlite", "--format", "table").output
      .replacing(/\d+ s +/, with: "N s  ")
    #expect(
      table == """
        READER  STATE  BEHIND                   FOR  PLACE
        map     live   1 transaction, 1 change  N s  b1-\(store)-0-000000

        """)
    let line = try folder.bolide("readers", "quakes.sqlite").output
      .replacing(/"seconds":[0-9.]+/, with: #""seconds":N"#).replacing(
        /"moved":"[^"]+"/, with: #""moved":"NOW""#)
    #expect(
      line
        == #"{"reader":"map","state":"live","token":"b1-\#(store)-0-000000","transactions":1,"changes":1,"seconds":N,"moved":"NOW"}"#
        + "\n")
    #expect(try folder.bolide("readers", "quakes.sqlite", "drop", "map") == .silent)
    #expect(try folder.bolide("readers", "quakes.sqlite") == .silent)
  }

  @Test(arguments: [
    (["readers", "quakes.sqlite", "add"], "'add' needs a reader's name"),
    (["readers", "quakes.sqlite", "add", "x"], "'add' needs --from: now, beginning, or a token"),
    (["readers", "quakes.sqlite", "ack", "x"], "'ack' needs a token"),
    (["readers", "quakes.sqlite", "drop", "x", "y"], "'drop' takes no token; see --from"),
    (["readers", "quakes.sqlite", "drop", "nobody"], "quakes.sqlite: there is no reader 'nobody'"),
    (["readers", "quakes.sqlite", "reset", "map", "--from", "x"], "'x' is not a token"),
    (["changes", "quakes.sqlite", "--reader", "nobody"], "quakes.sqlite: there is no reader 'nobody'"),
    (
      ["changes", "quakes.sqlite", "--from", "oldest", "--since", "1"],
      "--since, --from and --reader cannot be combined: each sets the start"
    ),
    (
      ["changes", "quakes.sqlite", "--reader", "map", "--since", "1"],
      "--reader and --since cannot be combined: the reader's position is the start"
    ),
    (
      ["changes", "quakes.sqlite", "--reader", "map", "--limit", "1", "--", "cat"],
      "--reader with a command cannot be combined with --limit: the command receives whole transactions"
    ),
  ]) func `mistakes`(arguments: [String], sentence: String) throws {
    let outcome = try folder.run(Folder.tool, arguments)
    #expect(outcome.status == 64 && outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("Error: \(sentence)"), "\(outcome.errors)")
  }

  @Test func `a restored store's reader is rejected until it begins again`() throws {
    try folder.sqlite("quakes.sqlite", "VACUUM INTO 'backup.sqlite'")
    try take("lost")
    #expect(try deliver("sh -c 'cat > /dev/null'").status == 0)
    for ending in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: folder.path("quakes.sqlite\(ending)"))
    }
    try FileManager.default.moveItem(
      atPath: folder.path("backup.sqlite"), toPath: folder.path("quakes.sqlite"))
    let told = Outcome.failure(
      81,
      "quakes.sqlite: the store was restored from a backup that lacks changes that the reader 'map' has read",
      "Start again from a snapshot: bolide snapshot quakes.sqlite --reader map -- COMMAND")
    #expect(try deliver("cat") == told)
    try take("other")
    #expect(try deliver("cat") == told)
    #expect(try folder.bolide("readers", "quakes.sqlite").output.contains(#""state":"diverged""#))
    #expect(try folder.bolide("readers", "quakes.sqlite", "reset", "map") == .silent)
    #expect(try deliver("cat").lines.filter { !$0.contains("commit") }.count == 2)
  }

  @Test func `a signal that comes with the command's first step ends both`() throws {
    let consumer = ["--reader", "map", "--", "sh", "-c", "kill -TERM $PPID; exec sleep 60"]
    for _ in 0..<25 {
      let running = try Running(
        Folder.tool, ["changes", "quakes.sqlite"] + consumer, in: folder, input: .open)
      #expect(try running.outcome(within: 20) == Outcome(status: 128 + SIGTERM))
    }
    #expect(try behind() == "1")
  }

  @Test(arguments: ["", "--follow "], [SIGTERM, SIGINT, SIGHUP])
  func `a signal ends the command too, and nothing is acknowledged`(option: String, signal: Int32) throws {
    let tool = Folder.tool
    let running = try Running(
      "/bin/sh",
      [
        "-c",
        "exec '\(tool)' changes quakes.sqlite --reader map \(option)-- sh -c 'echo $$ > began; exec sleep 60'",
      ],
      in: folder, input: .open)
    try eventually { (try? folder.bytes(of: "began").count) ?? 0 > 1 }
    let command = try #require(
      Int32(String(decoding: folder.bytes(of: "began"), as: UTF8.self).trimmingCharacters(in: .newlines)))
    running.send(signal)
    #expect(try running.outcome(within: 20) == Outcome(status: 128 + signal))
    #expect(kill(command, 0) != 0)
    #expect(try behind() == "1")
  }

  @Test func `a command that would get too few descriptors does not begin`() throws {
    let tooFew = Outcome.failure(
      73, "quakes.sqlite: the store cannot be opened (Too many open files)",
      "Close some files, or raise the limit on open files, and run the command again.")
    for count in 6...18 {
      let outcome = try folder.shell(
        "ulimit -n \(count); \"$bolide\" changes quakes.sqlite --reader map -- true")
      #expect(outcome == tooFew, "\(count)")
    }
    try folder.shell("ulimit -n 24; \"$bolide\" changes quakes.sqlite --reader map -- true").expectSilence()
    #expect(try behind() == "0")
  }
}
