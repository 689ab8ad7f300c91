import Foundation
import ImportModel
import SQLiteQueries
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Fetched properties that lead into another store's file: how it is found, and what can be wrong with it.
/// One at a time: tests that wait would hold hundreds of stores open, and beside so many files no process can be started.
@Suite(.serialized) struct FetchedStoreTests {
  private let temporary: TemporaryStore
  private let folder: URL

  init() throws {
    temporary = try TemporaryStore()
    folder = temporary.folder
  }

  private func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

  /// A store of comments at a path.
  @discardableResult
  private func comments(at name: String) throws -> SQLiteEngine {
    let store = try SQLiteEngine(blocking: path(name), for: Kitchen.comments, lockWait: 5)
    try store.execute(Kitchen.commentRows)
    return store
  }

  private func recipes(at name: String = "store.sqlite", store other: String) throws -> SQLiteEngine {
    let store = try SQLiteEngine(
      blocking: path(name), for: Kitchen.recipes([.comments(sort: ["number"], store: other)]), lockWait: 5)
    try store.execute(Kitchen.recipeRows)
    return store
  }

  private func found(_ store: SQLiteEngine, _ stores: [String: String] = [:]) throws -> [Int64] {
    var request = ObjectQuery("Recipe", where: "slug = 'soup'")
    (request.related, request.stores) = (["comments"], stores)
    var found: [Int64] = []
    try store.readRows(request, at: nil) { found += $0.fetched.flatMap(\.rows).map(\.id) }
    return found
  }

  @Test(
    arguments: [
      "other.sqlite", "b/other.sqlite", "./b/../other.sqlite", "a b?mode=rwc&x#y%41.sqlite",
      "it's; \"x\".sqlite",
      "ünï—✓.sqlite", "file:x.sqlite", "-.sqlite", "a\nb.sqlite",
    ])
  func `a relative path begins where the store is`(name: String) throws {
    try FileManager.default.createDirectory(
      at: folder.appending(path: "b"), withIntermediateDirectories: true)
    // The path of the other's own file says nothing to SQLite but itself.
    try comments(at: "made.sqlite").execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try FileManager.default.moveItem(atPath: path("made.sqlite"), toPath: path(name))
    let store = try recipes(store: name)
    #expect(try found(store) == [1, 2, 5])
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      !$0.contains("bolide")
    }
    #expect(
      Set(files).subtracting([
        "store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "b", "other.sqlite", "other.sqlite-wal",
        "other.sqlite-shm", name, "\(name)-wal", "\(name)-shm",
      ]) == [])
    #expect(try found(store, [name: path(name)]) == [1, 2, 5])
  }

  @Test func `both files can move, and another can take the place of one`() throws {
    try comments(at: "other.sqlite")
    _ = try recipes(store: "other.sqlite")
    let moved = folder.appending(path: "moved")
    try FileManager.default.createDirectory(at: moved, withIntermediateDirectories: true)
    for name in ["store.sqlite", "other.sqlite"] {
      try FileManager.default.moveItem(at: folder.appending(path: name), to: moved.appending(path: name))
    }
    #expect(try found(SQLiteEngine(reading: path("moved/store.sqlite"))) == [1, 2, 5])
    // The folder of the file counts, not that of a link to it.
    try FileManager.default.createSymbolicLink(
      atPath: path("link.sqlite"), withDestinationPath: path("moved/store.sqlite"))
    #expect(try found(SQLiteEngine(reading: path("link.sqlite"))) == [1, 2, 5])
    let store = try SQLiteEngine(reading: path("moved/store.sqlite"))
    try comments(at: "third.sqlite").execute("DELETE FROM Comment WHERE number = 10")
    #expect(try found(store, ["other.sqlite": path("third.sqlite")]) == [2, 5])
    let error = try #require(throws: StoreError.self) { _ = try found(store, ["othr.sqlite": "x"]) }
    #expect(
      error.message
        == "\(store.path): no fetched property of Recipe refers to a store 'othr.sqlite'; did you mean 'other.sqlite'?"
    )
  }

  @Test func `a store is also called by the last part of its path`() throws {
    try comments(at: "third.sqlite")
    let store = try recipes(store: "../elsewhere/other.sqlite")
    #expect(try found(store, ["other.sqlite": path("third.sqlite")]) == [1, 2, 5])
    #expect(try found(store, ["../elsewhere/other.sqlite": path("third.sqlite")]) == [1, 2, 5])
  }

  @Test func `another store that cannot be read is said in one sentence, and nothing is made`() throws {
    let store = try recipes(store: "other.sqlite")
    func error() throws -> StoreError { try #require(throws: StoreError.self) { _ = try found(store) } }
    let none = try error()
    #expect(none.code == .cannotOpen)
    #expect(
      none.message
        == "\(path("other.sqlite")): no such store, and fetched properties of Recipe refer to it"
    )
    #expect(none.hint == "Import into it first, or set its path.")
    #expect(!FileManager.default.fileExists(atPath: path("other.sqlite")))

    try Data("no database, and long enough to be looked at by SQLite as one".utf8)
      .write(to: folder.appending(path: "other.sqlite"))
    let text = try error()
    #expect(text.code == .notAStore)
    #expect(text.message == "\(path("other.sqlite")): the file is not an SQLite database")

    try FileManager.default.removeItem(atPath: path("other.sqlite"))
    let made = try comments(at: "other.sqlite")
    #expect(try found(store) == [1, 2, 5])
    try made.execute("PRAGMA user_version = 99")
    #expect(try error().code == .newerFormat)
    #expect(
      try error().message == "\(path("other.sqlite")): the store was written by a newer version of Bolide")
    try made.execute("PRAGMA application_id = 5; PRAGMA user_version = 2")
    #expect(
      try error().message
        == "\(path("other.sqlite")): the file is an SQLite database, but not a Bolide store")
  }

  @Test func `a store may lead to itself`() throws {
    var pipeline = Kitchen.recipes()
    pipeline.model.entities[0].fetchedProperties = [.comments(sort: ["number"], store: "./store.sqlite")]
    let store = try SQLiteEngine(blocking: path("store.sqlite"), for: pipeline, lockWait: 5)
    try store.execute(Kitchen.recipeRows + Kitchen.commentRows)
    #expect(try found(store) == [1, 2, 5])
    #expect(try found(store, ["store.sqlite": temporary.path]) == [1, 2, 5])
  }

  @Test func `what the other model does not have is said when it is asked`() throws {
    let model = Kitchen.comments
    var other = model
    other.model.entities[0].name = "Remark"
    other.entity = "Remark"
    _ = try SQLiteEngine(blocking: path("other.sqlite"), for: other, lockWait: 5)
    let store = try recipes(store: "other.sqlite")
    var error = try #require(throws: StoreError.self) { _ = try found(store) }
    #expect(error.message == "\(store.path): Recipe.comments: the store has no entity 'Comment'")
    #expect(error.hint == "It has Remark, Person.")
    try FileManager.default.removeItem(atPath: path("other.sqlite"))
    other = model
    other.model.entities[0].attributes[1].name = "dish"
    other.fields[1].attribute = "dish"
    _ = try SQLiteEngine(blocking: path("other.sqlite"), for: other, lockWait: 5)
    error = try #require(throws: StoreError.self) { _ = try found(store) }
    #expect(
      error.message == "\(store.path): Recipe.comments: Comment has no attribute or relationship 'recipe'")
  }

  @Test func `the other store is only read, also when something in it is left to be computed`() throws {
    var pipeline = Kitchen.comments
    pipeline.model.entities[0].attributes.append(
      Attribute(name: "reader", type: .string, derivation: .folded(.canonical, path: ["by", "name"])))
    let other = try SQLiteEngine(blocking: path("other.sqlite"), for: pipeline, lockWait: 5)
    try other.execute(Kitchen.commentRows)
    let store = try recipes(store: "other.sqlite")
    try other.execute("UPDATE Person SET name = 'Zoë' WHERE name = 'z'")
    var request = ObjectQuery("Recipe", where: "slug = 'soup'")
    request.related = ["comments"]
    var readers: [Value?] = []
    try store.readRows(request, at: nil) { row in
      readers += row.fetched[0].rows.map { $0.values.last { $0.name == "reader" }?.value }
    }
    #expect(readers == [.null, .null, .null])
    // Whoever asks that store itself has it computed.
    _ = try other.assignPendingChanges()
    readers = []
    try store.readRows(request, at: nil) { row in
      readers += row.fetched[0].rows.map { $0.values.last { $0.name == "reader" }?.value }
    }
    #expect(readers == [.text("x"), .text("zoe"), .text("x")])
  }

  @Test func `a pipeline's path to another store becomes one from the store`() {
    let root = folder.resolvingSymlinksInPath().path(percentEncoded: false)
    for (name, folder, store, expected) in [
      ("comments.sqlite", "pipelines", "pipelines/recipes.sqlite", "comments.sqlite"),
      ("../comments.sqlite", "pipelines", "recipes.sqlite", "comments.sqlite"),
      ("../comments.sqlite", "pipelines", "pipelines/../recipes.sqlite", "comments.sqlite"),
      ("comments.sqlite", "pipelines", "recipes.sqlite", "pipelines/comments.sqlite"),
      ("comments.sqlite", "pipelines", "data/recipes.sqlite", "../pipelines/comments.sqlite"),
      ("comments.sqlite", ".", "data/recipes.sqlite", "../comments.sqlite"),
      ("/x/comments.sqlite", "pipelines", "recipes.sqlite", "/x/comments.sqlite"),
      ("b.sqlite", "\(root)/p", "\(root)/s/a.sqlite", "../p/b.sqlite"),
      ("../../b.sqlite", "\(root)/p/q", "\(root)/a.sqlite", "b.sqlite"),
      ("b.sqlite", "/", "/a.sqlite", "b.sqlite"),
    ] {
      #expect(StoreLocation.name(name, in: folder, for: store) == expected)
    }
    #expect(StoreLocation.path("b.sqlite", beside: "a.sqlite") == "b.sqlite")
    #expect(StoreLocation.path("../b.sqlite", beside: "x/a.sqlite") == "x/../b.sqlite")
    #expect(StoreLocation.path("b.sqlite", beside: "/a.sqlite") == "/b.sqlite")
  }
}
