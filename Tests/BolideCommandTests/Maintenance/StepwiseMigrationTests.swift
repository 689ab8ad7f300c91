import Foundation
import TestServer
import Testing

/// Derived attributes that come to many rows: other programs write between the steps, and a kill loses one.
@Suite struct StepwiseMigrationTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write("[]", to: "feed.json")
    try folder.write(#"[{"id": "other", "magnitude": 2.5, "place": "Ålesund"}]"#, to: "more.json")
    try folder.write(
      Folder.quakes.replacing(
        "magnitude: double",
        with: "magnitude: double\n  folded: { derived: canonical:(id) }\n  where: { derived: region.name }"
      )
      .replacing("bolide: 1", with: "bolide: 1\nname: grown"),
      to: "grown.yaml")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json").status == 0)
    try folder.sqlite(
      "quakes.sqlite",
      """
      INSERT INTO Region(name) VALUES ('Ålesund'), ('Çeşme'), ('x');
      INSERT INTO Quake(id, magnitude, region_id) SELECT 'K' || value, value, 1 + value % 3 FROM generate_series(1, 60000)
      """)
    #expect(try folder.bolide("token", "quakes.sqlite").status == 0)
  }

  /// Through which object the first column is filled; 0 before its first step, nil where there is none.
  private func through() throws -> Int? {
    guard
      try folder.sqlite("quakes.sqlite", "SELECT 1 FROM sqlite_schema WHERE name = 'bolide_unfinished'") == [
        "1"
      ]
    else { return nil }
    return try folder.sqlite("quakes.sqlite", "SELECT max(0, min(through)) FROM bolide_unfinished").first
      .flatMap { Int($0) }
  }

  private func isSound() throws -> Bool {
    try folder.bolide("verify", "quakes.sqlite") == .silent
      && folder.sqlite("quakes.sqlite", "PRAGMA integrity_check") == ["ok"]
  }

  @Test func `killed between steps, the next one goes on, and others are not disturbed`() throws {
    let version = "SELECT max(version) FROM bolide_model"
    let model = try folder.sqlite("quakes.sqlite", version)
    let last = try folder.sqlite("quakes.sqlite", "SELECT max(number) FROM bolide_transaction")[0]
    var (before, kills) = (0, 0)
    for round in 1...(LongRun.seeds > 1 ? 5 : 2) {
      let running = try folder.starting("migrate", "quakes.sqlite", "grown.yaml")
      defer { running.send(SIGKILL) }
      try eventually { try through().map { $0 > before } ?? !running.isRunning }
      running.send(SIGKILL)
      guard try running.outcome().status == 128 + SIGKILL, let now = try through() else { break }
      #expect(now >= before)
      (before, kills) = (now, kills + 1)
      #expect(try folder.sqlite("quakes.sqlite", version) == model)
      let status = try folder.bolide("status", "quakes.sqlite").lines.map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      let rest =
        "is not filled yet: the import or migration by grown that is at work, or else the next one, goes on"
      #expect(
        status.contains("migration  Quake.folded \(rest)") && status.contains("Quake.where \(rest)"),
        "\(status)")
      #expect(
        try folder.bolide("status", "quakes.sqlite", "--json").output.contains(#""unfinishedAttributes":2"#))
      #expect(
        !(try folder.bolide("fetch", "quakes.sqlite", "Quake", "--limit", "1").output.contains("folded")))
      // Behind the steps, and before them.
      try folder.sqlite(
        "quakes.sqlite",
        """
        UPDATE Region SET name = 'round \(round)' WHERE bolide_id = \(round);
        UPDATE Quake SET region_id = 2 WHERE bolide_id % 997 = \(round); DELETE FROM Quake WHERE bolide_id IN (\(round), 60000 - \(round));
        INSERT INTO Quake(id, region_id) VALUES ('New \(round)', 1)
        """)
      #expect(try folder.bolide("import", "quakes.yaml", "more.json").status == 0)
      #expect(try isSound())
    }
    #expect(kills > 0)
    #expect(
      try folder.bolide("migrate", "quakes.sqlite", "grown.yaml").output
        == "add Quake.folded, derived as canonical:(id)\nadd Quake.where, derived as region.name\n")
    #expect(try through() == nil)
    #expect(try isSound())
    #expect(
      try folder.sqlite(
        "quakes.sqlite",
        "SELECT count(*) FROM Quake WHERE folded IS NOT lower(id) OR \"where\" IS NOT (SELECT name FROM Region WHERE bolide_id = region_id)"
      ) == ["0"])
    // One transaction by the pipeline, in which each object is once.
    let number = "(SELECT number FROM bolide_transaction WHERE author = 'grown' AND number > \(last))"
    let changes =
      "FROM bolide_change, bolide_transaction WHERE number = \(number) AND change BETWEEN first_change AND last_change"
    #expect(
      try folder.sqlite(
        "quakes.sqlite",
        """
        SELECT count(*) FROM bolide_transaction WHERE author = 'grown' AND number > \(last);
        SELECT count(*) = count(DISTINCT first) AND count(*) = updated AND count(*) = last_change - first_change + 1
          AND count(*) = (SELECT count(*) FROM Quake) \(changes);
        """) == ["1", "1"])
  }

  @Test func `what the pipeline does not want any more goes`() throws {
    let running = try folder.starting("migrate", "quakes.sqlite", "grown.yaml")
    defer { running.send(SIGKILL) }
    try eventually { try through() != nil || !running.isRunning }
    running.send(SIGKILL)
    guard try running.outcome().status == 128 + SIGKILL, try through() != nil else { return }
    try folder.write(Folder.quakes.replacing("bolide: 1", with: "bolide: 1\nname: grown"), to: "grown.yaml")
    #expect(try folder.bolide("migrate", "quakes.sqlite", "grown.yaml") == .silent)
    #expect(try through() == nil)
    #expect(
      try folder.sqlite(
        "quakes.sqlite", "SELECT count(*) FROM pragma_table_info('Quake') WHERE name IN ('folded', 'where')")
        == ["0"])
    #expect(try isSound())
  }

  @Test func `two at once, and a writer beside them`() throws {
    let two = try [
      folder.starting("migrate", "quakes.sqlite", "grown.yaml"),
      folder.starting("migrate", "quakes.sqlite", "grown.yaml"),
    ]
    defer { for running in two { running.send(SIGKILL) } }
    var writes = 0
    while two.contains(where: \.isRunning) {
      writes += 1
      try folder.sqlite(
        "quakes.sqlite",
        "PRAGMA busy_timeout = 60000; UPDATE Quake SET region_id = \(1 + writes % 3) WHERE bolide_id = \(writes * 7)"
      )
    }
    let outputs = try two.map { try $0.outcome() }
    // Of one pipeline, the second is told that the first is at work.
    #expect(outputs.allSatisfy { [0, 75].contains($0.status) }, "\(outputs)")
    #expect(outputs.map(\.lines.count).sorted() == [0, 2])
    #expect(writes > 0)
    #expect(try isSound())
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT count(*) FROM bolide_transaction WHERE author = 'grown'")
        == ["1"])
  }
}
