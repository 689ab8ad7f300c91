import Bolide
import StoreInterface
import TestServer
import Testing

/// Settings that an address, a user or a database gives to its sessions.
struct SessionSettingsTests {
  @Test(arguments: [
    "quote_all_identifiers=on", "array_nulls=off", "transform_null_equals=on", "exit_on_error=on",
    "session_replication_role=replica", "default_transaction_isolation=serializable",
    "standard_conforming_strings=off", "extra_float_digits=-10", "datestyle=German",
    "timezone=Asia/Kathmandu",
    "bytea_output=escape", "intervalstyle=sql_standard", "row_security=on", "client_encoding=LATIN1",
  ])
  func `none of them changes what is stored and told`(_ setting: String) throws {
    let pipeline = try Pipeline(yaml: ServerStore.quakes, file: "quakes.yaml", directory: ".")
    func outcome(_ options: String) throws -> [String] {
      let store = try ServerStore()
      let address = store.server.address(schema: store.schema).replacing("#", with: "\(options)#")
      let engine = try StoreAddress(address).open(for: pipeline, lockWait: 10)
      for records in [
        #"{"id": 1, "magnitude": 0.1, "depth": 1.25, "seen": "2024-02-29T23:59:59.123Z", "code": "é", "place": "A"}{"id": 2}"#,
        #"{"id": 1, "magnitude": 1e-310, "depth": null, "seen": "2025-01-01T00:00:00Z", "place": "NULL"}{"id": 2}"#,
      ] {
        _ = try engine.run(pipeline, on: [.bytes(records.utf8, name: "feed")], options: ImportOptions())
      }
      try engine.assignPendingChanges()
      var told = try engine.history(HistoryRequest()).flatMap(\.changes).map { change in
        "\(change.kind) \(change.entity) \(change.key.map { "\($0.value)" }) "
          + change.previous.filter { $0.name != "touched" }.map { "\($0.name) \($0.value)" }.joined(
            separator: " ")
      }
      for entity in ["Quake", "Region"] {
        try engine.readRows(ObjectQuery(entity), at: nil) { row in
          told.append("\(row.values.filter { $0.name != "touched" }.map { "\($0.value)" })")
        }
      }
      try engine.verify { #expect($0.isTrue, "\($0)") }
      return told
    }
    let usual = try outcome("")
    #expect(usual.count == 8)
    #expect(try outcome("&options=-c%20\(setting.replacing("=", with: "%3D"))") == usual)
  }

  /// What one row changes of its owner is noted by the row's trigger.
  @Test func `an owner's value before is exact, whatever a session rounds to`() throws {
    let model = ServerStore.quakes.replacing("magnitude: double", with: "magnitude: integer64")
    let store = try ServerStore(model)
    try store.take((1...3).map { #"{"id": \#($0), "magnitude": \#($0 / 2 + 1), "place": "A"}"# })
    let token = try store.engine.newestToken()
    for digits in [0, -5] {
      try store.psql(
        #"SET extra_float_digits = \#(digits); UPDATE "Quake" SET magnitude = magnitude + 5 WHERE id = 1"#)
    }
    let changes = try store.changes(after: token).filter { $0.contains("Region") }.joined(separator: " ")
    #expect(changes.contains("mean 1.6666666666666667") && changes.contains("mean 3.3333333333333335"))
  }
}
