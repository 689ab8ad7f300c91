import Bolide
import StoreInterface
import TestServer
import Testing

/// pgbouncer between the tool and the server.
struct PoolerTests {
  @Test func `behind a pooler in session mode a store is made, filled, changed and read`() throws {
    let server = try TestServer.shared.get()
    let pooler = try TestPooler(.session, before: server)
    let schema = "s\(UInt64.random(in: 0 ... .max))"
    let address = StoreAddress(pooler.address(schema: schema))
    let pipeline = try Pipeline(yaml: ServerStore.quakes, file: "quakes.yaml", directory: ".")
    let engine = try address.open(for: pipeline, lockWait: 10)
    func take(_ records: [String], connections: Int) throws -> ImportReport {
      var options = ImportOptions()
      options.connections = connections
      return try engine.run(
        pipeline, on: [.bytes(records.joined(separator: "\n").utf8, name: "feed")], options: options)
    }
    let feed = (1...500).map { #"{"id": \#($0), "magnitude": \#($0 % 9), "place": "\#($0 % 7)"}"# }
    for connections in [1, 3] {
      let report = try take(feed, connections: connections)
      #expect(
        report.progress.counts.read == 500 && report.progress.counts.inserted == (connections == 1 ? 500 : 0))
    }
    let token = try engine.newestToken()
    try server.psql(#"UPDATE "Quake" SET magnitude = 9.5 WHERE id = 1"#, schema: schema)
    try engine.assignPendingChanges()
    let changes = try engine.history(HistoryRequest(after: token)).flatMap(\.changes).map(\.entity)
    #expect(changes == ["Quake", "Region"])
    try engine.close()
  }

  @Test func `a pooler in transaction mode is refused before anything is made`() throws {
    let server = try TestServer.shared.get()
    let pooler = try TestPooler(.transaction, before: server)
    let schema = "s\(UInt64.random(in: 0 ... .max))"
    let pipeline = try Pipeline(yaml: ServerStore.quakes, file: "quakes.yaml", directory: ".")
    let error = #expect(throws: StoreError.self) {
      let engine = try StoreAddress(pooler.address(schema: schema)).open(for: pipeline, lockWait: 0)
      _ = try engine.run(pipeline, on: [.bytes(#"{"id": 1}"#.utf8, name: "feed")], options: ImportOptions())
    }
    #expect(
      error?.message.hasSuffix("a pooler on the way to the server shares its sessions between transactions")
        == true)
    #expect(error?.hint == "Use the pooler's session mode, or the server's own address.")
    // What other programs then find in the pooler's sessions is as it was.
    let behind = pooler.address(schema: "").dropLast()
    #expect(try server.psql("\\c \(behind)\nSHOW search_path", schema: "public") == #""$user", public"#)
    #expect(
      try server.psql("SELECT count(*) FROM pg_namespace WHERE nspname = '\(schema)'", schema: "public")
        == "0")
  }

  /// Whoever else comes gets what was just given back.
  @Test(.timeLimit(.minutes(5)))
  func `nor does one that others keep busy pass for another mode`() throws {
    let server = try TestServer.shared.get()
    let pooler = try TestPooler(.transaction, before: server, sessions: 3)
    let schema = "s\(UInt64.random(in: 0 ... .max))"
    let others = try (1...6).map { _ in
      let other = try OtherProgram(on: server, schema: "public")
      try other.send("\\c \(pooler.address(schema: "").dropLast())")
      try other.send(String(repeating: "SELECT pg_sleep(0.005);\n", count: 400))
      return other
    }
    for _ in 1...10 {
      let error = #expect(throws: StoreError.self) { try StoreAddress(pooler.address(schema: schema)).open() }
      #expect(
        error?.reason.hasPrefix("a pooler on the way to the server") == true, "\(String(describing: error))")
    }
    for other in others { #expect(try other.end()) }
  }
}
