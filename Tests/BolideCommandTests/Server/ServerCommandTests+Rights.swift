import Foundation
import TestServer
import Testing

extension ServerCommandTests {
  @Test func `the rights that the page on servers gives are enough, and no more`() throws {
    try #require(
      try folder.bolide("import", "quakes.yaml", "first.json", "--store", address).status == 0)
    let schema = String(address.split(separator: "#")[1])
    func psql(_ sql: String) throws -> String { try server.psql(sql, schema: schema) }
    let page = try String(
      contentsOf: Folder.repository.appending(path: "Sources/Bolide/Documentation.docc/Servers.md"),
      encoding: .utf8)
    let grants = page.matches(of: #/```sql\n([^`]*)```/#).map { String($0.1) }
    try #require(grants.count == 4)
    func granted(_ text: String, to role: String, as name: String) -> String {
      text.replacing(role, with: name).replacing("fireballs", with: schema)
        .replacing("\"FireballGroup\"", with: "\"Region\"").replacing("\"Fireball\"", with: "\"Quake\"")
    }
    let roles = ["dashboard", "loader", "editor"]
    let names = roles.map { "\($0)_\(UInt32.random(in: 0 ... .max))" }
    for (name, (role, text)) in zip(names, zip(roles, [grants[0], grants[2], grants[3]])) {
      _ = try psql("CREATE ROLE \(name) LOGIN; " + granted(text, to: role, as: name))
    }
    // Another program writes, and may not look at anything of Bolide's.
    let asProgram = try folder.run(
      "psql",
      [
        "-qAtX", "-v", "ON_ERROR_STOP=1", "-h", server.folder, "-U", names[2], "postgres", "-c",
        "UPDATE \(schema).\"Quake\" SET magnitude = 6 WHERE id = 'a'; INSERT INTO \(schema).\"Quake\"(id) VALUES ('n')",
        "-c", "SELECT count(*) FROM \(schema).bolide_change",
      ])
    #expect(asProgram.status != 0 && asProgram.errors.contains("permission denied for table bolide_change"))
    // Whoever may only read sees its changes, with their number.
    let reader = address.replacing("postgres@", with: "\(names[0])@")
    let changes = try folder.bolide("changes", reader, "--from", "oldest", "--count")
    #expect(changes.status == 0 && changes.errors.isEmpty, "\(changes)")
    #expect(try psql("SELECT count(*) FROM bolide_pending") == "0")
    #expect(try folder.bolide("fetch", reader, "Quake", "--where", "magnitude = 6").lines.count == 1)
    let refused = try folder.bolide("import", "quakes.yaml", "second.json", "--store", reader)
    #expect(refused.status == 73, "\(refused)")
    // An entity that is new by another pipeline, too.
    try folder.write(
      "bolide: 1\nname: boats\nentity: Boat\nkey: id\nattributes: { id: string }\n", to: "boats.yaml")
    #expect(try folder.bolide("import", "boats.yaml", "first.json", "--store", address).status == 0)
    #expect(try folder.bolide("fetch", reader, "Boat").lines.count == 3)
    // A reader with a name needs more.
    #expect(try folder.bolide("readers", reader, "add", "map", "--from", "beginning").status == 73)
    _ = try psql(granted(grants[1], to: "dashboard", as: names[0]))
    #expect(try folder.bolide("readers", reader, "add", "map", "--from", "beginning").status == 0)
    let delivery = try folder.bolide("changes", reader, "--reader", "map", "--", "sh", "-c", "cat > got")
    #expect(delivery.status == 0, "\(delivery)")
    #expect(try folder.bolide("readers", reader, "reset", "map", "--from", "beginning").status == 0)
    #expect(try folder.bolide("readers", reader, "drop", "map").status == 0)
    // Whoever may write rows imports them, and changes no model.
    let loader = address.replacing("postgres@", with: "\(names[1])@")
    let loaded = try folder.bolide(
      "import", "quakes.yaml", "second.json", "--store", loader, "--connections", "2")
    #expect(loaded.status == 0, "\(loaded)")
    try folder.write(
      Folder.quakes.replacing("magnitude: double", with: "magnitude: double\n  size: double"), to: "more.yaml"
    )
    #expect(try folder.bolide("import", "more.yaml", "first.json", "--store", loader).status == 73)
    #expect(try folder.bolide("verify", address) == .silent)
  }
}
