internal import Bolide
internal import GRDB

/// What a table holds, in a few numbers that a wrong import would miss: how many rows, and of each column how many
/// values and their sum.
struct TableNumbers: Hashable {
  /// One column's values.
  struct Column: Hashable {
    /// How many are not null.
    var count = 0
    /// The sum of their measures, each taken modulo `modulus`, whatever the order.
    ///
    /// A date counts in seconds since 1970, a real number in thousandths, other text by its length.
    var sum = 0

    mutating func add(_ measure: Int) {
      count += 1
      sum += measure % Self.modulus
    }

    /// Keeps the sum of any number of rows within 64 bits.
    static let modulus = 1_000_000_007
  }

  var rows = 0
  var columns: [String: Column] = [:]

  init() {}

  /// Whose SQL.
  enum Dialect {
    case sqlite, duckDB, postgreSQL
  }

  /// Adds up what a file's table holds.
  ///
  /// - Parameter entity: names the table and its columns.
  init(file path: String, entity: Entity) throws {
    self.init(try Self.counts(path, sql: Self.query(entity, .sqlite)), of: entity)
  }

  /// The numbers that `query` gives; too few of them are a table that is not as it must be.
  init(_ numbers: [Int], of entity: Entity) {
    rows = numbers.first ?? -1
    for (index, attribute) in Self.attributes(of: entity).enumerated() where numbers.count > 2 + 2 * index {
      columns[attribute.name] = Column(count: numbers[1 + 2 * index], sum: numbers[2 + 2 * index])
    }
  }

  /// Gives one row: how many rows, and of each column the count and the sum.
  static func query(_ entity: Entity, _ dialect: Dialect) -> String {
    let integer = dialect == .sqlite ? "INTEGER" : "BIGINT"
    let sums = attributes(of: entity).map { attribute in
      let name = quoted(attribute.name)
      let seconds =
        switch dialect {
        case .sqlite: "strftime('%s', \(name))"
        case .duckDB: "epoch(CAST(rtrim(\(name), 'Z') AS TIMESTAMP))"
        case .postgreSQL: "extract(epoch FROM \(name))"
        }
      let measure =
        switch (attribute.type, attribute.type.storage) {
        case (.date, _): "CAST(\(seconds) AS \(integer))"
        case (_, .real): "CAST(round(\(name) * 1000) AS \(integer))"
        case (_, .integer): name
        case (_, .text), (_, .blob): "length(\(name))"
        }
      return "count(\(name)), coalesce(sum(\(measure) % \(Column.modulus)), 0)"
    }
    return "SELECT count(*), \(sums.joined(separator: ", ")) FROM \(quoted(entity.name))"
  }

  private static func attributes(of entity: Entity) -> [Attribute] {
    entity.attributes.filter { !$0.isTransient && $0.derivation == nil }
  }

  /// The whole numbers in the one row that a query gives.
  static func counts(_ path: String, sql: String) throws -> [Int] {
    try reading(path) { db in
      let row = try Row.fetchOne(db, sql: sql)
      return row.map { Array($0.databaseValues).map { Int.fromDatabaseValue($0) ?? -1 } } ?? []
    }
  }

  /// Reads a file that nobody writes now.
  private static func reading<Result>(_ path: String, _ body: (Database) throws -> Result) throws -> Result {
    var configuration = GRDB.Configuration()
    configuration.readonly = true
    return try DatabaseQueue(path: path, configuration: configuration).read(body)
  }

  /// The first difference, in words; nil when there is none.
  func difference(from expected: TableNumbers) -> String? {
    if rows != expected.rows { return "\(rows) rows instead of \(expected.rows)" }
    for (name, column) in expected.columns.sorted(by: { $0.key < $1.key }) where columns[name] != column {
      let found = columns[name] ?? Column()
      return "\(name) has \(found.count) values with the sum \(found.sum), "
        + "instead of \(column.count) with \(column.sum)"
    }
    return nil
  }
}
