import Foundation
import Testing

/// `bolide changes --follow`: commits of any program, as they come.
@Suite struct FollowTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try take("a")
  }

  private func take(_ id: String) throws {
    try folder.write(#"[{"id": "\#(id)"}]"#, to: "feed.json")
    try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
  }

  /// Starts a follower whose lines go to a file.
  private func following(_ options: String = "") throws -> Running {
    let tool = Folder.tool
    return try Running(
      "/bin/sh", ["-c", "exec '\(tool)' changes quakes.sqlite --follow \(options) > seen"], in: folder,
      input: .open)
  }

  private func seen() throws -> String {
    String(decoding: (try? folder.bytes(of: "seen")) ?? Data(), as: UTF8.self)
  }

  @Test func `imports and other programs are seen, in order, until a signal`() throws {
    let running = try following()
    defer { running.send(SIGKILL) }
    try eventually { try seen().contains(#""id":"a""#) }
    try take("b")
    try eventually { try seen().contains(#""id":"b""#) }
    try folder.sqlite("quakes.sqlite", "DELETE FROM Quake WHERE id = 'a'")
    try eventually { try seen().contains(#""delete""#) }
    running.send(SIGTERM)
    #expect(try running.outcome() == Outcome(status: 128 + SIGTERM))
    #expect(try seen() == folder.bolide("changes", "quakes.sqlite").output)
  }

  @Test func `history that it has seen may go`() throws {
    let running = try following()
    defer { running.send(SIGKILL) }
    try eventually { try seen().contains(#""commit":true"#) }
    for id in ["b", "c"] {
      try folder.bolide("prune", "quakes.sqlite", "--keep-transactions", "0").expectSilence()
      try take(id)
      try eventually { try seen().contains(#""id":"\#(id)""#) }
    }
    running.send(SIGINT)
    #expect(try running.outcome() == Outcome(status: 128 + SIGINT))
  }

  @Test func `a closed pipe ends it, also while nothing comes`() throws {
    let outcome = try folder.shell(
      #"{ "$bolide" changes quakes.sqlite --follow; echo "status $?" >&2; } | head -n 1"#)
    #expect(outcome.status == 0 && outcome.lines.count == 1 && outcome.errors == "status 0\n")
  }

  @Test(arguments: [SIGTERM, SIGINT]) func `where nobody reads, the first signal ends it`(signal: Int32)
    throws
  {
    // Far more than a pipe holds.
    let ids = (1...20_000).map { #"{"id": "a rather long name of number \#($0)"}"# }
    try folder.write("[\(ids.joined(separator: ","))]", to: "many.json")
    try #require(try folder.bolide("import", "quakes.yaml", "many.json") == .silent)
    // The test's end of the pipe stays open, and nobody reads it.
    #expect(mkfifo(folder.path("full"), 0o600) == 0)
    let pipe = open(folder.path("full"), O_RDWR | O_CLOEXEC)
    defer { close(pipe) }
    let running = try Running(
      "/bin/sh", ["-c", "exec '\(Folder.tool)' changes quakes.sqlite --follow > full"], in: folder,
      input: .nothing)
    try eventually {
      var waiting: Int32 = 0
      return ioctl(pipe, UInt(FIONREAD), &waiting) == 0 && waiting > 60_000
    }
    running.send(signal)
    #expect(try running.outcome(within: 20) == Outcome(status: 128 + signal))
  }

  @Test func `a reader's command runs for what comes, and its failure ends it`() throws {
    try folder.bolide("readers", "quakes.sqlite", "add", "map", "--from", "now").expectSilence()
    let running = try following(
      "--reader map -- sh -c 'cat > got; grep -q stop got && exit 9; cat got >> all; exit 0'")
    defer { running.send(SIGKILL) }
    try take("b")
    try eventually { FileManager.default.fileExists(atPath: folder.path("all")) }
    try take("stop")
    #expect(try running.outcome().status == 9)
    let all = String(decoding: try folder.bytes(of: "all"), as: UTF8.self)
    #expect(all.contains(#""id":"b""#) && !all.contains("stop") && !all.contains(#""id":"a""#))
    #expect(try folder.bolide("changes", "quakes.sqlite", "--reader", "map").output.contains("stop"))
  }

  private static let replaced = """
    Error: quakes.sqlite: the store was replaced by another file.
           Continue from the newest token; the token is rejected if the new file's history lacks it.

    """

  @Test(arguments: [
    "mv other.sqlite quakes.sqlite", ": > quakes.sqlite",
    "rm quakes.sqlite-wal quakes.sqlite-shm; cp other.sqlite quakes.sqlite",
  ]) func `a store that was replaced is told, not waited for`(command: String) throws {
    try folder.sqlite("quakes.sqlite", "VACUUM INTO 'other.sqlite'")
    let running = try following()
    defer { running.send(SIGKILL) }
    try eventually { try seen().contains(#""id":"a""#) }
    #expect(try folder.shell(command).status == 0)
    #expect(try running.outcome() == Outcome(status: 73, errors: Self.replaced))
  }

  @Test func `a store that was moved away is gone`() throws {
    let running = try following()
    defer { running.send(SIGKILL) }
    try eventually { try seen().contains(#""id":"a""#) }
    try FileManager.default.moveItem(
      atPath: folder.path("quakes.sqlite"), toPath: folder.path("other.sqlite"))
    let outcome = try running.outcome()
    #expect(outcome.status == 73)
    #expect(
      outcome.errors
        == """
        Error: quakes.sqlite: the store was deleted or renamed.
               When the store is back, continue from the newest token; the token is rejected if its history is lost.

        """)
  }

  /// Its log was deleted under it, and written anew by others: nothing of the old one may reach the new file.
  @Test func `a file that is restored under it stays whole`() throws {
    try folder.bolide("backup", "quakes.sqlite", "backup.sqlite").expectSilence()
    let running = try following()
    defer { running.send(SIGKILL) }
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET magnitude = 7; INSERT INTO Quake(id) VALUES ('b')")
    // It has made a transaction of them, for which it had to write.
    try eventually { try seen().contains(#""id":"b""#) }
    running.send(SIGSTOP)
    let restored = try folder.shell(
      """
      rm quakes.sqlite-wal quakes.sqlite-shm && cp backup.sqlite quakes.sqlite
      sqlite3 quakes.sqlite "INSERT INTO Quake(id) VALUES ('c')"
      """)
    #expect(restored.status == 0, "\(restored.errors)")
    try take("d")
    running.send(SIGCONT)
    #expect(try running.outcome() == Outcome(status: 73, errors: Self.replaced))
    #expect(try folder.sqlite("quakes.sqlite", "SELECT group_concat(id) FROM Quake") == ["a,c,d"])
    #expect(try folder.sqlite("quakes.sqlite", "PRAGMA integrity_check") == ["ok"])
    #expect(try folder.bolide("verify", "quakes.sqlite").status == 0)
  }

  @Test func `a commit is seen within 50 ms, and waiting costs next to nothing`() throws {
    // A program that stamps its rows; the follower's lines are stamped as they arrive.
    let delays = try folder.python(
      #"""
      import json, resource, sqlite3, subprocess, sys, time
      follower = subprocess.Popen([sys.argv[1], "changes", "quakes.sqlite", "--follow"], stdout=subprocess.PIPE)
      follower.stdout.readline(), follower.stdout.readline()
      store = sqlite3.connect("quakes.sqlite", timeout=20)
      delays = []
      for number in range(60):
        time.sleep(0.013)
        store.execute("INSERT INTO Quake(id) VALUES (?)", ("n%d" % number,))
        store.commit()
        begin = time.time()
        while "commit" not in json.loads(follower.stdout.readline()): pass
        delays.append(time.time() - begin)
      time.sleep(2)
      follower.terminate()
      follower.wait()
      used = resource.getrusage(resource.RUSAGE_CHILDREN)
      delays.sort()
      print(delays[len(delays) // 2], used.ru_utime + used.ru_stime)
      """#, Folder.tool
    ).split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    // The median, as other tests share the machine; the bound is that of a quiet one.
    #expect(delays.count == 2 && delays[0] < 0.05, "\(delays)")
    #expect(delays[1] < 2, "\(delays)")
  }

  @Test(arguments: [["--count"], ["--ids"], ["--limit", "3"]])
  func `what has no end has no count and no limit`(
    option: [String]
  ) throws {
    let outcome = try folder.run(Folder.tool, ["changes", "quakes.sqlite", "--follow"] + option)
    #expect(outcome.status == 64)
    #expect(
      outcome.errors.hasPrefix(
        "Error: --follow cannot be combined with --count, --ids, --limit or --until\n"))
  }

  @Test(.enabled(if: geteuid() == 0 && hasProgram("setpriv"), "there is no way to become another user"))
  func `who may only read cannot follow, and is told what to do`() throws {
    let outcome = try folder.shell(
      """
      cp "$bolide" tool; chmod 755 . tool; chmod 644 quakes.sqlite
      setpriv --reuid=65534 --regid=65534 --clear-groups ./tool changes quakes.sqlite --follow
      """)
    #expect(outcome.status == 73)
    #expect(
      outcome.errors.hasSuffix(
        """
        Error: quakes.sqlite: following changes requires write access to the store and its folder.
               Poll instead: bolide changes quakes.sqlite --since TOKEN

        """))
  }

  @Test(.enabled(if: geteuid() == 0 && hasProgram("setpriv"), "there is no way to become another user"))
  func `who may only read runs no command for a reader that could not be moved`() throws {
    try folder.bolide("readers", "quakes.sqlite", "add", "mirror", "--from", "beginning").expectSilence()
    for words in ["changes quakes.sqlite --reader mirror", "snapshot quakes.sqlite --reader new"] {
      let outcome = try folder.shell(
        """
        cp "$bolide" tool; chmod 755 . tool; chmod 644 quakes.sqlite*
        setpriv --reuid=65534 --regid=65534 --clear-groups ./tool \(words) -- sh -c 'echo delivered; cat > /dev/null'
        """)
      #expect(outcome.status == 73 && outcome.output == "", "\(outcome)")
    }
  }
}
