import TestServer
import Testing

/// Commands whose sessions have settings of the server's, the database's or the user's.
@Suite struct ServerSettingsTests {
  /// The transaction in which it reads waits for its consumer.
  @Test func `a delivery takes longer than the server lets a transaction be idle`() throws {
    let folder = try Folder()
    try folder.write(Folder.quakes, to: "quakes.yaml")
    try folder.write(#"[{"id": "a", "magnitude": 1, "place": "X"}]"#, to: "first.json")
    let address = try TestServer.shared.get().freshAddress()
    try #require(try folder.bolide("import", "quakes.yaml", "first.json", "--store", address).status == 0)
    let hurried = address.replacing("#", with: "&options=-c%20idle_in_transaction_session_timeout%3D100#")
    try #require(try folder.bolide("readers", hurried, "add", "copy", "--from", "beginning").status == 0)
    let delivered = try folder.bolide(
      "changes", hurried, "--reader", "copy", "--", "sh", "-c", "sleep 1; cat > taken.ndjson")
    #expect(delivered.status == 0, "\(delivered)")
    #expect(try folder.bolide("changes", hurried, "--reader", "copy").output == "")
  }
}
