import Foundation
import TestServer
import Testing

// Several inputs in one command, and several programs.
extension ServerCommandTests {
  @Test func `of several files the one that changed is read`() throws {
    func write(_ file: Int, _ magnitude: Int) throws {
      try folder.write(
        #"[{"id": "\#(file)", "magnitude": \#(magnitude)}, {"id": "x\#(file)", "place": "P"}]"#,
        to: "\(file).json")
    }
    for file in 1...9 { try write(file, 1) }
    let command = ["import", "quakes.yaml", "--store", "S", "-v"] + (1...9).map { "\($0).json" }
    try same(running: command)
    for (file, magnitude) in [(5, 2), (1, 3), (9, 4), (5, 1)] {
      try write(file, magnitude)
      let again = try same(running: command)
      #expect(
        again.errors.contains("1 updated + 17 unchanged; 8 unchanged inputs skipped"), "\(again.errors)")
    }
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET magnitude = 5 WHERE id = '3'")
    try psql(#"UPDATE "Quake" SET magnitude = 5 WHERE id = '3'"#)
    #expect(try same(running: command).errors.contains("8 unchanged inputs skipped"))
    try same(running: command + ["--force"])
    for run in ["0", "8", "8", "8", "8", "8", "0"].enumerated() {
      #expect(try psql("SELECT skipped FROM bolide_run WHERE run = \(run.offset + 1)") == run.element)
    }
  }

  @Test func `what another program has locked is told, and history is read`() throws {
    try folder.bolide("import", "quakes.yaml", "first.json", "--store", address).expectSilence()
    let schema = try #require(address.split(separator: "#").last.map(String.init))
    let other = try OtherProgram(on: server, schema: schema)
    try other.send(
      "BEGIN; SELECT FROM \"Region\" FOR UPDATE; SELECT pg_advisory_lock(77, hashtext('\(schema)'));")
    let held = "classid = 77 AND granted AND objid = hashtext('\(schema)')::bigint & 4294967295"
    while try psql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND \(held)") == "0" {
      usleep(20_000)
    }
    try psql(
      """
      INSERT INTO bolide_mark SELECT number, (SELECT min(bolide_id) FROM "Region") FROM bolide_entity WHERE name = 'Region'
      """)
    let outcome = try folder.bolide("changes", address)
    #expect(
      outcome.errors == "Note: 1 derived value is out of date: another program has locked the rows. "
        + "The next command that writes, such as `bolide import`, updates them.\n")
    #expect(outcome.status == 0 && outcome.output.contains(#""kind":"insert","entity":"Quake""#))
    try other.send("COMMIT;")
    #expect(try other.end())
    #expect(try folder.bolide("changes", address).errors == "")
  }

  @Test func `a new field becomes an attribute, but not in a dry run`() throws {
    try folder.write(Folder.quakes + "\non-new-field: add\n", to: "quakes.yaml")
    try same("import", "quakes.yaml", "first.json", "--store", "S")
    try folder.write(
      #"[{"id": "a", "deep": 2, "felt-by": "x", "empty": null, "xmin": 7, "\#(String(repeating: "é", count: 40))": 8}, "#
        + #"{"id": "b", "magnitude": "x", "size": 1}]"#,
      to: "new.json")
    let feeds = ["new.json", "first.json", "new.json", "first.json"]
    for options in [["--dry-run"], ["--max-rejects", "0"], ["--dry-run"], ["--max-rejects", "1"], []] {
      for feed in feeds {
        try same(running: ["import", "quakes.yaml", feed, "--store", "S", "-v"] + options)
      }
      try same("fetch", "S", "Quake", "--sort", "id")
    }
    let long = String(repeating: "é", count: 28)
    #expect(
      try psql("SELECT deep, \"feltBy\", \"xminValue\", \"\(long)\" FROM \"Quake\" WHERE id = 'a'")
        == "2|x|7|8")
  }
}
