extension Peer {
  /// All peers that the bench knows. Each keeps the same columns under the same names, in one table with a unique date.
  /// Those that take rows that are there already write one only where something differs.
  package static let all = [sqliteShell, python, sqliteUtils, duckDB, sqliteShellWithYears]

  private static let columns = [
    "date", "energy", "impactEnergy", "altitude", "velocity", "latitude", "longitude",
  ]

  private static let table = """
    CREATE TABLE IF NOT EXISTS Fireball(id INTEGER PRIMARY KEY, date TEXT NOT NULL UNIQUE, energy REAL,
      impactEnergy REAL, altitude REAL, velocity REAL, latitude REAL, longitude REAL);
    """

  private static let settings = """
    PRAGMA page_size = 16384;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -16384;
    """

  private static let update: String = {
    let others = columns.dropFirst()
    return """
      ON CONFLICT(date) DO UPDATE SET \(others.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
      WHERE \(others.map { "Fireball.\($0) IS NOT excluded.\($0)" }.joined(separator: " OR "))
      """
  }()

  /// What SQLite's shell takes of a record.
  private static let cells = """
    replace(value ->> 0, ' ', 'T') || 'Z', CAST(value ->> 1 AS REAL), CAST(value ->> 2 AS REAL),
      CAST(value ->> 7 AS REAL), CAST(value ->> 8 AS REAL),
      CASE value ->> 4 WHEN 'S' THEN -CAST(value ->> 3 AS REAL) ELSE CAST(value ->> 3 AS REAL) END,
      CASE value ->> 6 WHEN 'W' THEN -CAST(value ->> 5 AS REAL) ELSE CAST(value ->> 5 AS REAL) END
    """

  private static let records = "FROM json_each(CAST(readfile('{feed}') AS TEXT), '$.data')"

  private static let sqliteShell = Peer(
    name: "sqlite3, json_each", program: "sqlite3",
    arguments: ["-bail", "{file}"],
    scriptName: "peer.sql",
    script: """
      \(settings)
      \(table)
      INSERT INTO Fireball(\(columns.joined(separator: ", ")))
      SELECT \(cells)
      \(records) WHERE true
      \(update);

      """,
    unfair: """
      One transaction, the whole feed in memory. No history, no word of what changed; a bad record ends all of it, and a
      text that is no number becomes 0.
      """)

  private static let sqliteShellWithYears = Peer(
    name: "sqlite3, json_each, years", program: "sqlite3",
    arguments: ["-bail", "{file}"],
    scriptName: "peer-years.sql",
    script: """
      \(settings)
      CREATE TABLE FireballGroup(year INTEGER PRIMARY KEY, fireballCount INTEGER NOT NULL, totalImpactEnergy REAL NOT NULL);
      CREATE TABLE Fireball(id INTEGER PRIMARY KEY, date TEXT NOT NULL UNIQUE, energy REAL, impactEnergy REAL, altitude REAL,
        velocity REAL, latitude REAL, longitude REAL, group_id INTEGER REFERENCES FireballGroup);
      BEGIN IMMEDIATE;
      INSERT INTO Fireball(\(columns.joined(separator: ", ")), group_id)
      SELECT \(cells), CAST(substr(value ->> 0, 1, 4) AS INTEGER)
      \(records);
      CREATE INDEX Fireball_group ON Fireball(group_id);
      INSERT INTO FireballGroup SELECT group_id, count(*), total(impactEnergy) FROM Fireball GROUP BY group_id;
      COMMIT;

      """,
    unfair: """
      A first load and no other: one transaction, the whole feed in memory, the year as the group's id, its sum not exact to
      the last bit. Nothing keeps counts and sums true afterwards. No history; a bad record ends all of it.
      """,
    scenarios: [.mainJob], owner: (.year, id: "year"))

  private static let python = Peer(
    name: "python3, executemany", program: "python3", arguments: ["{script}", "{feed}", "{file}"],
    scriptName: "peer.py",
    script: """
      import json, sqlite3, sys
      db = sqlite3.connect(sys.argv[2], isolation_level=None)
      db.executescript('''\(settings)
      \(table)''')

      def number(text):
        return None if text is None else float(text)

      def sign(text, direction, negative):
        return None if text is None else -float(text) if direction == negative else float(text)

      def row(cells):
        date, energy, impact, lat, lat_dir, lon, lon_dir, alt, vel = cells
        return (date.replace(" ", "T") + "Z", number(energy), number(impact), number(alt), number(vel),
          sign(lat, lat_dir, "S"), sign(lon, lon_dir, "W"))

      with open(sys.argv[1]) as file:
        rows = json.load(file)["data"]
      for first in range(0, len(rows), 32768):
        db.execute("BEGIN IMMEDIATE")
        db.executemany('''INSERT INTO Fireball(\(columns.joined(separator: ", ")))
          VALUES (?, ?, ?, ?, ?, ?, ?)
          \(update)''', map(row, rows[first:first + 32768]))
        db.execute("COMMIT")
      db.close()

      """,
    unfair: """
      The same transactions, the whole feed in memory. No history, no word of what changed; a bad record ends the import
      where it stands.
      """)

  private static let sqliteUtils = Peer(
    name: "sqlite-utils upsert", program: "sh",
    arguments: [
      "-c", #"python3 "$1" "$2" | sqlite-utils upsert "$3" Fireball - --nl --pk date"#, "sh", "{script}",
      "{feed}", "{file}",
    ],
    scriptName: "peer-objects.py",
    script: """
      import json, sys
      def number(text):
        return None if text is None else float(text)
      with open(sys.argv[1]) as file:
        for date, energy, impact, lat, lat_dir, lon, lon_dir, alt, vel in json.load(file)["data"]:
          print(json.dumps({"date": date.replace(" ", "T") + "Z", "energy": number(energy),
            "impactEnergy": number(impact), "altitude": number(alt), "velocity": number(vel),
            "latitude": number("-" + lat if lat_dir == "S" else lat),
            "longitude": number("-" + lon if lon_dir == "W" else lon)}))

      """,
    unfair: """
      It wants objects, so a Python program turns the rows into lines of JSON, and its time counts. SQLite's defaults: a
      rollback journal, and the date as the primary key of the table. It finds types out by itself.
      """)

  private static let duckDB = Peer(
    name: "duckdb, read_json", program: "duckdb", arguments: ["-bail", "{file}", "-f", "{script}"],
    scriptName: "peer-duck.sql",
    script: """
      CREATE TABLE IF NOT EXISTS Fireball(date VARCHAR PRIMARY KEY, energy DOUBLE, impactEnergy DOUBLE,
        altitude DOUBLE, velocity DOUBLE, latitude DOUBLE, longitude DOUBLE);
      INSERT INTO Fireball
      SELECT replace(r[1], ' ', 'T') || 'Z', r[2]::DOUBLE, r[3]::DOUBLE, r[8]::DOUBLE, r[9]::DOUBLE,
        CASE r[5] WHEN 'S' THEN -r[4]::DOUBLE ELSE r[4]::DOUBLE END,
        CASE r[7] WHEN 'W' THEN -r[6]::DOUBLE ELSE r[6]::DOUBLE END
      FROM (SELECT unnest(data) AS r FROM read_json('{feed}', columns = {data: 'VARCHAR[][]'},
        maximum_object_size = 2000000000))
      ON CONFLICT (date) DO UPDATE SET energy = excluded.energy, impactEnergy = excluded.impactEnergy,
        altitude = excluded.altitude, velocity = excluded.velocity, latitude = excluded.latitude,
        longitude = excluded.longitude
      WHERE \(columns.dropFirst().map { "Fireball.\($0) IS DISTINCT FROM excluded.\($0)" }.joined(separator: "\n  OR "));

      """,
    unfair: """
      Its own file format, made for reading and not for rows that come again; all cores, the whole feed in memory.
      """,
    checkedBy: "duckdb")
}
