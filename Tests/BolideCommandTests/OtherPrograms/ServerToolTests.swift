import Foundation
import TestServer
import Testing

/// The tool and a store on a server: what it prints, and how it ends.
@Suite struct ServerToolTests {
  private let folder: Folder
  private let feed =
    #"[{"id": "a", "magnitude": 4, "place": "A"}, {"id": "b", "magnitude": 5, "place": "A"}]"#

  init() throws { folder = try Folder.withQuakes() }

  @Test(.timeLimit(.minutes(5))) func `a standby can be read, and says how far it is behind`() throws {
    let primary = try TestServer()
    let address = primary.address(schema: "quakes")
    try folder.write(feed, to: "quakes.json")
    #expect(try folder.bolide("import", "quakes.yaml", "quakes.json", "--store", address).status == 0)
    let standby = try TestServer(standbyOf: primary)
    let copy = standby.address(schema: "quakes")
    let note = "Note: the server is a standby, up to 0 s behind its primary.\n"
    try eventually { try folder.bolide("token", copy).output == folder.bolide("token", address).output }
    for command in ["snapshot", "changes", "status"] {
      let outcome = try folder.bolide(command, copy)
      #expect(outcome.status == 0 && outcome.errors == note && !outcome.output.isEmpty, "\(outcome)")
    }
    let shown = "postgresql://postgres@/postgres?host=\(standby.folder)#quakes"
    let refused = Outcome.failure(
      73, "\(shown): the server is a standby: it can only be read",
      "Write to the primary: target_session_attrs=read-write finds it.")
    #expect(try folder.bolide("import", "quakes.yaml", "quakes.json", "--store", copy) == refused)
    #expect(try folder.bolide("readers", copy, "add", "index", "--from", "now") == refused)
    let pruned = try folder.bolide("prune", copy, "--keep-transactions", "1")
    #expect(pruned.status == 73 && pruned.errors.hasSuffix(refused.errors))
    try standby.stop()
    let gone = try folder.bolide("changes", copy)
    #expect(gone.status == 69 && gone.output.isEmpty)
    #expect(gone.errors.hasPrefix("Error: \(shown): no connection to the server: "))
  }
}
