import Foundation
import TestServer
import Testing

/// `bolide import --connections`.
struct ConnectionsCommandTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(Folder.quakes, to: "quakes.yaml")
    try folder.write(
      (1...400).map { #"{"id": "q\#($0)", "magnitude": \#($0 % 9), "place": "P\#($0 % 3)"}"# }.joined(
        separator: "\n"),
      to: "feed.json")
  }

  @Test func `a server tells what a file tells`() throws {
    let address = try TestServer.shared.get().freshAddress()
    func report(_ arguments: String...) throws -> String {
      let outcome = try folder.bolide(
        arguments: ["import", "quakes.yaml", "feed.json", "--chunk-rows", "100", "-v", "--store"] + arguments)
      #expect(outcome.status == 0)
      return outcome.errors.replacing(address, with: "quakes.sqlite").replacing(/[0-9.]+ s\b/, with: "N s")
        .replacing(/token [^ \n]+/, with: "token T").replacing(/[0-9]+ transactions/, with: "N transactions")
    }
    let one = try report("quakes.sqlite")
    #expect(try report(address, "--connections", "3") == one)
    // A file has one writer.
    #expect(try report("other.sqlite", "--connections", "3").replacing("other", with: "quakes") == one)
    try folder.write(Folder.quakes + "\nconnections: 4\n", to: "quakes.yaml")
    #expect(try report(address, "--force").contains("400 unchanged"))
  }

  @Test(arguments: ["0", "65", "many", "1.5"])
  func `a number that is none is told`(_ number: String) throws {
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json", "--connections", number)
    #expect(outcome.status == 64)
    #expect(outcome.errors.hasPrefix("Error: The value '\(number)' is invalid for '--connections <n>'\n"))
  }

  @Test func `one transaction keeps to one connection`() throws {
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json", "--connections", "2", "--atomic")
    let problem = "'connections' and 'atomic' cannot be combined: a transaction uses one connection"
    #expect(outcome == .failure(78, "quakes.yaml:1:1: \(problem)"))
  }

  /// What a chunk changes of owners is locked in one order. A deadlock would be waited for until the server looks for it, here not
  /// within the time of the test.
  @Test func `connections do not wait for one another`() throws {
    try folder.write(
      """
      bolide: 1
      name: items
      entity: Item
      key: id
      attributes:
        id:   integer32
        size: integer32
        box:  { type: string, transient: true }
        name: { derived: in.name }
        room: { derived: in.in.name }
      link: { in: { to: { name: box }, when: always } }
      relationships: { in: { to-one: Box, inverse: items } }
      entities:
        Box:
          key: name
          attributes: { name: string, total: { derived: items.size.@sum } }
          relationships: { items: { to-many: Item, inverse: in }, in: { to-one: Room, inverse: boxes } }
        Room:
          key: name
          attributes: { name: string, total: { derived: boxes.total.@sum } }
          relationships: { boxes: { to-many: Box, inverse: in } }
      """, to: "items.yaml")
    let server = try TestServer.shared.get()
    let address = server.freshAddress().replacing("#", with: "&options=-c%20deadlock_timeout%3D10min#")
    let schema = String(address.split(separator: "#")[1])
    for round in 0..<3 {
      // Some are new each time, and the others move.
      let items = (0..<500 + round * 200).map { id in
        #"{"id": \#(id), "size": \#(id * 7 % 90 + round), "box": "\#((id * 13 + round * 5) * 11 % 30)"}"#
      }
      try folder.write(items.joined(separator: "\n"), to: "items.json")
      let importing = try folder.starting(
        "import", "items.yaml", "items.json", "--store", address, "--connections", round == 0 ? "1" : "4",
        "--chunk-rows", "20", "-q")
      let outcome = try importing.outcome(within: 120)
      try #require(outcome == .silent, "\(outcome)")
      if round == 0 {
        try server.psql(
          #"INSERT INTO "Room"(name) VALUES ('a'), ('b'); UPDATE "Box" SET in_id = 1 + bolide_id % 2"#,
          schema: schema)
      }
    }
    try folder.bolide("verify", address).expectSilence()
  }
}
