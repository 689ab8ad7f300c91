import GRDB
import ImportModel
import SQLiteStore
import Testing

struct ColumnCheckTests {
  /// Asked around the ends of months, against the calendar's own rule.
  @Test(arguments: [
    (AttributeType.day, ""), (.date(precision: .seconds), "T23:59:59Z"),
    (.date(precision: .microseconds), "T00:00:00.000001Z"),
  ]) func `the days of the calendar are days, and no others`(_ type: AttributeType, _ time: String) throws {
    let condition = try #require(Attribute(name: "x", type: type).condition)
    let wrong = try DatabaseQueue().read { db in
      try String.fetchAll(
        db,
        sql: """
          WITH RECURSIVE
            year(y) AS (SELECT 0 UNION ALL SELECT y + 1 FROM year WHERE y < 9999),
            month(m, days) AS (VALUES (2, 28), (3, 31), (11, 30)),
            day(d) AS (VALUES (0), (1), (28), (29), (30), (31), (32)),
            date(x, is_day) AS (SELECT printf('%04d-%02d-%02d', y, m, d) || ?,
              d BETWEEN 1 AND days + (m = 2 AND y % 4 = 0 AND (y % 100 <> 0 OR y % 400 = 0)) FROM year, month, day)
          SELECT x FROM date WHERE (\(condition)) IS NOT (is_day = 1) LIMIT 5
          """, arguments: [time])
    }
    #expect(wrong == [])
  }
}
