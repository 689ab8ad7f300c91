import Bolide
import Foundation
import PostgreSQLAccess
import PostgreSQLStore
import StoreInterface
import Testing

/// An erasure takes on a server what it takes in a file: out of rows, history, past states, logs and rejected records.
struct EraseTests {
  private let pipeline: Pipeline
  let stores: [Store]

  private static let model = """
    bolide: 1
    name: people
    store: people.sqlite
    entity: Person
    key: id
    attributes:
      id:    string
      name:  string
      email: string
      score: double
      pay:   { type: decimal, scale: 2 }
      born:  day
      loud:  { derived: "uppercase:(name)" }
      house: { derived: city.name }
      town:  { type: string, transient: true }
    link:
      city: { to: { name: town } }
    children:
      tags: { entity: Tag, inverse: people, many-to-many: true, key: word, attributes: { word: { type: string, from: . } } }
      addresses:
        entity: Address
        inverse: person
        key: [person, street]
        attributes:
          street: string
          rank:   integer64
          owner:  { derived: person.name }
    relationships:
      passport: { has-one: Passport, inverse: owner }
    entities:
      Passport:
        key: number
        attributes: { number: string, holder: { derived: owner.loud } }
        relationships: { owner: { to-one: Person, inverse: passport } }
      City:
        key: name
        attributes:
          name:       string
          lastBorn:   { derived: people.born.@max }
          best:       { derived: people.score.@max }
          sum:        { derived: people.score.@sum }
          mean:       { derived: people.pay.@average }
          population: { derived: people.@count }
        relationships:
          people:  { to-many: Person, inverse: city, on-delete: nullify }
          country: { to-one: Country, inverse: cities }
      Country:
        key: name
        attributes:
          name:    string
          topBorn: { derived: cities.lastBorn.@max }
        relationships:
          cities: { to-many: City, inverse: country, on-delete: nullify }

    """

  static let entities = ["Person", "Address", "Passport", "City", "Country", "Tag", "Person_tags"]

  /// A person with two addresses, one of which is rejected, and a further record of hers that is.
  private static func feed(_ name: String, _ born: String, _ score: Double, _ rank: String = "\"x\"")
    -> String
  {
    """
    [{"id": "anna", "name": "Alice", "email": "a@x", "born": "1950-01-01", "score": 3, "pay": 1.5, "town": "Rome",
      "tags": ["tall"], "addresses": [{"street": "via A", "rank": 1}]},
     {"id": "key", "name": "\(name)", "email": "\(name)@x", "born": "\(born)", "score": \(score), "pay": \(score), "town": "Rome",
      "tags": ["tall", "old"], "addresses": [{"street": "S1", "rank": 1}, {"street": "S2", "rank": \(rank)}]},
     {"id": "key", "name": "\(name)", "email": 5, "score": "bad"}, {"name": "nobody's", "score": "bad"}]
    """
  }

  init() throws {
    pipeline = try Pipeline(yaml: Self.model, file: "people.yaml", directory: ".")
    stores = try pipeline.bothEngines().map { Store($0) }
  }

  // MARK: What is compared

  /// Does something to both, and expects the same of it.
  @discardableResult
  private func same(
    _ body: (Store) async throws -> String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> String {
    var outcomes: [String] = []
    for store in stores {
      do {
        outcomes.append(try await body(store))
      } catch let error as StoreError {
        outcomes.append("\(error.code): \(plain(error.reason)) \(error.hint ?? "")")
      }
    }
    #expect(outcomes[1] == outcomes[0], sourceLocation: sourceLocation)
    return outcomes[0]
  }

  private func take(_ feed: String) async throws {
    try await same { store in
      let report = try await store.run(pipeline, on: .bytes(feed.utf8))
      return "\(report.progress.counts)"
    }
  }

  private func edit(_ body: (Store) async throws -> EditReport) async throws {
    try await same { text(try await body($0)) }
  }

  @discardableResult
  private func erase(
    _ entity: String, _ object: LoggedObject, isTrial: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> String {
    try await same(
      { store in
        let report = try await store.erase(
          entity, object, options: EditOptions(author: "office", isTrial: isTrial))
        let objects = report.objects.map { "\($0.entity) \($0.objects)" }.joined(separator: ", ")
        return "\(objects); \(report.copies) copies, \(report.rejects) rejects, "
          + "\(report.unclearRejects) unclear; \(text(report.edit))"
      }, sourceLocation: sourceLocation)
  }

  func text(_ report: EditReport) -> String {
    let counts = report.counts.map { "\($0.entity) +\($0.inserted) ~\($0.updated) -\($0.deleted)" }
    return (counts + [report.token == nil ? "no token" : "token"]).joined(separator: ", ")
  }

  private static let traces = ["Secret", "SECRET", "1987-06-05", "1988-07-06", "77.125", "78.25"]

  private func fill() async throws {
    try await take(Self.feed("SecretOne", "1987-06-05", 77.125))
    try await edit { try await $0.insert("Country", ["name": "Italy"]).report }
    try await edit { try await $0.link("City", "country", where: .all, to: ["name": .text("Italy")]) }
    try await edit {
      try await $0.insert("Passport", ["number": "P"], links: ["owner": ["id": "key"]]).report
    }
    try await take(Self.feed("SecretTwo", "1988-07-06", 78.25, "2"))
    try await edit { try await $0.update("Person", where: "id = 'key'", set: ["name": "SecretThree"]) }
    try await edit { try await $0.update("Person", where: "id = 'anna'", set: ["email": "b@x"]) }
  }

  // MARK: Tests

  @Test func `one that is there goes, with what it took along and what was copied of it`() async throws {
    try await fill()
    #expect(try found(Self.traces).count > 5)
    let plan = try await erase("Person", .key(["key"]), isTrial: true)
    try await compare()
    let outcome = try await erase("Person", .key(["key"]))
    #expect(outcome.hasPrefix("Person 1, Address 2; "), "\(outcome)")
    #expect(plan + "x" == outcome.replacing(", token", with: ", no token") + "x")
    #expect(try found(Self.traces) == [])
    try await compare()
    #expect(
      try await erase("Person", .key(["key"]))
        == "badRequest: there is no Person with this key, and history knows of none The object's key is id.")
    #expect(
      try await erase("Person", .id(2))
        == "badRequest: Person 2 was erased at TIME: there is nothing left to erase ")
    #expect(try await erase("Nobody", .id(2)).hasPrefix("badRequest: "))
    try await take(Self.feed("Other", "1999-09-09", 1))
    try await compare()
  }

  @Test func `one that was deleted before goes from history, past states and rejects`() async throws {
    try await fill()
    try await edit { try await $0.update("Person", where: "id = 'key'", set: ["id": "former"]) }
    try await edit { try await $0.delete("Person", where: "id = 'former'") }
    try await edit { try await $0.update("Person", where: "id = 'anna'", set: ["score": 9]) }
    let outcome = try await erase("Person", .key(["key"]))
    #expect(outcome.hasPrefix("Person 1, Address 2; ") && outcome.hasSuffix("; token"), "\(outcome)")
    #expect(try found(Self.traces) == [])
    try await compare()
  }

  @Test func `a child goes alone, an owner's rejects are counted, and several are erased one by one`()
    async throws
  {
    try await fill()
    let child = try await erase("Address", .key(["person=2", "street=S1"]))
    #expect(child.hasPrefix("Address 1; "), "\(child)")
    try await erase("Passport", .key(["P"]))
    try await compare()
    try await erase("City", .key(["Rome"]))
    try await compare()
    try await erase("Person", .key(["key"]))
    #expect(try found(Self.traces) == [])
    try await compare()
  }

  @Test func `an object whose keeper is imported anew, and pruned history, are as in a file`() async throws {
    try await fill()
    try await erase("Person", .key(["key"]))
    try await take(Self.feed("SecretFour", "1988-07-06", 78.25))
    for store in stores { _ = try await store.prune(.keepingTransactions(3)) }
    try await compare()
    try await erase("Person", .key(["key"]))
    #expect(try found(Self.traces) == [])
    try await compare()
  }

  @Test func `copies in dropped attributes go too`() async throws {
    try await fill()
    let drops = [
      ("Person.loud", "  loud:  { derived: \"uppercase:(name)\" }\n"),
      ("Address.owner", "      owner:  { derived: person.name }\n"),
      ("Passport.holder", ", holder: { derived: owner.loud }"),
      ("City.best", "      best:       { derived: people.score.@max }\n"),
    ]
    let less = try Pipeline(
      yaml: drops.reduce(Self.model) { $0.replacing($1.1, with: "") }, file: "people.yaml", directory: ".")
    try await same { store in
      let steps = try store.engine.migrate(less, dropping: drops.map(\.0), lockWait: 10) { _ in }
      return "\(steps)"
    }
    #expect(try found(Self.traces).contains("bolide_change: SECRET"))
    try await erase("Person", .key(["key"]))
    #expect(try found(Self.traces) == [])
  }

  @Test func `a running import is waited for, and so are tables that another program keeps`() async throws {
    try await fill()
    let path = stores[1].engine.path
    let other = try StoreAddress(path).open()
    var lock: AnyObject? = try other.lock(forPipeline: "people", waiting: 0)
    let running = try await #require(throws: StoreError.self) {
      try await stores[1].erase("Person", .key(["key"]), lockWait: .milliseconds(200))
    }
    #expect(running.code == .locked && running.reason.hasPrefix("the pipeline people (process "))
    #expect(try found(["SecretThree"]).contains(#"Person: SecretThree"#))
    async let waiting = stores[1].erase("Person", .key(["anna"]), lockWait: .seconds(20))
    try await Task.sleep(for: .milliseconds(300))
    withExtendedLifetime(lock) {}
    lock = nil
    #expect(try await waiting.objects.map(\.objects) == [1, 1])
    let address = try #require(PostgreSQLAddress(path))
    let program = try PostgreSQLConnection(address)
    try program.runAll(["BEGIN", "LOCK TABLE bolide_reject IN SHARE UPDATE EXCLUSIVE MODE"])
    let hasty = path.replacing("#", with: "&options=-c%20lock_timeout%3D300#")
    let error = try await #require(throws: StoreError.self) {
      try await Store(StoreAddress(hasty).open()).erase("Person", .key(["key"]))
    }
    #expect(
      error.reason
        == "the object is erased from rows and history, but its tables could not be vacuumed: another program holds a lock"
        && error.hint == "Run VACUUM (ANALYZE) on them, or wait for the server's autovacuum."
        && error.code == .busy)
    try program.run("COMMIT")
    let again = try await #require(throws: StoreError.self) { try await stores[1].erase("Person", .id(2)) }
    #expect(again.reason.hasPrefix("Person 2 was erased at "))
  }
}
