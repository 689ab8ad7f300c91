import Foundation
import TestServer
import Testing

extension ServerCommandTests {
  @Test func `objects are copied between files and servers with the same words`() throws {
    try same("import", "quakes.yaml", "first.json", "--store", "S", "-q")
    let sources = ["quakes.sqlite", "quakes.sqlite", address, address]
    let targets = ["a.sqlite", server.freshAddress(), "b.sqlite", server.freshAddress()]
    /// Runs a command from and into a file and a server, and expects the same.
    func all(_ words: [String]) throws -> Outcome {
      let outcomes = try zip(sources, targets).map { source, target in
        var outcome = try folder.bolide(
          arguments: words.map { $0 == "SOURCE" ? source : $0 == "TARGET" ? target : $0 })
        outcome.output = masked(outcome.output.replacing(target, with: "TARGET"))
        outcome.errors = masked(outcome.errors.replacing(target, with: "TARGET"))
        return outcome
      }
      for outcome in outcomes.dropFirst() { #expect(outcome == outcomes[0], "\(words)") }
      return outcomes[0]
    }
    let copy = ["copy", "SOURCE", "TARGET", "Quake", "--where", "magnitude > ?", "--bind", "1"]
    let wrong = try all(["copy", "SOURCE", "TARGET", "Quake", "--where", "magnitud > 1"])
    #expect(
      wrong == .failure(64, "S: Quake has no attribute or relationship 'magnitud'; did you mean 'magnitude'?")
    )
    #expect(
      try all(copy + ["--dry-run"]) == Outcome(status: 0, output: "Quake: 1 inserted\nRegion: 1 inserted\n"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("a.sqlite")))
    #expect(try folder.bolide("token", targets[1]).errors.contains("there is no store"))
    #expect(
      try all(copy + ["-v", "--author", "anna"]).errors == "Quake: 1 inserted; Region: 1 inserted · token T\n"
    )
    #expect(try all(copy + ["-v"]).errors == "Quake: 1 unchanged; Region: 1 unchanged\n")
    #expect(try all(["verify", "TARGET"]) == .silent)
    let rest = try all(["copy", "SOURCE", "TARGET", "Quake", "--all", "--json", "--author", "anna"])
    #expect(
      rest.output.hasPrefix(
        #"{"outcome":"ok","exitStatus":0,"entities":{"Quake":{"inserted":2,"updated":0,"unchanged":1},"#
          + #""Region":{"inserted":0,"updated":0,"unchanged":1}},"token":"#), "\(rest)")
    for target in targets {
      let transactions = try folder.bolide("changes", target, "--from", "oldest", "--transactions").lines
      #expect(transactions.count == 2 && transactions.allSatisfy { $0.contains(#""author":"anna""#) })
    }
    for entity in ["Quake", "Region"] { #expect(try all(["fetch", "TARGET", entity]).status == 0) }
    #expect(try all(["changes", "TARGET", "--from", "oldest", "--net", "--values"]).status == 0)
  }

  @Test func `a whole store with a value that is none of its type is not copied`() throws {
    try #require(try folder.bolide("import", "quakes.yaml", "first.json").status == 0)
    try folder.sqlite(
      "quakes.sqlite",
      "PRAGMA ignore_check_constraints = ON; UPDATE Quake SET time = 'yesterday' WHERE id = 'a'")
    #expect(
      try folder.bolide("copy", "quakes.sqlite", address, "--all")
        == .failure(
          65, "\(address): copied objects break a rule of Quake (time is not a date): nothing was copied"))
    #expect(try folder.bolide("status", address).errors.contains("there is no store"))
  }

  /// Each would make the schema.
  @Test func `a whole store with a text that the server does not hold is not copied`() throws {
    try folder.write(
      "bolide: 1\nname: w\nstore: w.sqlite\nentity: W\nkey: id\nindex: [text]\nattributes: { id: string, text: string }\n",
      to: "w.yaml")
    for (text, said, hint) in [
      (
        #"x\u0000y"#, "a text contains U+0000, which a PostgreSQL server does not store",
        "Take it out of the text."
      ),
      (
        (0..<600).map { "\($0 * 7_919 % 100_000)" }.joined(),
        "a value is too long for an index of a PostgreSQL server",
        "It says: index row "
      ),
    ] {
      try folder.write(#"[{"id": "a", "text": "\#(text)"}]"#, to: "w.json")
      try #require(try folder.bolide("import", "w.yaml", "w.json").status == 0)
      let outcome = try folder.bolide("copy", "w.sqlite", address, "--all")
      #expect(outcome.status == 65)
      #expect(outcome.errors.hasPrefix("Error: \(address): \(said).\n       \(hint)"), "\(outcome)")
      #expect(try folder.bolide("status", address).errors.contains("there is no store"))
    }
  }

  @Test func `a whole store waits for whoever makes one at the same place`() throws {
    try #require(try folder.bolide("import", "quakes.yaml", "first.json").status == 0)
    let schema = String(address.split(separator: "#")[1])
    let other = try OtherProgram(on: server, schema: "public")
    try other.send(
      """
      BEGIN; SELECT pg_advisory_xact_lock(1651469417, hashtext('\(schema)/model')); CREATE SCHEMA "\(schema)";
      """)
    func count(_ condition: String) throws -> String {
      let object = "objid = hashtext('\(schema)/model')::bigint & 4294967295"
      return try server.psql(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND \(object) AND \(condition)",
        schema: "public")
    }
    try eventually { try count("granted") == "1" }
    let copying = try folder.starting("copy", "quakes.sqlite", address, "--all")
    try eventually { try count("NOT granted") == "1" }
    try other.send("COMMIT;")
    #expect(try other.end())
    let outcome = try copying.outcome()
    #expect(outcome.status == 0, "\(outcome)")
    #expect(try folder.bolide("fetch", address, "Quake", "--count").output == "3\n")
  }
}
