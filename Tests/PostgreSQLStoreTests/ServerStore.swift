import Bolide
import Foundation
import StoreInterface
import TestServer
import Testing

/// A store in a schema of its own on the test's server, which other programs can write to.
struct ServerStore {
  let server: TestServer
  let schema: String
  let engine: any StoreEngine
  private let pipeline: Pipeline

  /// Quakes in regions that count and sum them.
  static let quakes = """
    bolide: 1
    name: quakes
    store: quakes.sqlite
    entity: Quake
    key: id
    attributes:
      id:        integer64
      code:      string
      magnitude: double
      depth:     { type: decimal, scale: 2 }
      seen:      { type: date, precision: ms }
      place:     { type: string, transient: true }
      region:    { derived: in.name }
      touched:   { type: date, derived: now() }
    link:
      in: { to: { name: place } }
    relationships:
      in: { to-one: Region, inverse: quakes }
    entities:
      Region:
        key: name
        attributes:
          name:    string
          plain:   { derived: canonical:(name) }
          count:   { derived: quakes.@count }
          total:   { derived: quakes.magnitude.@sum }
          mean:    { derived: quakes.magnitude.@average }
          largest: { derived: quakes.magnitude.@max }
          strong:  { derived: quakes.@count, where: "magnitude > 5.0" }
        relationships: { quakes: { to-many: Quake, inverse: in } }

    """

  /// - Parameter server: nil for the one that all tests share.
  init(_ model: String = ServerStore.quakes, on server: TestServer? = nil) throws {
    self.server = try server ?? TestServer.shared.get()
    schema = "s\(UInt64.random(in: 0 ... .max))"
    pipeline = try Pipeline(yaml: model, file: "quakes.yaml", directory: ".")
    engine = try StoreAddress(self.server.address(schema: schema)).open(for: pipeline, lockWait: 10)
  }

  /// Imports records.
  @discardableResult
  func take(
    _ records: [String], settings: String = "", isAtomic: Bool = false, model: String = ServerStore.quakes
  ) throws -> ImportReport {
    var options = ImportOptions()
    (options.force, options.isAtomic) = (true, isAtomic)
    let pipeline =
      try settings.isEmpty
      ? pipeline : Pipeline(yaml: model + settings, file: "quakes.yaml", directory: ".")
    return try engine.run(
      pipeline, on: [.bytes(records.joined(separator: "\n").utf8, name: "feed")], options: options)
  }

  /// Runs SQL as another program.
  @discardableResult
  func psql(_ sql: String) throws -> String { try server.psql(sql, schema: schema) }

  /// Opens the store as a user who may change rows and does not own it.
  func asWriter(_ body: (any StoreEngine) throws -> Void) throws {
    let role = "w\(schema)"
    try psql(
      """
      CREATE ROLE "\(role)" LOGIN; GRANT USAGE ON SCHEMA "\(schema)" TO "\(role)";
      GRANT ALL ON ALL TABLES IN SCHEMA "\(schema)" TO "\(role)"; GRANT ALL ON ALL SEQUENCES IN SCHEMA "\(schema)" TO "\(role)";
      """)
    try body(StoreAddress(server.address(schema: schema).replacing("postgres@", with: "\(role)@")).open())
    try psql("DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\"")
  }

  /// Waits until the server shows something: as long as it takes, as the test has a time limit.
  func waitUntil(_ condition: String) throws {
    while try psql("SELECT \(condition)") != "t" { usleep(20_000) }
  }

  /// Has another program run statements in a transaction that it keeps open, and waits until they have run.
  func hold(_ sql: String, by other: OtherProgram, isolation: String = "READ COMMITTED") throws {
    try other.send(
      "BEGIN ISOLATION LEVEL \(isolation); \(sql) SELECT pg_advisory_lock(hashtext('\(schema)'));")
    try waitUntil("EXISTS (SELECT FROM pg_locks WHERE \(isHeld))")
  }

  /// Does something, has another program that holds something end its transaction when that waits for it, and waits for its end.
  ///
  /// - Parameters:
  ///   - end: the other program's last statements.
  ///   - waits: how the server shows that, where it is not for the other program's session.
  func meeting(
    _ other: OtherProgram, _ end: String, when waits: String? = nil,
    _ body: @escaping @Sendable (ServerStore) throws -> Void
  ) throws {
    let outcome = ImportOutcome()
    Thread {
      outcome.set(
        Result {
          try body(self)
          return 0
        })
    }.start()
    try waitUntil(
      waits ?? """
        EXISTS (SELECT FROM pg_locks AS l, pg_stat_activity AS a
          WHERE \(isHeld) AND l.pid = ANY (pg_blocking_pids(a.pid)))
        """)
    try other.send(end)
    #expect(try other.end())
    outcome.wait()
    _ = try outcome.result?.get()
  }

  /// The lock by which `hold` sees that, as a condition on `pg_locks`; Bolide's own are of another class.
  var isHeld: String {
    "locktype = 'advisory' AND granted AND classid <> 1651469417 AND objid = hashtext('\(schema)')::bigint & 4294967295"
  }

  /// The changes behind a token, each in a line: `insert Region A`, `update Quake 1 magnitude 4.0`; without the clock's.
  func changes(after token: HistoryToken) throws -> [String] {
    try engine.assignPendingChanges()
    return try engine.history(HistoryRequest(after: token)).flatMap(\.changes).map { change in
      ([change.kind.rawValue, change.entity] + change.key.map { "\($0.value.text)" }
        + (change.kind == .update
          ? change.previous.filter { $0.name != "touched" }.flatMap { [$0.name, $0.value.text] } : []))
        .joined(
          separator: " ")
    }
  }
}

extension Value {
  /// The value without its kind.
  var text: String {
    switch self {
    case .null: "null"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): text
    case .blob(let bytes): "\(bytes)"
    }
  }
}
