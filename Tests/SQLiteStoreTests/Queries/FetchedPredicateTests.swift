import Bolide
import Foundation
import ImportModel
@testable import RowExpressions
import SQLiteQueries
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// What the predicates of fetched properties cannot say: rejected when the pipeline is read, and where the other store's
/// model is needed, when they are asked.
/// One at a time: tests that wait would hold hundreds of stores open, and beside so many files no process can be started.
@Suite(.serialized) struct FetchedPredicateTests {
  @Test(
    arguments: [
      ("", "the predicate is empty"),
      (
        "recipe = $FETCH_SOURCE.slugg",
        "Recipe has no attribute or relationship 'slugg'; did you mean 'slug'?"
      ),
      (
        "recipe = $FETCH_SOURCE.author.nam",
        "Author has no attribute or relationship 'nam'; did you mean 'name'?"
      ),
      ("$FETCH_SOURCE.slug.x = 1", "'slug' of Recipe is an attribute, not a relationship"),
      (
        "$FETCH_SOURCE.comments = 1",
        "'comments' of Recipe is a fetched property, which cannot be part of a path, a predicate or a sort key"
      ),
      (
        "recipe = $FETCH_SURCE.slug",
        "the predicate contains '$FETCH_SURCE'; supported are $FETCH_SOURCE and $FETCHED_PROPERTY"
      ),
      (
        "recipe = $fetch_source.slug",
        "the predicate contains '$fetch_source'; supported are $FETCH_SOURCE and $FETCHED_PROPERTY"
      ),
      (
        "recipe = $FETCH_SOURCE.slug AND stars > $FETCHED_PROPERTY",
        "$FETCHED_PROPERTY needs the name of a value of 'info', as in $FETCHED_PROPERTY.name"
      ),
      ("stars > $FETCHED_PROPERTY.mn", "the 'info' of 'comments' has no 'mn'; did you mean 'min'?"),
      ("stars > $FETCHED_PROPERTY.other", "the 'info' of 'comments' has no 'other'"),
      (
        "recipe = ?",
        "the predicate of a fetched property cannot use '?'; name the value in 'info', as in $FETCHED_PROPERTY.name"
      ),
      ("recipe = :slug", "the predicate contains the parameter ':slug'; write ? for a value"),
      ("recipe = @slug", "the predicate contains the parameter '@slug'; write ? for a value"),
      (
        "recip = $FETCH_SOURCE.slug",
        "Comment has no attribute or relationship 'recip'; did you mean 'recipe'?"
      ),
      (
        "recipe IN (SELECT $FETCH_SOURCE.slug)",
        "the predicate contains a subquery at 'SELECT'; use any(…), all(…), none(…) or count(…) for related objects"
      ),
      (
        "EXISTS (SELECT 1 FROM Recipe WHERE slug = $FETCH_SOURCE.slug)",
        "the predicate contains a subquery at 'EXISTS'; use any(…), all(…), none(…) or count(…) for related objects"
      ),
      ("$FETCH_SOURCE.slug IN Comment", "the predicate has IN without a list; write IN (1, 2, 3)"),
      (
        "recipe = $FETCH_SOURCE.slug; ATTACH 'x' AS y",
        "the predicate contains the character ';', which is not part of SQL"
      ),
      ("recipe = $FETCH_SOURCE.slug) OR (1", "the predicate has a ) without its ("),
      ("(recipe = $FETCH_SOURCE.slug", "the predicate ends within a parenthesis"),
      ("recipe = $FETCH_SOURCE.slug /*", "the predicate ends within a comment"),
      ("recipe = $FETCH_SOURCE.slug AND", "the predicate ends where a value is expected"),
      (
        "load_extension($FETCH_SOURCE.slug)",
        "the predicate refers to more than Comment and its to-one paths (the function load_extension)"
      ),
      (
        "recipe $FETCH_SOURCE.slug",
        #"the predicate is not a valid expression over Comment (near "$FETCH_SOURCE": syntax error)"#
      ),
      (
        "recipe = $FETCH_SOURCE.slug UNION SELECT 1",
        #"the predicate is not a valid expression over Comment (near "UNION": syntax error)"#
      ),
      (
        "recipe = $FETCH_SOURCE.slug ORDER BY 1",
        #"the predicate is not a valid expression over Comment (near "ORDER": syntax error)"#
      ),
      (
        "sum(stars) > $FETCH_SOURCE.minutes",
        "the predicate is not a valid expression over Comment (misuse of aggregate function sum())"
      ),
      ("sqlite_schema.sql = $FETCH_SOURCE.slug", "Comment has no attribute or relationship 'sqlite_schema'"),
      (
        "bolide_owner.bolide_s0 = $FETCH_SOURCE.slug",
        "Comment has no attribute or relationship 'bolide_owner'"
      ),
      ("main.Recipe.slug = $FETCH_SOURCE.slug", "Comment has no attribute or relationship 'main'"),
      ("pragma_table_list.name = 1", "Comment has no attribute or relationship 'pragma_table_list'"),
    ])
  func `a predicate that reaches out or says nothing`(predicate: String, sentence: String) async throws {
    let property = FetchedProperty.comments(predicate, info: ["min": .integer(1)])
    let problems = Kitchen.recipes([property]).fetchedProblems()
    #expect(problems.map(\.message) == [sentence])
    let (temporary, other) = (try TemporaryStore(), try TemporaryStore())
    #expect(throws: PipelineError.self) {
      try StoreAddress(temporary.path).open(for: Kitchen.recipes([property]), lockWait: 0)
    }
    // As another program could have changed it.
    let store = try Kitchen.store(temporary, [.comments("recipe = 'WHAT'", info: ["min": .integer(1)])])
    let text = predicate.replacing("'", with: "''")
    try temporary.shell("UPDATE bolide_model SET model = replace(model, 'recipe = ''WHAT''', '\(text)')")
    var request = ObjectQuery("Recipe")
    request.related = ["comments"]
    let there = await #expect(throws: StoreError.self) { try await store.face.fetch(request) }
    #expect(there?.message == "\(temporary.path): Recipe.comments: \(sentence)")
    _ = try other.open(Kitchen.comments)
    try other.shell(Kitchen.commentRows)
    try temporary.shell(
      "UPDATE bolide_model SET model = replace(model, '\"sort\":[]', '\"sort\":[],\"store\":\"\(other.path)\"')"
    )
    for change in [\ObjectQuery.related, nil] {
      var request = ObjectQuery("Recipe")
      if let change { request[keyPath: change] = ["comments"] } else { request.dangling = "comments" }
      // It is in another folder.
      request.stores = [other.path: other.path]
      let error = await #expect(throws: StoreError.self) { try await store.face.fetch(request) }
      #expect(error?.message == "\(temporary.path): Recipe.comments: \(sentence)")
    }
  }

  @Test func `orders are checked too, and all of it at once`() {
    var property = FetchedProperty.comments("recip = 1", sort: ["star", "-by.nam", "by"])
    #expect(
      Kitchen.recipes([property]).fetchedProblems().map(\.message) == [
        "Comment has no attribute or relationship 'recip'; did you mean 'recipe'?",
        "Comment has no attribute or relationship 'star'; did you mean 'stars'?",
        "Person has no attribute or relationship 'nam'; did you mean 'name'?",
      ])
    // Of another store's entity, only what is asked of the owner.
    (property.store, property.predicate) = ("x.sqlite", "recip = $FETCH_SOURCE.slog")
    #expect(
      Kitchen.recipes([property]).fetchedProblems().map(\.message) == [
        "Recipe has no attribute or relationship 'slog'; did you mean 'slug'?"
      ])
  }
}
