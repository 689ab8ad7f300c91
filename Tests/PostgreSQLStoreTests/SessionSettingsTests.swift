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

  /// The server's own texts in UTC and ISO 8601 are what history has of times.
  @Test func `times before are exact, whatever a session's zone and style of dates`() throws {
    let store = try ServerStore(
      """
      bolide: 1
      name: events
      entity: Event
      key: id
      attributes:
        id: integer64
        second: { type: date, precision: seconds }
        milli: { type: date, precision: ms }
        micro: { type: date, precision: us }
        day: day
      """)
    try store.psql(
      """
      INSERT INTO "Event"(id, second, milli, micro, day)
        SELECT number, at, at, at, at::date FROM (
          SELECT number, timestamptz '0001-01-01 00:00:00Z BC'
            + (random() * 3.15e11)::bigint * interval '1 second' + (random() * 1e6)::int * interval '1 microsecond'
          FROM generate_series(1, 2000) AS g(number)
          UNION ALL SELECT 2000 + place, date_trunc(unit, timestamptz '2026-05-12 03:14:07.25Z') - years * interval '1 year'
          FROM unnest(ARRAY['second', 'hour', 'day', 'year'], ARRAY[0, 1, 1926, 2026]) WITH ORDINALITY AS u(unit, years, place)
          UNION ALL SELECT 3000, '0001-01-01 00:00:00Z BC' UNION ALL SELECT 3001, '9999-12-31 23:59:59Z') AS e(number, at);
      SET session_replication_role = replica;
      INSERT INTO "Event"(id, second, milli, micro, day)
        SELECT 4000 + row_number() OVER (), at::timestamptz, at::timestamptz, at::timestamptz, at::date
        FROM unnest(ARRAY['infinity', '-infinity', '4000-01-01 BC', '12345-01-01']) AS e(at);
      RESET session_replication_role; SET timezone = 'UTC'; SET datestyle = 'ISO';
      CREATE TABLE was AS SELECT bolide_id, ARRAY[second::text, milli::text, micro::text, day::text] AS texts FROM "Event";
      """)
    let columns = #""Event" SET second = now(), milli = now(), micro = now(), day = now()"#
    try store.psql(
      """
      SET timezone = 'Asia/Kathmandu'; SET datestyle = 'German'; UPDATE \(columns) WHERE id BETWEEN 1 AND 1000;
      SET timezone = 'America/St_Johns'; SET datestyle = 'SQL, DMY'; DELETE FROM "Event" WHERE id BETWEEN 1001 AND 1900;
      SET timezone = 'Africa/Monrovia'; SET datestyle = 'Postgres, MDY'; SET intervalstyle = 'iso_8601';
      DO $$ DECLARE i bigint; BEGIN
        FOR i IN SELECT id FROM "Event" WHERE id > 1900 LOOP
          IF i % 2 = 0 THEN DELETE FROM "Event" WHERE id = i; ELSE UPDATE \(columns) WHERE id = i; END IF;
        END LOOP;
      END $$;
      """)
    let differences = try store.psql(
      """
      SELECT w.texts, c.texts FROM was AS w LEFT JOIN (
        SELECT c.id, array_agg(v ORDER BY n) AS texts FROM bolide_change AS c, unnest(properties, previous) AS p(n, v)
        WHERE c.kind <> 1 AND v ~ '[^0-9]' GROUP BY c.id) AS c ON c.id = w.bolide_id
      WHERE w.texts IS DISTINCT FROM c.texts LIMIT 5
      """)
    #expect(differences == "")
    #expect(try store.psql("SELECT count(*), count(DISTINCT texts) > 2000 FROM was") == "2010|t")
  }
}
