import Foundation

extension Folder {
  /// Checks a store of fireballs against feeds that Python reads; a later feed's row replaces an earlier one's.
  ///
  /// Rows and groups are those of the feeds, bit by bit, sums as `math.fsum` has them, and the file is sound.
  func check(_ store: String = "fireballs.sqlite", against feeds: String...) throws {
    let program = """
      import json, math, sqlite3, sys
      def number(text):
        return None if text is None else float(text)
      def signed(row, name, negative):
        value = number(row[name])
        return -value if value is not None and row[name + "-dir"] == negative else value
      expected = {}
      for path in sys.argv[2:]:
        feed = json.load(open(path))
        for values in feed["data"]:
          row = dict(zip(feed["fields"], values))
          date = row["date"].replace(" ", "T") + "Z"
          expected[date] = (date, number(row["energy"]), number(row["impact-e"]), number(row["alt"]),
            number(row["vel"]), signed(row, "lat", "S"), signed(row, "lon", "W"), int(date[:4]))
      store = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
      found = store.execute(\"\"\"SELECT date, energy, impactEnergy, altitude, velocity, latitude, longitude, year
        FROM Fireball LEFT JOIN FireballGroup g ON g.bolide_id = group_id ORDER BY date\"\"\").fetchall()
      assert found == sorted(expected.values()), "rows differ"
      years = {}
      for row in expected.values():
        years.setdefault(row[7], []).append(row[2] or 0.0)
      wanted = sorted((year, len(parts), math.fsum(parts)) for year, parts in years.items())
      found = store.execute("SELECT year, fireballCount, totalImpactEnergy FROM FireballGroup ORDER BY 1").fetchall()
      assert found == wanted, "groups differ"
      assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
      """
    let outcome = try run("python3", ["-c", program, store] + feeds)
    if outcome.status != 0 { throw Mismatch(store: store, reason: outcome.errors) }
  }

  /// Checks that two stores of fireballs hold the same rows, links, counts and sums by key, and are sound.
  func compare(_ first: String, _ second: String) throws {
    let program = """
      import sqlite3, sys
      def read(path):
        store = sqlite3.connect("file:" + path + "?mode=ro", uri=True)
        assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert store.execute("PRAGMA foreign_key_check").fetchall() == []
        assert store.execute("SELECT count(*) FROM bolide_dirty").fetchone() == (0,)
        rows = store.execute(\"\"\"SELECT date, energy, impactEnergy, altitude, velocity, latitude, longitude, year
          FROM Fireball LEFT JOIN FireballGroup g ON g.bolide_id = group_id ORDER BY date\"\"\").fetchall()
        return rows, store.execute(
          "SELECT year, fireballCount, totalImpactEnergy FROM FireballGroup ORDER BY year").fetchall()
      one, other = read(sys.argv[1]), read(sys.argv[2])
      assert one[0] == other[0], "rows or links differ"
      assert one[1] == other[1], "counts or sums differ"
      """
    let outcome = try run("python3", ["-c", program, first, second])
    if outcome.status != 0 { throw Mismatch(store: second, reason: outcome.errors) }
  }
}

/// A store that is not what it should be.
struct Mismatch: Error, CustomStringConvertible {
  var store: String
  var reason: String
  var description: String { "\(store): \(reason)" }
}

/// Writes derived attributes as only Bolide's own triggers do; what another program writes is put right.
func derivedly(_ sql: String) -> String {
  "INSERT INTO bolide_deriving(entity, object) VALUES (0, 0); \(sql); DELETE FROM bolide_deriving;"
}
