import GRDB
import ImportModel
@testable import QueryPlans
@testable import RowExpressions
@testable import SQLiteAccess
import Testing

@testable import SQLiteStore

@Suite struct DecimalNumbersTests {
  @Test(arguments: [
    ("price >= 12.5", true), ("price BETWEEN ? AND 3 AND price <> 2", true), ("price IN (1, -2.5)", true),
    ("price + 0 >= 12.5", false),
  ])
  func `An index serves a comparison with constants`(predicate: String, isServed: Bool) throws {
    var entity = Entity(name: "Line", key: ["id"], attributes: [Attribute(name: "id", type: .integer64)])
    entity.attributes.append(Attribute(name: "price", type: .decimal(scale: 2)))
    let tree = try JoinTree(entity.name, Model(entities: [entity]))
    let sql = try PredicateSQL(predicate, tree).sql { quoted($0.name) }
    try DatabaseQueue().inDatabase { db in
      try DecimalNumbers.add(to: db)
      try db.execute(
        sql: "CREATE TABLE Line(id INTEGER, price INTEGER) STRICT; CREATE INDEX i ON Line(price)")
      let rows = try Row.fetchAll(
        db, sql: "EXPLAIN QUERY PLAN SELECT id FROM \(tree.from { quoted($0.name) }) WHERE \(sql)",
        arguments: predicate.contains("?") ? [1] : [])
      let details = rows.map { $0["detail"] as String }
      #expect(details.contains { $0.contains("USING INDEX i") } == isServed, "\(sql): \(details)")
    }
  }

  @Test func `A number becomes units by its shortest form`() throws {
    try DatabaseQueue().inDatabase { db in
      try DecimalNumbers.add(to: db)
      for units in stride(from: Int64(-250_000), through: 250_000, by: 23) {
        let number = Double(units) / 100
        #expect(try Int64.fetchOne(db, sql: "SELECT bolide_units(?, 2)", arguments: [number]) == units)
        #expect(try Double.fetchOne(db, sql: "SELECT bolide_decimal(?, 2)", arguments: [units]) == number)
      }
      for (value, units) in [
        ("1e300", "1e+302"), ("12.345", "1234.5"), ("'12.50'", "1250"), ("'x'", "x"), ("NULL", "NULL"),
        ("9223372036854775807", "9.22337203685478e+20"), ("-0.0", "0"),
      ] {
        let found = try String.fetchOne(
          db, sql: "SELECT ifnull(CAST(bolide_units(\(value), 2) AS TEXT), 'NULL')")
        #expect(found.map { $0.replacing(".0e", with: "e") } == units, "\(value)")
      }
    }
  }
}
