import ImportModel
import ModelMerging
import SQLiteMaintenance
import SQLiteQueries
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Fetched properties as parts of a store's model: added, changed, kept and dropped, and no table is touched.
struct FetchedMigrationTests {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  private func plan(_ pipeline: Pipeline, dropping: [String] = []) throws -> [String] {
    try SQLiteEngine(reading: temporary.path).migrationPlan(for: pipeline, dropping: dropping).map(
      \.description)
  }

  private func properties() throws -> [FetchedProperty] {
    try SQLiteEngine(reading: temporary.path).reading {
      try ModelRecord($0).model.entity(named: "Recipe")?.fetchedProperties ?? []
    }
  }

  /// The tables and the rows that are the user's.
  private func tables() throws -> String {
    try temporary.shell(
      "SELECT name, sql FROM sqlite_schema WHERE type <> 'trigger' ORDER BY 1; SELECT * FROM Recipe")
  }

  @Test func `a plan says it in words, and the next import does it`() throws {
    _ = try Kitchen.store(temporary, [])
    let before = try tables()
    let own = Kitchen.recipes([.comments()])
    #expect(try plan(own) == ["add Recipe.comments, fetched from Comment"])
    let there = FetchedProperty.comments(name: "there", store: "x.sqlite")
    var both = Kitchen.recipes([.comments()])
    both.model.entities[0].fetchedProperties.append(there)
    #expect(
      try plan(both) == [
        "add Recipe.comments, fetched from Comment", "add Recipe.there, fetched from Comment in x.sqlite",
      ])
    _ = try temporary.open(both)
    #expect(try properties() == [.comments(), there])
    #expect(try plan(both) == [])
    // What a pipeline no longer names stays; what it says otherwise holds.
    let other = FetchedProperty.comments("stars > 1", limit: 3, finds: .one, name: "there")
    let changed = Kitchen.recipes([other])
    #expect(
      try plan(changed) == [
        "change the fetched property Recipe.there",
        "keep Recipe.comments, which the pipeline does not name",
      ])
    _ = try temporary.open(changed)
    #expect(try properties() == [.comments(), other])
    #expect(try plan(changed, dropping: ["Recipe.comments"]).first == "drop Recipe.comments")
    let refusal = #expect(throws: StoreError.self) { try plan(changed, dropping: ["Recipe.there"]) }
    #expect(refusal?.message.hasSuffix("Recipe.there cannot be dropped: the pipeline names it") == true)
    let steps = try SQLiteEngine(reading: temporary.path).migrate(changed, dropping: ["Recipe.comments"])
    #expect(steps.map(\.description) == ["drop Recipe.comments"])
    #expect(try properties() == [other])
    #expect(try tables() == before)
  }

  @Test func `a property that stays keeps what it names`() throws {
    _ = try Kitchen.store(temporary, [.comments(sort: ["by.age"])])
    let plain = Kitchen.recipes()
    func without(_ change: (inout Pipeline) -> Void) -> Pipeline {
      var pipeline = plain
      change(&pipeline)
      return pipeline
    }
    let noRecipe = without { $0.model.entities[2].attributes.removeAll { $0.name == "recipe" } }
    let error = #expect(throws: StoreError.self) {
      try SQLiteEngine(reading: temporary.path).migrate(noRecipe, dropping: ["Comment.recipe"])
    }
    #expect(error?.code == .modelChange)
    #expect(
      error?.message
        == "\(temporary.path): Recipe.comments, which the pipeline does not declare, could no longer be "
        + "fetched: Comment has no attribute or relationship 'recipe'")
    #expect(error?.hint == "Declare it in the pipeline, or drop it.")
    #expect(
      try plan(noRecipe, dropping: ["Comment.recipe"]).contains {
        $0.hasSuffix("'recipe'")
      })
    let steps = try SQLiteEngine(reading: temporary.path).migrate(
      noRecipe, dropping: ["Comment.recipe", "Recipe.comments"])
    #expect(steps.map(\.description) == ["drop Comment.recipe", "drop Recipe.comments"])
  }

  @Test func `neither a rename nor the loss of the entity passes by unseen`() throws {
    _ = try Kitchen.store(temporary, [.comments(sort: ["stars"])])
    var renamed = Kitchen.recipes()
    renamed.model.entities[2].attributes[2].name = "points"
    renamed.renames = [Rename("Comment", "points", was: "stars")]
    let error = #expect(throws: StoreError.self) { _ = try temporary.open(renamed) }
    #expect(
      error?.message.hasSuffix(
        "Recipe.comments, which the pipeline does not declare, could no longer be fetched: Comment "
          + "has no attribute or relationship 'stars'") == true)
    renamed.model.entities[0].fetchedProperties = [.comments(sort: ["points"])]
    _ = try temporary.open(renamed)
    var less = Kitchen.recipes()
    less.model.entities.removeAll { $0.name == "Comment" }
    let gone = #expect(throws: StoreError.self) {
      try SQLiteEngine(reading: temporary.path).migrate(less, dropping: ["Comment"])
    }
    #expect(gone?.message.hasSuffix("could no longer be fetched: the store has no entity 'Comment'") == true)
  }

  @Test func `an entity that has another name is found under it`() throws {
    let store = try Kitchen.store(temporary, [.comments()])
    var renamed = Kitchen.recipes()
    renamed.model.entities[2].name = "Remark"
    renamed.renames = [Rename("Remark", was: "Comment")]
    _ = try temporary.open(renamed)
    #expect(try properties().map(\.destination) == ["Remark"])
    var request = ObjectQuery("Recipe")
    request.related = ["comments"]
    var found = 0
    try store.readRows(request, at: nil) { found += $0.fetched[0].rows.count }
    #expect(found == 4)
  }

  @Test func `a name is an attribute's or a fetched property's, whichever pipeline says so`() throws {
    _ = try Kitchen.store(temporary, [.comments()])
    func message(_ change: (inout Entity) -> Void) throws -> String {
      var pipeline = Kitchen.recipes()
      change(&pipeline.model.entities[0])
      pipeline.fields = [Field("slug")]
      let error = try #require(throws: StoreError.self) { _ = try temporary.open(pipeline) }
      #expect(error.hint == "Rename the one in the pipeline, or drop the other.")
      return error.message.replacing("\(temporary.path): ", with: "")
    }
    #expect(
      try message { $0.attributes.append(Attribute(name: "Comments", type: .string)) }
        == "Recipe has 'Comments', which conflicts with the fetched property 'comments'")
    #expect(
      try message { $0.fetchedProperties = [.comments(name: "COMMENTS")] }
        == "Recipe has 'comments', which conflicts with the fetched property 'COMMENTS'")
    #expect(
      try message {
        $0.attributes.removeAll { $0.name == "minutes" }
        $0.fetchedProperties = [.comments(name: "minutes")]
      } == "Recipe has 'minutes', which conflicts with the fetched property 'minutes'")
  }
}
