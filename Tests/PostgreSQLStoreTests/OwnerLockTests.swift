import StoreInterface
import TestServer
import Testing

/// Programs that write rows of one owner at once, from which the rows copy values and which counts them: they take turns.
struct OwnerLockTests {
  private static let albums = """
    bolide: 1
    name: albums
    entity: Album
    key: code
    attributes: { code: string, total: { derived: songs.seconds.@sum } }
    children:
      songs:
        entity: Song
        inverse: albums
        many-to-many: true
        key: code
        attributes: { code: string, seconds: integer64, albumCount: { derived: albums.@count } }

    """

  /// Two statements that both wait for a third program are let go at once.
  private func runBoth(_ store: ServerStore, _ statements: [String], behind held: String) throws {
    let holder = try OtherProgram(on: store.server, schema: store.schema)
    try store.hold(held, by: holder)
    let programs = try statements.map { statement in
      let program = try OtherProgram(on: store.server, schema: store.schema)
      try program.send("\(statement) /* \(store.schema) */;")
      return program
    }
    try store.waitUntil(
      """
      count(*) = \(statements.count) FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND query LIKE '%/* \(store.schema) */%' AND pid <> pg_backend_pid()
      """)
    try holder.send("COMMIT;")
    #expect(try holder.end())
    for program in programs { #expect(try program.end()) }
    #expect(try store.engine.verified() == [])
  }

  @Test(.timeLimit(.minutes(5)))
  func `new rows of one owner`() throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 4, "place": "A"}"#])
    try runBoth(
      store,
      (2...3).map { #"INSERT INTO "Quake"(id, magnitude, in_id) VALUES (\#($0), \#($0), 1)"# },
      behind: #"SELECT FROM "Region" FOR UPDATE;"#)
    #expect(try store.psql(#"SELECT "count", total FROM "Region""#) == "3|9")
  }

  @Test(.timeLimit(.minutes(5)))
  func `rows that change their owners for each other's`() throws {
    let store = try ServerStore()
    try store.take([
      #"{"id": 1, "magnitude": 4, "place": "A"}"#, #"{"id": 2, "magnitude": 8, "place": "B"}"#,
    ])
    try runBoth(
      store,
      [#"UPDATE "Quake" SET in_id = 2 WHERE id = 1"#, #"UPDATE "Quake" SET in_id = 1 WHERE id = 2"#],
      behind: #"SELECT FROM "Region" FOR UPDATE;"#)
    #expect(try store.psql(#"SELECT "count", total FROM "Region" ORDER BY name"#) == "1|8\n1|4")
  }

  @Test(.timeLimit(.minutes(5)))
  func `links to one object that is counted at both ends`() throws {
    let store = try ServerStore(Self.albums)
    try store.take([#"{"code": "a", "songs": [{"code": "s", "seconds": 3}]}{"code": "b"}{"code": "c"}"#])
    try runBoth(
      store, (2...3).map { #"INSERT INTO "Album_songs"(albums_id, songs_id) VALUES (\#($0), 1)"# },
      behind: #"SELECT FROM "Song" FOR UPDATE;"#)
    #expect(try store.psql(#"SELECT "albumCount" FROM "Song""#) == "3")
    #expect(try store.psql(#"SELECT total FROM "Album""#) == "3\n3\n3")
  }
}
