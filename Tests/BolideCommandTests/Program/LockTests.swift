import BolideBench
import Foundation
import Testing

/// Two runs of one pipeline exclude each other; those of different pipelines take turns.
@Suite struct LockTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(Folder.quakes, to: "others.yaml")
    try folder.write(#"[{"id": "a"}]"#, to: "feed.json")
  }

  @Test func `a second run of the same pipeline ends at once and says who holds the store`() throws {
    let holder = try holding()
    // Again and again: a run that is rejected leaves the holder's name where it stands.
    for _ in 1...3 { expectHeld(try folder.bolide("import", "quakes.yaml", "feed.json"), by: holder) }
    // A crontab that starts too often need not be told.
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "-q") == Outcome(status: 75))
    // The first run goes on, undisturbed.
    try holder.write(Data(#", {"id": "z"}]"#.utf8))
    try holder.close()
    #expect(try holder.outcome() == .silent)
    #expect(try folder.sqlite("quakes.sqlite", "SELECT id FROM Quake ORDER BY id") == ["y", "z"])
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
  }

  @Test func `another pipeline's run does not wait when it is told so`() throws {
    let holder = try holding()
    expectHeld(
      try folder.bolide("import", "others.yaml", "feed.json", "--store", "quakes.sqlite", "--lock-wait", "0"),
      by: holder)
    holder.send(SIGKILL)
    _ = try holder.outcome()
  }

  @Test func `another pipeline's run waits for its turn`() throws {
    let holder = try holding()
    let waiting = try folder.starting(
      "import", "others.yaml", "feed.json", "--store", "./quakes.sqlite", "--lock-wait", "50s")
    try waiting.close()
    // It has opened the store, and does not begin.
    try eventually { try self.openFiles(of: waiting).contains { $0.hasSuffix("/quakes.sqlite-bolide") } }
    #expect(try folder.sqlite("quakes.sqlite", "SELECT pipeline FROM bolide_run") == ["quakes"])
    #expect(waiting.isRunning)
    try holder.write(Data("]".utf8))
    try holder.close()
    #expect(try holder.outcome() == .silent)
    #expect(try waiting.outcome() == .silent)
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT pipeline, outcome FROM bolide_run")
        == ["quakes|ok", "others|ok"])
  }

  #if os(Linux)
    /// Locks a file as a network mount without a lock server would.
    @Test(
      .enabled(if: hasProgram("cc"), "there is no C compiler"),
      arguments: [
        "import quakes.yaml feed.json --store quakes.sqlite --lock-wait 600s",
        "import quakes.yaml --replay --lock-wait 600s",
        "import quakes.yaml feed.json --dry-run", "migrate quakes.sqlite quakes.yaml",
      ])
    func `a lock that nobody can take is told at once`(command: String) throws {
      try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
      try folder.write(
        "#include <errno.h>\nint flock(int f, int o) { errno = ENOLCK; return -1; }\n", to: "no.c")
      try #require(try folder.run("cc", ["-shared", "-fPIC", "-o", "no.so", "no.c"]).status == 0)
      let outcome = try folder.shell(#"LD_PRELOAD="$PWD/no.so" "$bolide" \#(command)"#)
      // A dry run works on a copy elsewhere.
      let file = try #require(outcome.errors.firstMatch(of: /Error: (\S+-bolide):/)?.1)
      #expect(
        outcome
          == .failure(
            74, "\(file): the store cannot be locked (No locks available)",
            "Nothing was done. A store needs a file system that supports file locks."))
    }
  #endif

  @Test func `the lock dies with its process`() throws {
    let holder = try holding()
    holder.send(SIGKILL)
    #expect(try holder.outcome().status == 128 + SIGKILL)
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
  }

  @Test func `a signal ends the waiting`() throws {
    let holder = try holding()
    let waiting = try folder.starting("import", "others.yaml", "feed.json", "--store", "quakes.sqlite")
    try eventually { try self.openFiles(of: waiting).contains { $0.hasSuffix("/quakes.sqlite-bolide") } }
    waiting.send(SIGTERM)
    #expect(try waiting.outcome() == Outcome(status: 128 + SIGTERM))
    holder.send(SIGKILL)
    _ = try holder.outcome()
  }

  @Test func `a store reached by a symbolic link is the same store`() throws {
    let holder = try holding()
    #expect(try folder.run("ln", ["-s", "quakes.sqlite", "link.sqlite"]).status == 0)
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json", "--store", "link.sqlite")
    #expect(outcome.status == 75)
    holder.send(SIGKILL)
    _ = try holder.outcome()
  }

  /// The second holds a read lock, which without a log keeps others from writing.
  @Test(arguments: ["BEGIN IMMEDIATE", "PRAGMA journal_mode = DELETE; BEGIN; SELECT count(*) FROM Quake"])
  func `another program's write lock is waited for, then told`(lock: String) throws {
    try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    try folder.write(#"[{"id": "b"}]"#, to: "feed.json")
    let shell = try Running("/usr/bin/env", ["sqlite3", "quakes.sqlite"], in: folder, input: .open)
    try shell.write(Data("\(lock);\n.shell touch held\n".utf8))
    try eventually { FileManager.default.fileExists(atPath: self.folder.path("held")) }
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json", "--lock-wait", "0.1s")
    #expect(
      outcome
        == .failure(
          75, "quakes.sqlite: another program holds a lock on the store",
          "Run the command again when that program has finished its transaction."))
    try shell.write(Data("COMMIT;\n".utf8))
    try shell.close()
    #expect(try shell.outcome().status == 0)
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT id FROM Quake; PRAGMA journal_mode") == ["a", "b", "wal"])
  }

  /// A run that has committed a row and waits for more.
  private func holding() throws -> Running {
    let running = try folder.starting("import", "quakes.yaml", "-", "--chunk-rows", "1")
    try running.write(Data(#"[{"id": "y"}"#.utf8))
    try eventually { try folder.count("Quake", in: "quakes.sqlite") == 1 }
    return running
  }

  private func expectHeld(_ outcome: Outcome, by holder: Running) {
    #expect(outcome.status == 75)
    #expect(
      outcome.errors.replacing(/since [-0-9T:.]+Z/, with: "since THEN") == """
        Error: quakes.sqlite: the pipeline quakes (process \(holder.processID), since THEN) is running on this store.
               Run the command again when it has finished.

        """)
  }

  private func openFiles(of program: Running) throws -> [String] {
    let descriptors = "/proc/\(program.processID)/fd"
    guard FileManager.default.fileExists(atPath: descriptors) else {
      return try folder.run("lsof", ["-p", "\(program.processID)", "-Fn"]).lines
    }
    return try FileManager.default.contentsOfDirectory(atPath: descriptors).compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")
    }
  }
}
