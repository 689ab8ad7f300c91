import Bolide
import Foundation
import StoreInterface
import TestServer
import Testing

/// A standby can be read, and what it took over from a primary that was ahead, readers are told.
@Suite(.serialized) struct StandbyTests {
  private let schema = "fleet"

  /// A primary with a store, and its standby.
  private func pair() throws -> (primary: TestServer, standby: TestServer, engine: any StoreEngine) {
    let primary = try TestServer()
    let engine = try open(primary, for: ServerStore.quakes)
    return (primary, try TestServer(standbyOf: primary), engine)
  }

  private func open(_ server: TestServer, for model: String? = nil) throws -> any StoreEngine {
    let address = StoreAddress(server.address(schema: schema))
    guard let model else { return try address.open() }
    return try address.open(for: Pipeline(yaml: model, file: "quakes.yaml", directory: "."), lockWait: 10)
  }

  @discardableResult
  private func take(_ ids: ClosedRange<Int>, _ engine: any StoreEngine) throws -> HistoryToken? {
    var options = ImportOptions()
    options.force = true
    let records = ids.map { #"{"id": \#($0), "magnitude": 4, "place": "A"}"# }.joined(separator: "\n")
    let pipeline = try Pipeline(yaml: ServerStore.quakes, file: "quakes.yaml", directory: ".")
    return try engine.run(pipeline, on: [.bytes(records.utf8, name: "feed")], options: options).progress.token
  }

  /// Waits until a standby has all that its primary has.
  private func catchUp(_ standby: TestServer, with primary: TestServer) throws {
    let place = try primary.psql("SELECT pg_current_wal_insert_lsn()", schema: "public")
    while try standby.psql("SELECT pg_last_wal_replay_lsn() >= '\(place)'", schema: "public") != "t" {
      usleep(20_000)
    }
  }

  private func sentence(_ error: (any Error)?) -> String {
    let error = error.map(ImportError.init)
    return [error?.reason, error?.hint].compactMap(\.self).joined(separator: ". ")
  }

  private func rows(_ engine: any StoreEngine) throws -> [String] {
    var rows: [String] = []
    try engine.readSnapshot(of: []) { _ in
    } row: { row in
      rows.append("\(row.entity) \(row.id) \(row.values.map(\.value.text))")
    }
    return rows
  }

  @Test(.timeLimit(.minutes(5))) func `a standby serves readings, and gives nothing a number`() throws {
    let (primary, standby, engine) = try pair()
    try take(1...3, engine)
    try engine.addReader("index", from: .beginning)
    try catchUp(standby, with: primary)
    let reading = try open(standby)
    #expect(try reading.assignPendingChanges() == [.standby(secondsBehind: 0)])
    #expect(try reading.readingNote == .standby(secondsBehind: 0))
    let token = try engine.newestToken()
    try primary.psql(#"INSERT INTO "Quake"(id) VALUES (9)"#, schema: schema)
    try catchUp(standby, with: primary)
    // Numbers are the primary's to give.
    #expect(
      try reading.assignPendingChanges() == [
        .standby(secondsBehind: 0), .pending(changes: 1, values: 0, .readOnly),
      ])
    #expect(try reading.newestToken() == token)
    #expect(try reading.status().pendingChanges == 1)
    #expect(try reading.status().token == token)
    #expect(try reading.history(HistoryRequest()) == engine.history(HistoryRequest()))
    #expect(try rows(reading) == rows(engine) && rows(reading).count == 5)
    // Objects are copied from it.
    let pipeline = try Pipeline(yaml: ServerStore.quakes, file: "quakes.yaml", directory: ".")
    for target in try pipeline.bothEngines() {
      let copied = try target.copyObjects(ObjectQuery("Quake"), from: reading, EditOptions())
      #expect(copied.counts.map(\.inserted) == [4, 1])
    }
    #expect(try reading.place(ofReader: "index") == engine.place(ofReader: "index"))
    #expect(try reading.namedReaders().map(\.state) == [.live])
    try engine.assignPendingChanges()
    try catchUp(standby, with: primary)
    #expect(try reading.newestToken() == engine.newestToken() && reading.newestToken() != token)
  }

  @Test(.timeLimit(.minutes(5))) func `what writes is refused by one sentence`() throws {
    let (primary, standby, engine) = try pair()
    let token = try #require(try take(1...3, engine))
    try engine.addReader("index", from: .beginning)
    try catchUp(standby, with: primary)
    let reading = try open(standby)
    let refused =
      "the server is a standby: it can only be read. Write to the primary: target_session_attrs=read-write finds it."
    func said(_ body: () throws -> Void) -> String {
      do {
        try body()
        return "nothing"
      } catch {
        return sentence(error)
      }
    }
    #expect(said { try reading.acknowledge(token, by: "index") } == refused)
    #expect(said { try reading.addReader("other", from: .now) } == refused)
    #expect(said { try reading.checkWritable() } == refused)
    #expect(said { _ = try reading.prune(.keepingTransactions(1)) } == refused)
    #expect(said { try reading.rebuild { _ in } } == refused)
    #expect(said { try take(4...5, reading) } == refused)
    let (one, options) = (LoggedObject.key(["1"]), EditOptions())
    #expect(said { _ = try reading.erase("Quake", one, options, lockWait: 1) } == refused)
    #expect(said { _ = try reading.deleteObjects(ObjectQuery("Quake"), options) } == refused)
    #expect(said { _ = try reading.revert(.token(token), force: true, options) } == refused)
    #expect(
      said {
        _ = try StoreAddress(standby.address(schema: "new")).open(
          for: Pipeline(yaml: ServerStore.quakes, file: "quakes.yaml", directory: "."), lockWait: 1)
      } == refused)
  }

  @Test(.timeLimit(.minutes(5))) func `who follows a standby is woken by what comes there`() throws {
    let (_, standby, engine) = try pair()
    try take(1...3, engine)
    while (try? open(standby)) == nil { usleep(20_000) }
    let watch = try open(standby).watchCommits()
    while try watch.hasCommit() { usleep(20_000) }
    try take(4...5, engine)
    while try !watch.hasCommit() { usleep(20_000) }
    try watch.check()
  }

  @Test(.timeLimit(.minutes(5))) func `a standby takes over that lacks the last commits`() throws {
    let (primary, standby, engine) = try pair()
    let first = try #require(try take(1...3, engine))
    try engine.addReader("index", from: .beginning)
    try engine.acknowledge(first, by: "index")
    try catchUp(standby, with: primary)
    try standby.psql("ALTER SYSTEM SET primary_conninfo = ''", schema: "public")
    try standby.psql("SELECT pg_reload_conf()", schema: "public")
    while try standby.psql("SELECT count(*) FROM pg_stat_wal_receiver", schema: "public") != "0" {
      usleep(20_000)
    }
    let lost = try #require(try take(4...5, engine))
    try engine.acknowledge(lost, by: "index")
    try primary.stop()
    try standby.promote()
    let after = try open(standby)
    #expect(try after.namedReaders().map(\.state) == [.diverged])
    let diverged = #expect(throws: StoreError.self) { try after.place(ofReader: "index") }
    #expect(
      sentence(diverged)
        == "the store is where it was not before, and may lack changes that the reader 'index' has read. "
        + "If nothing was lost, reset the reader to a token that it has. Otherwise start again from a snapshot."
    )
    let ahead = #expect(throws: StoreError.self) { try after.history(HistoryRequest(after: lost)) }
    #expect(ahead?.code == .tokenFromTheFuture)
    // The lost number is given to another transaction: its nonce tells them apart.
    let other = try #require(try take(6...7, after))
    #expect(other.number == lost.number && other.nonce != lost.nonce)
    let same = #expect(throws: StoreError.self) { try after.history(HistoryRequest(after: lost)) }
    #expect(same?.code == .tokenDiverged)
    #expect(throws: StoreError.self) { try after.acknowledge(other, by: "index") }
    // It knows of a place that is there.
    try after.resetReader("index", to: .token(first))
    #expect(try after.namedReaders().map(\.state) == [.live])
    #expect(try after.place(ofReader: "index") == first)
    #expect(try after.verified() == [])
  }

  @Test(.timeLimit(.minutes(5)), arguments: [true, false])
  func `a dump that is restored, on another server or on the same one`(_ isElsewhere: Bool) throws {
    let source = try TestServer()
    let engine = try open(source, for: ServerStore.quakes)
    let token = try #require(try take(1...3, engine))
    try engine.addReader("index", from: .beginning)
    try engine.acknowledge(token, by: "index")
    try source.psql(#"UPDATE "Quake" SET magnitude = 5 WHERE id = 2"#, schema: schema)
    let dump = try source.dump(schema: schema)
    // What comes behind the dump is lost, with what the reader has seen of it.
    try engine.acknowledge(try #require(try take(4...4, engine)), by: "index")
    let target = isElsewhere ? try TestServer() : source
    if !isElsewhere { try source.psql("DROP SCHEMA \(schema) CASCADE", schema: "public") }
    try target.psql(dump, schema: "public")
    let after = try open(target)
    // Another program is there before anybody else.
    try target.psql(#"UPDATE "Quake" SET magnitude = 6 WHERE id = 3"#, schema: schema)
    let diverged = #expect(throws: StoreError.self) { try after.place(ofReader: "index") }
    #expect(diverged?.code == .tokenDiverged)
    try after.assignPendingChanges()
    let changes = try after.history(HistoryRequest(after: token))
    #expect(
      changes.map { $0.changes.filter { $0.entity == "Quake" }.map { "\($0.key.map(\.value.text))" } } == [
        [#"["2"]"#], [#"["3"]"#],
      ])
    try after.resetReader("index", to: .token(token))
    #expect(try after.namedReaders().map(\.state) == [.live])
    try take(5...6, after)
    #expect(try after.namedReaders().map(\.state) == [.live])
    #expect(try after.verified() == [])
  }
}
