import BolideBench
import Foundation
import Testing

/// A transaction whose COMMIT fails leaves no trace: no number is lost, and no reader is told that the store was restored.
@Suite struct CommitFaultTests {
  private let folder: Folder
  private static let store = "fireballs.sqlite"

  init() throws {
    folder = try Folder.withFireballs()
    try folder.generate(FireballFeed(rows: 1_000, seed: 2), to: "before.json")
    try folder.generate(FireballFeed(rows: 5_000, seed: 3), to: "feed.json")
    try #require(try folder.bolide("import", "fireballs.yaml", "before.json") == .silent)
    try #require(try folder.bolide("readers", Self.store, "add", "map", "--from", "now") == .silent)
  }

  /// Each with the limit that lets it come as far as its COMMIT: the shell counts in blocks of 512 or 1024 bytes.
  @Test(arguments: [
    (2_000, "import fireballs.yaml feed.json --chunk-rows 100"),
    (600, "import fireballs.yaml feed.json --atomic"),
    (200, "import fireballs.yaml feed.json --chunk-rows 1000"),
    (200, "delete \(store) Fireball --all"),
    (200, "migrate \(store) fewer.yaml --drop Fireball.altitude"),
    (60, "prune \(store) --keep-transactions 0"),
    (60, "token \(store)"),
  ]) func `where a commit fails, readers stay live and go on`(blocks: Int, command: String) throws {
    let whole = try String(decoding: folder.bytes(of: "fireballs.yaml"), as: UTF8.self)
    try folder.write(
      whole.split(separator: "\n").filter { !$0.contains("altitude:") }.joined(separator: "\n"),
      to: "fewer.yaml")
    let isForeign = command.hasPrefix("token") || command.hasPrefix("prune")
    // What another program has left is sealed by the command itself.
    if isForeign { try folder.sqlite(Self.store, "UPDATE Fireball SET energy = 1 + ifnull(energy, 0)") }
    let outcome = try folder.shell("ulimit -f \(blocks)\n\"$bolide\" \(command)")
    #expect(outcome.status == 74, "\(outcome)")
    try #require(try folder.bolide("import", "fireballs.yaml", "feed.json") == .silent)
    #expect(try folder.sqlite(Self.store, "SELECT count(*) FROM bolide_lost") == ["0"])
    #expect(try folder.bolide("readers", Self.store).output.contains(#""state":"live""#))
    let changes = try folder.bolide("changes", Self.store, "--reader", "map")
    #expect(changes.status == 0 && changes.errors.isEmpty && changes.lines.count > 5_000)
    #expect(try folder.bolide("verify", Self.store) == .silent)
  }
}
