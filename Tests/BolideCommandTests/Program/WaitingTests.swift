import Foundation
import Testing

/// While another program keeps SQLite's write lock, and while another consumer of a reader is at work.
@Suite struct WaitingTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(#"[{"id": "a", "place": "west"}]"#, to: "feed.json")
    try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
  }

  /// Another program that has committed one change, and has begun to write again. A follower that takes the one has the lock
  /// for a moment, and is waited for.
  private func writer() throws -> Running {
    let shell = try Running("/usr/bin/env", ["sqlite3", "quakes.sqlite"], in: folder, input: .open)
    try shell.write(
      Data(
        """
        .timeout 20000
        UPDATE Quake SET magnitude = 2;
        BEGIN IMMEDIATE;
        UPDATE Quake SET magnitude = 3;
        .shell touch held

        """.utf8))
    try eventually { FileManager.default.fileExists(atPath: folder.path("held")) }
    return shell
  }

  private func end(_ shell: Running) throws {
    try shell.write(Data("COMMIT;\n".utf8))
    try shell.close()
    #expect(try shell.outcome().status == 0)
  }

  @Test func `who reads gets what is committed, and is told what waits`() throws {
    let shell = try writer()
    let note =
      "Note: 2 changes by other programs are not in history yet: another program holds the store's "
      + "write lock. The next command that writes, such as `bolide import`, updates them.\n"
    for arguments in [
      ["token", "quakes.sqlite"], ["changes", "quakes.sqlite"], ["snapshot", "quakes.sqlite"],
      ["fetch", "quakes.sqlite", "Quake"], ["snapshot", "quakes.sqlite", "--sqlite", "plain.sqlite"],
    ] {
      let outcome = try Running(Folder.tool, arguments, in: folder, input: .nothing).outcome()
      #expect(outcome.status == 0 && outcome.errors == note, "\(arguments): \(outcome)")
      #expect(
        (arguments[0] == "snapshot" && arguments.count == 2)
          == outcome.output.contains(#""pendingChanges":2,"#))
      #expect(
        (arguments[0] == "fetch" || arguments.count == 2 && arguments[0] == "snapshot")
          == outcome.output.contains(#""magnitude":2"#))
    }
    #expect(try folder.sqlite("plain.sqlite", "SELECT pending FROM bolide_snapshot") == ["2"])
    try end(shell)
    #expect(try folder.bolide("token", "quakes.sqlite").errors.isEmpty)
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `followers and acknowledgements outlive a lock that is held for long`() throws {
    #expect(try folder.bolide("readers", "quakes.sqlite", "add", "map", "--from", "beginning").status == 0)
    let follower = try folder.starting("changes", "quakes.sqlite", "--follow", "--since", "1")
    // It takes the changes, and acknowledges them only when the lock is held.
    let consumer = try folder.starting(
      "changes", "quakes.sqlite", "--reader", "map", "--", "sh", "-c",
      "cat > taken; while [ ! -e held ]; do sleep 0.05; done")
    try eventually { try folder.shell("test -s taken").status == 0 }
    let shell = try writer()
    // Longer than any command waited before.
    let end = ContinuousClock.now + .seconds(11)
    while ContinuousClock.now < end {
      try #require(follower.isRunning && consumer.isRunning)
      usleep(100_000)
    }
    try self.end(shell)
    #expect(try consumer.outcome().status == 0)
    #expect(try folder.sqlite("quakes.sqlite", "SELECT number FROM bolide_reader") == ["1"])
    try eventually { try follower.outputSoFar().contains(#""commit":true"#) }
    follower.send(SIGTERM)
    #expect(try follower.outcome().status == 128 + SIGTERM)
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `two consumers of one reader do not work at once`() throws {
    #expect(try folder.bolide("readers", "quakes.sqlite", "add", "map", "--from", "beginning").status == 0)
    let first = try folder.starting(
      "changes", "quakes.sqlite", "--reader", "map", "--", "sh", "-c",
      "cat > taken; while [ ! -e go ]; do sleep 0.05; done")
    try eventually { try folder.shell("test -s taken").status == 0 }
    let busy = Outcome.failure(
      75, "quakes.sqlite: another consumer of the reader 'map' is running",
      "Use one reader per consumer, or run the command again when the other consumer has ended.")
    #expect(try folder.bolide("changes", "quakes.sqlite", "--reader", "map", "--", "cat") == busy)
    #expect(try folder.bolide("snapshot", "quakes.sqlite", "--reader", "map", "--", "cat") == busy)
    // To look, or to be another reader, is no second consumer.
    #expect(try folder.bolide("changes", "quakes.sqlite", "--reader", "map").status == 0)
    #expect(try folder.bolide("snapshot", "quakes.sqlite", "--reader", "new", "--", "cat").status == 0)
    try folder.write("", to: "go")
    #expect(try first.outcome().status == 0)
    #expect(try folder.bolide("changes", "quakes.sqlite", "--reader", "map", "--", "cat") == .silent)
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT name, number FROM bolide_reader ORDER BY name") == [
        "map|1", "new|1",
      ])
  }
}
