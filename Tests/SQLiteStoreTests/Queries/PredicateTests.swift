import Bolide
import ImportModel
@testable import QueryPlans
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Predicates: what they may say, and what they are told otherwise.
/// One at a time: tests that wait would hold hundreds of stores open, and beside so many files no process can be started.
@Suite(.serialized) struct PredicateTests {
  private let temporary: TemporaryStore
  private let store: SQLiteEngine

  init() throws {
    temporary = try TemporaryStore()
    store = try Geography.store(temporary)
  }

  private func ids(_ predicate: String, _ arguments: [Value] = []) async throws -> [Int64] {
    try await store.face.fetch(ObjectQuery("Quake", where: .init(text: predicate), arguments)).map(\.id)
  }

  @Test(
    arguments: [
      ("magnitude > 6", [2, 4]), ("MAGNITUDE>6 and Depth is not null", [2]), ("group_id = 2", [2]),
      ("bolide_id IN (1, 4)", [1, 4]), ("magnitude > 6 -- and no more", [2, 4]),
      ("/* all */ 1", [1, 2, 3, 4]),
      // Paths of one and more hops, over a table that is there twice, and back to the object's own.
      ("group.size = 10", [1]), ("group.country.name = 'Japan'", [2]), ("group.country.from < 0", [2]),
      ("group . country . \"name\" = 'Chile'", [1]), ("previous.magnitude = 6.5", [3, 4]),
      ("previous.previous.id = 'one'", [3, 4]), ("previous.group.country.name = 'Japan'", [3, 4]),
      ("previous.bolide_id = 1", [2]), ("previous.group_id = 2", [3, 4]), ("group.country IS NULL", [3, 4]),
      ("group IS NOT NULL AND group.country = 1", [1]), ("group.quakeCount = 1", [1, 2, 3]),
      // Words of SQL that are names, where a value is expected.
      ("order = 'x'", [1, 4]), ("end = 2", [2]), ("end IS NULL", [4]), ("NOT end", []),
      ("CASE end WHEN 1 THEN order WHEN end THEN 'z' ELSE 'x' END = 'x'", [1, 4]),
      ("CASE WHEN end = 1 THEN 1 END", [1]), ("\"order\" || [end] = 'y2'", [2]), ("`order` = 'y'", [2]),
      ("end BETWEEN 1 AND 2 AND order IS NOT NULL", [1, 2]), ("order IS NOT DISTINCT FROM 'x'", [1, 4]),
      // The rest of SQL's expressions.
      ("id LIKE 't%' ESCAPE '!'", [2, 3]), ("id NOT LIKE 't%'", [1, 4]), ("id GLOB 'f*'", [4]),
      ("order ISNULL", [3]), ("order NOTNULL AND NOT felt", [2]), ("order NOT NULL", [1, 2, 4]),
      ("depth NOT IN (10, 20)", [3]), ("depth IN ()", []), ("NOT depth IN ()", [1, 2, 3, 4]),
      ("cast(magnitude AS integer) = 5", [1]), ("CAST(depth AS VARYING CHARACTER(10)) = '20'", [2]),
      ("id COLLATE NOCASE = 'ONE'", [1]), ("id = 'ONE' COLLATE nocase AND 1", [1]),
      ("length(id) = 3 AND max(depth, end) > 1", [1, 2]), ("date('now') > '2020'", [1, 2, 3, 4]),
      ("current_date > '2020' AND true", [1, 2, 3, 4]), ("raw = x'0001' OR raw = X''", [1, 4]),
      ("-depth < -1.5e1 AND depth >> 1 = 0xa", [2]), ("(depth, end) = (20, 2)", [2]),
      ("id = 'it''s' OR id = 'two'", [2]),
      ("'{\"a\": 1}' -> 'a' = '1' AND '{}' ->> 'a' IS NULL", [1, 2, 3, 4]),
      ("bolide_lowercase('ONE') = id", [1]), ("coalesce(magnitude, .5) = 0.5", [3]), ("depth--1\n=20", [2]),
    ] as [(String, [Int64])])
  func `what a predicate says`(predicate: String, expected: [Int64]) async throws {
    #expect(try await ids(predicate) == expected)
  }

  @Test func `values take their places in order, by number, and are never read as SQL`() async throws {
    #expect(try await ids("magnitude > ? AND group.country.name = ?", [6, "Japan"]) == [2])
    #expect(try await ids("id = ?2 OR depth = ?1", [10, "two"]) == [1, 2])
    #expect(try await ids("id = ?1 OR order = ?1", ["x"]) == [1, 4])
    #expect(try await ids("id = ?", ["x' OR '1' = '1"]) == [])
    // As the command line gives them: a text beside a number's column is a number.
    #expect(try await ids("magnitude >= ? AND depth = ?", ["6.5", "20"]) == [2])
    #expect(try await ids("raw = ?", [.blob([0, 1])]) == [1])
    #expect(try await ids("group.code IS ?", [.null]) == [4])
  }

  @Test(arguments: [
    ("deep > 1", "Quake has no attribute or relationship 'deep'"),
    ("dept > 1", "Quake has no attribute or relationship 'dept'; did you mean 'depth'?"),
    ("group.cody = 1", "Group has no attribute or relationship 'cody'; did you mean 'code'?"),
    ("rowid = 1", "Quake has no attribute or relationship 'rowid'"),
    ("\"magnitide\" > 1", "Quake has no attribute or relationship 'magnitide'; did you mean 'magnitude'?"),
    ("Quake.depth > 1", "Quake has no attribute or relationship 'Quake'"),
    ("lat > 1", "'lat' of Quake is transient, and not stored"),
    ("previous.LAT > 1", "'lat' of Quake is transient, and not stored"),
    ("group.quakes > 1", "'quakes' of Group is to-many; a fetch follows to-one relationships only"),
    ("depth.x = 1", "'depth' of Quake is an attribute, not a relationship"),
    ("group_id.size = 1", "'group_id' of Quake is an attribute, not a relationship"),
    ("", "the predicate is empty"), (" -- nothing", "the predicate is empty"),
    ("id = 'x", "the predicate ends within a text"), ("id = x'00", "the predicate ends within a text"),
    ("\"id", "the predicate ends within a name"), ("[id = 1", "the predicate ends within a name"),
    ("1 /* and", "the predicate ends within a comment"),
    ("(depth > 1", "the predicate ends within a parenthesis"),
    ("depth >", "the predicate ends where a value is expected"),
    ("NOT", "the predicate ends where a value is expected"),
    ("1) OR (1", "the predicate has a ) without its ("),
    ("1 --\n) OR (1", "the predicate has a ) without its ("),
    ("depth > 1; DELETE FROM Quake", "the predicate contains the character ';', which is not part of SQL"),
    ("depth # 1", "the predicate contains the character '#', which is not part of SQL"),
    ("depth = :d", "the predicate contains the parameter ':d'; write ? for a value"),
    ("depth = @d1", "the predicate contains the parameter '@d1'; write ? for a value"),
    ("depth IN Country", "the predicate has IN without a list; write IN (1, 2, 3)"),
    ("depth > ?", "the predicate has 1 parameter, and 0 values were given"),
    ("depth > ?3", "the predicate has 3 parameters, and 0 values were given"),
    ("depth 1", "the predicate is not a valid expression over Quake (near \"1\": syntax error)"),
    ("foo(depth)", "the predicate is not a valid expression over Quake (no such function: foo)"),
    (
      "count(*) > 1",
      "the predicate is not a valid expression over Quake (misuse of aggregate function count())"
    ),
    (
      "sum(depth) OVER () > 1",
      "the predicate is not a valid expression over Quake (misuse of window function sum())"
    ),
    ("depth LIMIT 1", "the predicate is not a valid expression over Quake (near \"LIMIT\": syntax error)"),
    ("1 UNION SELECT 1", "the predicate is not a valid expression over Quake (near \"UNION\": syntax error)"),
    ("abs(depth - 10 - 9223372036854775807 - 1)", "the predicate fails (integer overflow)"),
    ("id MATCH 'x'", "the predicate fails (unable to use function MATCH in the requested context)"),
  ])
  func `what a predicate is told`(predicate: String, sentence: String) async throws {
    let error = await #expect(throws: StoreError.self) { try await ids(predicate) }
    #expect(error?.message == "\(temporary.path): \(sentence)")
    #expect(error?.code == .badRequest)
  }

  @Test func `hints say what there is`() async throws {
    let unknown = await #expect(throws: StoreError.self) { try await ids("deep") }
    #expect(unknown?.hint == "It has id, magnitude, depth, order, end, cost, felt, raw, group, previous.")
    let wrong = await #expect(throws: StoreError.self) { try await ids("depth 1") }
    #expect(
      wrong?.hint
        == "Write one SQL expression over the entity's attributes and to-one paths, such as magnitude > 5.")
  }

  static let hostile = [
    "(SELECT count(*) FROM Country) > 0", "EXISTS (SELECT 1)", "exists(values (1))", "depth IN (SELECT 1)",
    "depth IN Country", "depth IN \"Country\"", "depth IN main.Country", "depth IN json_each('[10]')",
    "depth IN (VALUES (10))", "depth = (WITH x(y) AS (SELECT 10) SELECT y FROM x)", "(VALUES (1))",
    "depth IN bolide_change", "bolide_store.id = 1", "sqlite_schema.name = 'x'", "Country.name = 'x'",
    "(SELECT id FROM bolide_store) > ''", "(SELECT sql FROM sqlite_schema LIMIT 1) > ''",
    "pragma_table_info('Quake')",
    "1; DELETE FROM Quake", "1); DELETE FROM Quake; --", "1)) ; ATTACH 'x.sqlite' AS x; --", "1 /*",
    "load_extension('x')", "fts3_tokenizer('simple')", "sqlite_log(1, 'x')", "writefile('x', 'y')",
    "readfile('/etc/passwd')",
    "1 ORDER BY 1", "1 GROUP BY depth", "1 RETURNING *", "raise(ABORT, 'x')", "\"bolide_0\".\"depth\" = 1",
    "bolide_0.depth = 1",
    "temp.x = 1", "main.Quake.depth = 1", "random() OVER ()", "id = 'x\0' OR 1", "\0", "1 AND \u{1}",
  ]

  @Test(arguments: hostile)
  func `nothing but the rows can be reached`(predicate: String) async throws {
    let before = try temporary.shell("SELECT * FROM Quake; SELECT count(*) FROM sqlite_schema")
    for request in [
      ObjectQuery("Quake", where: .init(text: predicate)),
      ObjectQuery("Quake", where: .init(text: "(\(predicate))")),
      ObjectQuery("Quake", where: .init(text: "1 OR \(predicate)")),
    ] {
      let error = await #expect(throws: StoreError.self) { try await store.face.fetch(request) }
      #expect(error?.code == .badRequest, "\(error?.message ?? "")")
      await #expect(throws: StoreError.self) { try await store.face.count(request) }
    }
    #expect(try temporary.shell("SELECT * FROM Quake; SELECT count(*) FROM sqlite_schema") == before)
  }

  /// The guard by itself, where the words are not read before.
  @Test(arguments: [
    "SELECT (SELECT 1) FROM Quake", "SELECT 1 FROM Quake WHERE 1 IN Country", "SELECT name FROM Country",
    "SELECT 1 FROM Quake WHERE depth IN (VALUES (1))", "SELECT * FROM sqlite_schema",
    "SELECT id FROM bolide_store",
    "DELETE FROM Quake", "ATTACH 'x' AS x", "PRAGMA user_version = 1", "CREATE TEMP TABLE x(y)",
    "DROP TABLE Quake",
    "SELECT 1 FROM Quake; DELETE FROM Quake", "SELECT load_extension('x') FROM Quake", "BEGIN", "VACUUM",
    "SELECT 1 UNION SELECT 2", "WITH x AS (SELECT 1) SELECT depth FROM Quake, x",
    "SELECT * FROM json_each('[]')",
    "INSERT INTO Quake(id) SELECT id FROM Quake",
  ])
  func `the guard lets a query of the rows pass and nothing else`(sql: String) throws {
    #expect(throws: StoreError.self) {
      try store.reading { try FetchGuard.check($0, sql, reading: ["Quake"], for: "Quake") }
    }
  }

  @Test func `the guard says what it has seen`() throws {
    func message(_ sql: String) throws -> String? {
      do {
        try store.reading { try FetchGuard.check($0, sql, reading: ["Quake"], for: "Quake") }
        return nil
      } catch let error as StoreError {
        return error.message
      }
    }
    let beyond = "\(temporary.path): the predicate refers to more than Quake and its to-one paths"
    #expect(try message("SELECT abs(depth) FROM main.Quake AS x WHERE x.id LIKE 'a%'") == nil)
    #expect(
      try message("SELECT 1 FROM Quake WHERE (SELECT 1)")
        == "\(temporary.path): the predicate refers to more than Quake and its to-one paths (a subquery)")
    #expect(try message("SELECT name FROM Country") == "\(beyond) (the table Country)")
    #expect(try message("SELECT load_extension('x') FROM Quake") == "\(beyond) (the function load_extension)")
    #expect(try message("DELETE FROM Quake") == "\(beyond) (a statement that is no query)")
    #expect(try message("SELECT 1 FROM Quake; SELECT 2") == "\(beyond) (a second statement)")
  }
}
