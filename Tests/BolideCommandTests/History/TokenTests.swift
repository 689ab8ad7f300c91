import Foundation
import Testing

/// A token that is no place in this store's history: four answers, four statuses, each with what to do.
@Suite struct TokenTests {
  private let folder: Folder
  private let store: String
  private let nonce: String

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(#"[{"id": "a"}]"#, to: "feed.json")
    try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    store = try folder.sqlite("quakes.sqlite", "SELECT id FROM bolide_store")[0]
    nonce = try folder.sqlite("quakes.sqlite", "SELECT nonce FROM bolide_transaction")[0]
  }

  @Test func `another store's token`() throws {
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--store", "other.sqlite") == .silent)
    let other = try folder.bolide("changes", "other.sqlite")
    let token = String(try #require(other.output.firstMatch(of: /"token":"([^"]+)"/)?.1))
    try expect(
      token, 82, "quakes.sqlite: the token \(token) belongs to another store",
      "Use the token's own store, or start from a snapshot: bolide snapshot quakes.sqlite")
  }

  @Test func `a token of another history`() throws {
    let token = "b1-\(store)-1-aaaaaa"
    try expect(
      token, 81, "quakes.sqlite: this store's history diverged before the token \(token)",
      "The store was restored or copied. Start again from a snapshot: bolide snapshot quakes.sqlite")
  }

  @Test func `a token from before a restore`() throws {
    try folder.sqlite("quakes.sqlite", "VACUUM INTO 'backup.sqlite'")
    try folder.write(#"[{"id": "b"}]"#, to: "feed.json")
    let after = try folder.bolide("import", "quakes.yaml", "feed.json", "--json")
    let token = String(try #require(after.output.firstMatch(of: /"token":"([^"]+)"/)?.1))
    let early = try folder.bolide("changes", "backup.sqlite", "--since", token)
    #expect(
      early
        == .failure(
          83, "backup.sqlite: the token \(token) is newer than this store's history",
          "The store may have been restored from a backup. Start again from a snapshot: bolide snapshot backup.sqlite"
        ))
    // As soon as the restored store has gone its own way, the answer is another one.
    _ = try folder.bolide("import", "quakes.yaml", "feed.json", "--store", "backup.sqlite")
    #expect(try folder.bolide("changes", "backup.sqlite", "--since", token).status == 81)
    #expect(try folder.bolide("changes", "quakes.sqlite", "--since", token) == .silent)
  }

  @Test func `a token of pruned history`() throws {
    try folder.write(#"[{"id": "b"}]"#, to: "feed.json")
    _ = try folder.bolide("import", "quakes.yaml", "feed.json")
    _ = try folder.bolide("import", "quakes.yaml", "feed.json")
    try folder.sqlite(
      "quakes.sqlite",
      """
      INSERT INTO bolide_pruned SELECT number, nonce, at, last_change FROM bolide_transaction WHERE number = 2;
      DELETE FROM bolide_transaction WHERE number <= 2
      """)
    let token = "b1-\(store)-1-\(nonce)"
    try expect(
      token, 80,
      "quakes.sqlite: the history after the token \(token) was pruned: it now starts 1 transaction later",
      "Start again from a snapshot: bolide snapshot quakes.sqlite")
  }

  @Test(arguments: [
    "", "abc", "b1", "b2-k3v9qd-18-x7mw2p", "b1-k3v9qd-x-x7mw2p", "b1-k3v9qd--1-x7mw2p", "b1--1-x",
  ])
  func `a text that is no token`(text: String) throws {
    try expect(
      text, 64, "'\(text)' is not a token",
      "A token looks like b1-k3v9qd-18-x7mw2p; reports of imports and ends of transactions contain one.")
  }

  private func expect(_ token: String, _ status: Int32, _ sentence: String, _ hint: String) throws {
    let outcome = try folder.bolide("changes", "quakes.sqlite", "--since", token)
    #expect(outcome == .failure(status, sentence, hint))
  }
}
