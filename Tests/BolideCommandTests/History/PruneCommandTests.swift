import Foundation
import Testing

/// `bolide prune`, and imports that prune: history ends where it is said to, and who misses something is told.
@Suite struct PruneCommandTests {
  private let folder: Folder
  private let tokens: [String]

  /// Three imports of one row each.
  init() throws {
    let folder = try Folder.withQuakes()
    self.folder = folder
    tokens = try ["a", "b", "c"].map { id in
      try folder.write(#"[{"id": "\#(id)"}]"#, to: "feed.json")
      let report = try folder.bolide("import", "quakes.yaml", "feed.json", "--json")
      return String(try #require(report.output.firstMatch(of: /"token":"([^"]+)"/)?.1))
    }
  }

  private func prune(_ options: String...) throws -> Outcome {
    try folder.run(Folder.tool, ["prune", "quakes.sqlite"] + options)
  }

  @Test(arguments: [
    "o'clock & more.sqlite", "$HOME `x`;.sqlite", #"a "b" (1)* \.sqlite"#, "#x{b,c}.sqlite", "~[d].sqlite",
    "what?.sqlite", "plain.sqlite",
  ])
  func `the command of a hint can be pasted, whatever the store's name`(_ name: String) throws {
    #expect(try folder.bolide("backup", "quakes.sqlite", name) == .silent)
    // A shell would name this one too.
    try folder.write("", to: "whatx.sqlite")
    #expect(try folder.bolide("prune", name, "--before", tokens[1]) == .silent)
    let outcome = try folder.bolide("changes", name, "--since", tokens[0])
    let command = try #require(outcome.errors.firstMatch(of: /from a snapshot: bolide (.*)\n/)?.1)
    #expect((command == "snapshot plain.sqlite") == (name == "plain.sqlite"))
    let pasted = try folder.shell("\"$bolide\" \(command)")
    #expect(try pasted.status == 0 && pasted.lines.count == folder.bolide("snapshot", name).lines.count)
  }

  @Test func `a token's transaction goes and the token stays good, and older ones are told what they miss`()
    throws
  {
    #expect(try prune("--before", tokens[1]) == .silent)
    #expect(try folder.bolide("changes", "quakes.sqlite", "--since", tokens[1]).lines.count == 2)
    #expect(
      try folder.bolide("changes", "quakes.sqlite", "--since", tokens[0])
        == .failure(
          80,
          "quakes.sqlite: the history after the token \(tokens[0]) was pruned: it now starts 1 transaction later",
          "Start again from a snapshot: bolide snapshot quakes.sqlite"))
    // A second time there is nothing to do; a pipeline stands for its store.
    let again = try folder.bolide("prune", "quakes.yaml", "--before", tokens[1], "-v")
    #expect(again == Outcome(status: 0, errors: "0 transactions with 0 changes are pruned from history\n"))
    #expect(try folder.bolide("verify", "quakes.sqlite").status == 0)
  }

  @Test func `who holds history is said`() throws {
    try folder.bolide("readers", "quakes.sqlite", "add", "map", "--from", tokens[0]).expectSilence()
    #expect(
      try prune("--keep-transactions", "0", "--verbose")
        == Outcome(
          status: 0,
          errors: """
            Note: history that the reader 'map' has not read is kept. Advance or drop the reader to prune it.
            1 transaction with 1 change is pruned from history

            """))
    #expect(try folder.bolide("changes", "quakes.sqlite", "--reader", "map").lines.count == 4)
    try folder.bolide("readers", "quakes.sqlite", "drop", "map").expectSilence()
    #expect(try prune("--older-than", "1h") == .silent)
    #expect(try folder.bolide("changes", "quakes.sqlite", "--from", "oldest").lines.count == 4)
    #expect(try prune("--keep-transactions", "0") == .silent)
    #expect(try folder.bolide("changes", "quakes.sqlite", "--from", "oldest") == .silent)
  }

  @Test func `the pipeline's rules hold after each import, and a pruned store knows its files again`() throws
  {
    try folder.write(
      Folder.quakes + "\nhistory: { transactions: 2, hold-for-readers: 1h }\n", to: "quakes.yaml")
    try folder.bolide("readers", "quakes.sqlite", "add", "late", "--from", tokens[1]).expectSilence()
    try folder.sqlite("quakes.sqlite", "UPDATE bolide_transaction SET at = '2001-01-01T00:00:00.000Z'")
    for id in ["d", "e"] {
      try folder.write(#"[{"id": "\#(id)"}]"#, to: "feed.json")
      let outcome = try folder.bolide("import", "quakes.yaml", "feed.json")
      let expired =
        "quakes: the reader 'late' has expired: history that it had not read was pruned, and it must start again from a snapshot\n"
      #expect(outcome.status == 0 && outcome.errors == (id == "e" ? expired : ""), "\(outcome)")
    }
    #expect(try folder.bolide("changes", "quakes.sqlite", "--from", "oldest").lines.count == 4)
    #expect(
      try folder.bolide("changes", "quakes.sqlite")
        == .failure(
          80, "quakes.sqlite: the beginning of history is missing: transactions up to 3 were pruned",
          "Start at the oldest transaction, or from a snapshot: --from oldest, or bolide snapshot quakes.sqlite"
        ))
    let late = try folder.bolide("changes", "quakes.sqlite", "--reader", "late")
    #expect(late.status == 80 && late.errors.contains("it now starts 1 transaction later"))
    #expect(try folder.bolide("readers", "quakes.sqlite").output.contains(#""state":"expired""#))
    // One that is gone, and two that are there.
    #expect(
      try folder.bolide("status", "quakes.sqlite").output.contains("late  expired, 3 transactions behind"))
    // Nothing has changed since the last file was read, though its own transaction may be gone.
    _ = try prune("--keep-transactions", "0")
    for isKnown in [false, true] {
      let report = try folder.bolide("import", "quakes.yaml", "feed.json", "--json").output
      #expect(report.contains(#""unchanged":1"#) && report.contains("sameAs") == isKnown, "\(report)")
    }
  }

  @Test func `space is given back`() throws {
    try folder.write(
      "[" + (0..<5000).map { #"{"id":"n\#($0)"}"# }.joined(separator: ",") + "]", to: "feed.json")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    try folder.sqlite("quakes.sqlite", "DELETE FROM Quake")
    #expect(try prune("--keep-transactions", "0", "--vacuum") == .silent)
    #expect(try folder.bytes(of: "quakes.sqlite").count < 1 << 20)
    #expect(try prune("--vacuum") == .silent)
  }

  @Test(arguments: [
    ([], "use one of --before, --older-than and --keep-transactions"),
    (["--before", "3", "--older-than", "1d"], "use one of --before, --older-than and --keep-transactions"),
    (["--keep-transactions=-1"], "--keep-transactions must be at least 0"),
    (["--before", "soon"], "'soon' is not a token"),
    (
      ["--older-than", "30"],
      "'30' is not a time such as 30d: a number and s, m, h, d, w or y, at most 10000y"
    ),
  ]) func `what cannot be meant`(options: [String], sentence: String) throws {
    let outcome = try folder.run(Folder.tool, ["prune", "quakes.sqlite"] + options)
    #expect(outcome.status == 64 && outcome.errors.contains(sentence), "\(outcome)")
    #expect(try folder.bolide("changes", "quakes.sqlite").lines.count == 6)
  }

  @Test func `pruning goes on while another program writes`() throws {
    let writer = try Running(
      "/usr/bin/env",
      [
        "python3", "-c",
        """
        import sqlite3
        store = sqlite3.connect("quakes.sqlite", timeout=20, isolation_level=None)
        for number in range(300): store.execute("INSERT INTO Quake(id) VALUES (?)", (str(number),))
        """,
      ], in: folder, input: .nothing)
    defer { writer.send(SIGKILL) }
    while writer.isRunning { #expect(try prune("--keep-transactions", "1") == .silent) }
    #expect(try writer.outcome() == .silent)
    #expect(try prune("--keep-transactions", "0") == .silent)
    #expect(try folder.count("Quake", in: "quakes.sqlite") == 303)
    #expect(try folder.count("bolide_change", in: "quakes.sqlite") == 0)
    #expect(try folder.bolide("verify", "quakes.sqlite").status == 0)
  }
}
