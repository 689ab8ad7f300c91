import Bolide
import Foundation
import ImportModel
import SQLiteQueries
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// What fetched properties find, in one store and across two.
/// One at a time: tests that wait would hold hundreds of stores open, and beside so many files no process can be started.
@Suite(.serialized) struct FetchedPropertyTests {
  private let temporary: TemporaryStore
  private let other: TemporaryStore

  init() throws { (temporary, other) = (try TemporaryStore(), try TemporaryStore()) }

  private func store(_ properties: [FetchedProperty], isElsewhere: Bool = false) throws -> SQLiteEngine {
    isElsewhere
      ? try Kitchen.stores(temporary, other, properties) : try Kitchen.store(temporary, properties)
  }

  /// What is found for each recipe, by its slug.
  private func found(
    _ store: SQLiteEngine, _ name: String = "comments", at token: HistoryToken? = nil
  ) async throws -> [String: [Int64]] {
    var request = ObjectQuery("Recipe")
    request.related = [name]
    var found: [String: [Int64]] = [:]
    for row in try await store.face.fetch(request, at: token) {
      guard case .text(let slug) = row.key.first?.value, let fetched = row.fetched.first else { continue }
      #expect(row.fetched.count == 1 && fetched.name.lowercased() == name.lowercased())
      found[slug] = fetched.rows.map(\.id)
    }
    return found
  }

  @Test(arguments: [false, true])
  func `each object has what belongs to it, in its order and within its limit`(isElsewhere: Bool) async throws
  {
    let store = try store(
      [
        .comments(sort: ["-stars"]), .comments(sort: ["-number"], limit: 2, name: "newest"),
        .comments("by.name = $FETCH_SOURCE.author.name", name: "own"), .comments(nil, name: "all"),
        .comments("stars = $FETCH_SOURCE", name: "numbered"),
        .comments(
          "recipe = $FETCH_SOURCE.slug AND stars >= $FETCHED_PROPERTY.least", info: ["least": .integer(4)],
          name: "good"),
      ], isElsewhere: isElsewhere)
    #expect(try await found(store) == ["soup": [1, 5, 2], "tart": [3], "cake": [], "it's": []])
    #expect(try await found(store, "newest") == ["soup": [5, 2], "tart": [3], "cake": [], "it's": []])
    #expect(
      try await found(store, "OWN") == ["soup": [1, 4, 5], "tart": [], "cake": [], "it's": [1, 4, 5]])
    let all: [Int64] = [1, 2, 3, 4, 5]
    #expect(try await found(store, "all") == ["soup": all, "tart": all, "cake": all, "it's": all])
    #expect(try await found(store, "numbered") == ["soup": [4], "tart": [2], "cake": [], "it's": [3, 5]])
    #expect(try await found(store, "good") == ["soup": [1, 5], "tart": [3], "cake": [], "it's": []])
  }

  @Test(arguments: [false, true])
  func `rows have their values, beside relationships and other properties`(isElsewhere: Bool) async throws {
    let store = try store(
      [
        .comments("recipe = $FETCH_SOURCE.slug AND text = 'thin'", finds: .optional, name: "thin"),
        .comments(),
      ], isElsewhere: isElsewhere)
    var request = ObjectQuery("Recipe", where: "slug = ?", [.text("soup")])
    (request.properties, request.related) = (["minutes"], ["comments", "author", "thin", "COMMENTS"])
    let row = try #require(try await store.face.fetch(request).first)
    #expect(row.values.map(\.name) == ["minutes", "author"])
    #expect(row.related.first?.row?.values.map(\.value) == [.text("x"), .integer(1970)])
    #expect(row.fetched.map(\.name) == ["comments", "thin"])
    #expect(row.fetched[0].rows.map(\.id) == [1, 2, 5])
    let thin = try #require(row.fetched[1].rows.first)
    #expect(
      thin.entity == "Comment" && thin.key.map(\.value) == [.integer(20)] && row.fetched[1].rows.count == 1)
    #expect(thin.values.map(\.name) == ["number", "recipe", "stars", "text", "weight", "by"])
    #expect(
      thin.values.map(\.value) == [
        .integer(20), .text("soup"), .integer(2), .text("thin"), .null, .integer(2),
      ])
  }

  @Test(arguments: [false, true])
  func `what is found is always as it is now`(isElsewhere: Bool) async throws {
    let store = try store([.comments()], isElsewhere: isElsewhere)
    let comments = isElsewhere ? other : temporary
    #expect(try await found(store)["cake"] == [])
    try comments.shell(
      "INSERT INTO Comment(number, recipe) VALUES (60, 'cake'); DELETE FROM Comment WHERE number = 20")
    #expect(try await found(store) == ["soup": [1, 5], "tart": [3], "cake": [6], "it's": []])
    try temporary.shell("UPDATE Recipe SET slug = 'gone' WHERE slug = 'tart'")
    #expect(try await found(store) == ["soup": [1, 5], "gone": [4], "cake": [6], "it's": []])
  }

  @Test(arguments: [false, true])
  func `objects without any are listed, with everything else that a request can say`(isElsewhere: Bool)
    async throws
  {
    let store = try store([.comments(), .comments("stars > 4", name: "any")], isElsewhere: isElsewhere)
    func slugs(_ change: (inout ObjectQuery) -> Void) async throws -> [Value?] {
      var request = ObjectQuery("Recipe")
      request.dangling = "comments"
      change(&request)
      return try await store.face.fetch(request).map(\.key.first?.value)
    }
    #expect(try await slugs { _ in } == ["cake", "it's"])
    #expect(try await slugs { $0.sort = [.init("slug", ascending: false)] } == ["it's", "cake"])
    #expect(try await slugs { ($0.predicate, $0.arguments) = ("minutes < ?", [.integer(10)]) } == ["it's"])
    #expect(try await slugs { ($0.limit, $0.offset) = (1, 1) } == ["it's"])
    #expect(try await slugs { $0.batchSize = 1 } == ["cake", "it's"])
    #expect(try await slugs { $0.dangling = "any" } == [])
    #expect(try await slugs { $0.related = ["comments", "any"] } == ["cake", "it's"])
    var request = ObjectQuery("Recipe", where: "author.born = 1970")
    request.dangling = "COMMENTS"
    #expect(try await store.face.count(request) == 1)
  }

  @Test(arguments: [false, true])
  func `one and optional are held to their word`(isElsewhere: Bool) async throws {
    let store = try store(
      [
        .comments(finds: .optional), .comments(finds: .one, name: "single"),
        .comments(limit: 1, finds: .optional, name: "first"),
        .comments(limit: 1, finds: .one, name: "surely"),
        .comments("number = 10", finds: .one, name: "same"),
      ], isElsewhere: isElsewhere)
    #expect(try await found(store, "first") == ["soup": [1], "tart": [3], "cake": [], "it's": []])
    #expect(try await found(store, "same") == ["soup": [1], "tart": [1], "cake": [1], "it's": [1]])
    func error(_ name: String, _ condition: ObjectQuery.Predicate? = nil) async throws -> StoreError {
      var request = ObjectQuery("Recipe", where: condition)
      request.related = [name]
      return try await #require(throws: StoreError.self) { try await store.face.fetch(request) }
    }
    let several = try await error("comments")
    #expect(several.code == .guarded)
    #expect(
      several.message
        == "\(temporary.path): Recipe.comments has several objects for one Recipe (key: slug), and allows at most one"
    )
    #expect(several.hint == "Allow many, set a limit and sort keys, or correct the rows.")
    #expect(
      try await error("single").message
        == "\(temporary.path): Recipe.single has several objects for one Recipe (key: slug), and allows one"
    )
    let none = try await error("single", "slug = 'cake'")
    #expect(
      none.message
        == "\(temporary.path): Recipe.single has no object for one Recipe (key: slug), and requires one")
    #expect(none.code == .guarded && none.hint == "List such objects.")
    #expect(try await error("surely").message == none.message.replacing("single", with: "surely"))
  }

  @Test func `a past state is answered within one store, and by a pinned view`() async throws {
    let store = try store([.comments()])
    let token = try await store.face.pin().token
    let view = try await store.face.pin()
    try temporary.shell(
      "DELETE FROM Comment WHERE number = 10; UPDATE Comment SET recipe = 'cake' WHERE number = 20; UPDATE Recipe SET slug = 'x' WHERE slug = 'tart'"
    )
    let past = ["soup": [1, 2, 5], "tart": [3], "cake": [], "it's": []] as [String: [Int64]]
    #expect(try await found(store, at: token) == past)
    #expect(try await found(store) == ["soup": [5], "x": [], "cake": [2], "it's": []])
    var request = ObjectQuery("Recipe")
    request.related = ["comments"]
    #expect(try await view.fetch(request).map { $0.fetched[0].rows.map(\.id) } == [[1, 2, 5], [3], [], []])
    request = ObjectQuery("Recipe")
    request.dangling = "comments"
    #expect(try await store.face.fetch(request, at: token).map(\.id) == [3, 4])
    #expect(try await store.face.count(request) == 2)
    #expect(try await store.face.fetch(request).map(\.id) == [2, 4])
    let difference = try await store.difference(of: request, from: token, to: store.face.pin().token)
    #expect(difference.objects.insertions.count == 1 && difference.objects.removals.count == 1)
  }

  @Test func `a past or pinned state has no other store's`() async throws {
    let store = try store([.comments()], isElsewhere: true)
    let message =
      "\(temporary.path): Recipe.comments is fetched from another store; a past or pinned state includes one store only"
    for (related, dangling) in [(["comments"], nil), ([], "comments")] as [([String], String?)] {
      var request = ObjectQuery("Recipe")
      (request.related, request.dangling) = (related, dangling)
      let token = try await store.face.pin().token
      let past = await #expect(throws: StoreError.self) { try await store.face.fetch(request, at: token) }
      let pinned = await #expect(throws: StoreError.self) { try await store.face.pin().fetch(request) }
      // Which objects there are is another question.
      if dangling == nil {
        #expect(try await store.face.count(request, at: token) == 4)
        #expect(try await store.face.difference(of: request, from: token, to: token).objects.isEmpty)
      }
      #expect(past?.message == message && pinned?.message == message && past?.code == .badRequest)
    }
  }

  @Test func `a predicate of the request that changes its mind is noticed`() async throws {
    let store = try store([.comments()])
    try temporary.shell(
      "WITH n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 600) INSERT INTO Recipe(slug) SELECT i FROM n;"
        + "INSERT INTO Comment(number, recipe) SELECT slug, slug FROM Recipe WHERE slug >= '100' AND slug < '700'"
    )
    var request = ObjectQuery("Recipe", where: "random() % 2")
    request.related = ["comments"]
    let error = try await #require(throws: StoreError.self) { try await store.face.fetch(request) }
    #expect(
      error.message
        == "\(temporary.path): Recipe.comments cannot be fetched: the request's predicate is not deterministic"
    )
    #expect(error.hint == "Remove random() and the current time from the predicate.")
  }

  @Test func `an expression that fails for some row says of which property`() async throws {
    let store = try store([.comments("json_extract(text, '$') = $FETCH_SOURCE.slug")])
    let error = try await #require(throws: StoreError.self) { try await found(store) }
    #expect(error.message == "\(temporary.path): Recipe.comments: the predicate fails (malformed JSON)")
  }

  @Test func `other names say what there is`() async throws {
    let store = try store([.comments()])
    func message(_ change: (inout ObjectQuery) -> Void) async throws -> String {
      var request = ObjectQuery("Recipe")
      change(&request)
      let error = try await #require(throws: StoreError.self) { try await store.face.fetch(request) }
      #expect(error.code == .badRequest)
      return error.message.replacing("\(temporary.path): ", with: "") + (error.hint.map { "|\($0)" } ?? "")
    }
    #expect(
      try await message { $0.dangling = "coments" }
        == "Recipe has no fetched property 'coments'; did you mean 'comments'?")
    #expect(
      try await message { $0.dangling = "author" }
        == "Recipe has no fetched property 'author'|It has comments.")
    #expect(
      try await message {
        $0.entity = "Author"; $0.dangling = "x"
      } == "Author has no fetched property 'x'")
    let whole =
      "'comments' of Recipe is a fetched property, which cannot be part of a path, a predicate or a sort key"
    #expect(try await message { $0.predicate = "comments = 1" } == whole)
    #expect(try await message { $0.sort = [.init("comments")] } == whole)
    #expect(try await message { $0.properties = ["comments"] } == whole)
    #expect(try await message { $0.related = ["comments.by"] } == whole)
    #expect(
      try await message { $0.stores = ["x.sqlite": "y"] }
        == "no fetched property of Recipe refers to a store 'x.sqlite'")
  }
}
