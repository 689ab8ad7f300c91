import GRDB
import GRDBSQLite
import ImportModel
@testable import SQLiteAccess
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Texts that stand inside statements are read back by SQLite as they were.
@Suite struct SQLTextTests {
  private let queue: DatabaseQueue

  init() throws { queue = try DatabaseQueue() }

  /// Some of these form one Character with a quote beside them, which then is not equal to a quote.
  @Test func `Every scalar beside quotes is read back, in a text and in a name`() throws {
    var count = 0
    try queue.inDatabase { db in
      var texts: [String] = []
      for value in UInt32(1)...0x10ffff {
        guard let scalar = Unicode.Scalar(value) else { continue }
        texts.append("\(scalar)'\"\(scalar)\"'")
        if texts.count == 1000 {
          try expectSame(texts, db)
          count += texts.count
          texts.removeAll(keepingCapacity: true)
        }
      }
      try expectSame(texts, db)
      count += texts.count
    }
    #expect(count == 1_112_063)
  }

  @Test func `Any mixture of quotes, backslashes and joining characters is read back`() throws {
    var random = SystemRandomNumberGenerator()
    // Prepend, combining, joiner, variation and flag characters, ends of lines, and what SQL gives a meaning to.
    let parts: [Unicode.Scalar] = [
      "'", "\"", "\\", "`", "[", "]", ";", "-", "/", "*", "a", " ", "\r", "\n", "\u{600}", "\u{d4e}",
      "\u{301}", "\u{20e3}",
      "\u{fe0f}", "\u{200d}", "\u{1f1e6}", "\u{feff}", "\u{e000}", "\u{10ffff}",
    ]
    try queue.inDatabase { db in
      for _ in 0..<60 {
        let texts = (0..<500).map { _ in
          var text = String.UnicodeScalarView()
          for _ in 0..<Int.random(in: 1...8, using: &random) {
            text.append(parts[Int.random(in: 0..<parts.count, using: &random)])
          }
          return String(text)
        }
        try expectSame(texts, db)
      }
    }
  }

  @Test func `Values are written as they are bound`() throws {
    let values: [(Value, String)] = [
      (.null, "null"), (.integer(.min + 1), "integer"), (.integer(5), "integer"), (.real(-0.5), "real"),
      (.real(.leastNonzeroMagnitude), "real"), (.real(.infinity), "real"), (.real(-.infinity), "real"),
      (.text("a\0b"), "text"), (.text("it's"), "text"), (.blob([0, 255, 39]), "blob"),
    ]
    try queue.inDatabase { (db: Database) throws in
      for (value, type) in values {
        #expect(try db.value("SELECT \(value.sql)") == value)
        #expect(try db.value("SELECT typeof(\(value.sql))") == .text(type))
      }
      #expect(Value.real(.nan).sql == "NULL")
    }
  }

  @Test func `A statement that goes on with another is rejected, and nothing of it runs`() throws {
    try queue.inDatabase { (db: Database) throws in
      #expect(throws: StoreError.self) { try db.run("CREATE TABLE a(b); CREATE TABLE c(d)") }
      #expect(try db.integer("SELECT count(*) FROM sqlite_schema") == 0)
    }
  }

  /// Compares bytes: two texts that look the same are not equal to SQLite.
  private func expectSame(_ texts: [String], _ db: Database) throws {
    guard !texts.isEmpty else { return }
    let columns = texts.map { "\(literal($0)) AS \(quoted($0))" }
    let statement = try RawStatement(db, "SELECT \(columns.joined(separator: ", "))")
    defer { statement.reset() }
    #expect(try statement.step())
    for (index, text) in texts.enumerated() {
      let isText = statement.bytes(Int32(index)).elementsEqual(text.utf8)
      let name = sqlite3_column_name(statement.pointer, Int32(index)).map { String(cString: $0) }
      guard isText, name?.utf8.elementsEqual(text.utf8) == true else {
        Issue.record("\(text.unicodeScalars.map { String($0.value, radix: 16) })")
        return
      }
    }
  }
}
