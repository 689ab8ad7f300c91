import Bolide
import Foundation
import PostgreSQLAccess
import StoreInterface
import Testing

/// Edits through the calls of Swift do on a server what they do in a file: the same reports, refusals, rows and history.
struct EditTests {
  private let stores: [Store]

  private static let model = """
    bolide: 1
    name: people
    store: people.sqlite
    entity: Person
    key: name
    attributes:
      name:    { type: string, pattern: "[a-z]+" }
      age:     { type: integer16, min: 0, max: 150 }
      role:    { type: string, one-of: [guest, host], default: guest }
      badge:   string
      pay:     { type: decimal, scale: 2 }
      real:    double
      flag:    boolean
      at:      { type: date, precision: ms }
      day:     day
      uid:     uuid
      data:    binary
      note:    json
      plain:   { derived: canonical:(name) }
      house:   { derived: home.street }
      touched: { type: date, derived: now() }
    unique: [[badge]]
    children:
      tags: { entity: Tag, inverse: people, many-to-many: true, key: word, attributes: { word: { type: string, from: . } } }
      pets: { entity: Pet, inverse: owner, key: [owner, call], attributes: { call: string } }
    relationships:
      passport: { has-one: Passport, inverse: owner }
      home:     { to-one: House, inverse: people }
      boss:     { to-one: Person, inverse: staff }
      staff:    { to-many: Person, inverse: boss, on-delete: deny }
    entities:
      Passport:
        key: number
        attributes: { number: string }
        relationships: { owner: { to-one: Person, inverse: passport } }
      House:
        key: [street, number]
        attributes:
          street: string
          number: integer32
          count:  { derived: people.@count }
          oldest: { derived: people.age.@max }
          pay:    { derived: people.pay.@sum }
        relationships: { people: { to-many: Person, inverse: home, on-delete: nullify } }

    """

  init() throws {
    let pipeline = try Pipeline(yaml: Self.model, file: "people.yaml", directory: ".")
    stores = try pipeline.bothEngines().map { Store($0) }
  }

  /// Edits both, and expects the same.
  @discardableResult
  private func same(
    _ body: (Store) async throws -> EditReport, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> String {
    var outcomes: [String] = []
    for store in stores {
      let token = try await store.newestToken()
      var lines: [String] = []
      do {
        let report = try await body(store)
        lines = report.counts.map { "\($0.entity) +\($0.inserted) ~\($0.updated) -\($0.deleted)" }
        lines.append(report.token == nil ? "no token" : "token")
      } catch let error as StoreError {
        lines = ["\(error.code): \(error.reason) \(error.hint ?? "")"]
      }
      var request = HistoryRequest(after: token)
      request.isNet = true
      for transaction in try await store.history(request) {
        lines += transaction.changes.map { change in
          let previous = change.previous.filter { $0.name != "touched" }.map { "\($0.name)=\($0.value)" }
          return "\(change.kind) \(change.entity) \(change.key.map(\.value)) \(previous)"
        }
      }
      for entity in ["Person", "Passport", "House", "Tag", "Pet", "Person_tags"] {
        for row in try await store.fetch(ObjectQuery(entity)) {
          lines.append("\(entity) \(row.values.filter { $0.name != "touched" }.map { "\($0.value)" })")
        }
      }
      #expect(try await store.verify().isEmpty, sourceLocation: sourceLocation)
      outcomes.append(lines.joined(separator: "\n"))
    }
    #expect(outcomes[1] == outcomes[0], sourceLocation: sourceLocation)
    return outcomes[0]
  }

  /// Expects that both refuse it with a sentence, and change nothing.
  private func refused(
    _ start: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (Store) async throws -> EditReport
  ) async throws {
    let outcome = try await same(body, sourceLocation: sourceLocation)
    #expect(outcome.hasPrefix(start), "\(outcome)", sourceLocation: sourceLocation)
  }

  private func fill() async throws {
    try await same { try await $0.insert("House", ["street": "Elm", "number": 1]).report }
    try await same { try await $0.insert("House", ["street": "Oak", "number": 2]).report }
    try await same { try await $0.insert("Passport", ["number": "A1"]).report }
    try await same { store in
      try await store.insert(
        "Person",
        [
          "name": "anna", "badge": "Ä1", "age": 40, "pay": 12.5, "real": 0.1, "flag": true,
          "at": Date(timeIntervalSince1970: 1.5), "day": "2026-02-11",
          "uid": "00000000-0000-4000-8000-0000000000A1", "data": Value.blob([0, 255]),
          "note": #"{"a": [1, 2]}"#,
        ], links: ["home": ["street": "Elm", "number": 1], "passport": ["number": "A1"]]
      ).report
    }
    try await same { store in
      try await store.insert(
        "Person", ["name": "bert", "badge": "2", "role": "host"], links: ["boss": ["name": "anna"]]
      ).report
    }
    try await same { try await $0.insert("Pet", ["call": "rex"], links: ["owner": ["name": "anna"]]).report }
    for word in ["tall", "old"] { try await same { try await $0.insert("Tag", ["word": word]).report } }
  }

  @Test func `objects are written, linked, updated and deleted alike`() async throws {
    try await fill()
    // An upsert changes what it names, and once.
    for _ in 1...2 {
      try await same { store in
        try await store.upsert(
          "Person", ["name": "bert", "age": 30, "pay": nil, "real": 2],
          links: ["passport": ["number": "A1"], "home": ["street": "Elm", "number": 1]]
        ).report
      }
    }
    try await same { try await $0.upsert("Person", ["name": "bert"], links: ["home": nil]).report }
    try await same { try await $0.update("Person", where: "age > 20", set: ["pay": 7.25, "flag": false]) }
    try await same {
      try await $0.update("Person", where: "name = 'bert'", set: ["name": "carl", "note": nil])
    }
    try await same { store in
      try await store.update("Person", where: .all, set: ["age": 1], options: EditOptions(isTrial: true))
    }
    try await same { try await $0.link("Person", "tags", where: .all, to: ["word": .text("tall")]) }
    try await same { try await $0.link("Tag", "people", where: .all, to: ["name": .text("anna")]) }
    try await same { try await $0.unlink("Person", "tags", where: .all, from: ["word": .text("old")]) }
    try await same { try await $0.link("Passport", "owner", where: .all, to: ["name": .text("anna")]) }
    try await same { try await $0.link("Person", "passport", where: "name = 'anna'", to: nil) }
    try await same { store in
      try await store.link(
        "Person", "home", where: .all, to: ["street": .text("Oak"), "number": .integer(2)])
    }
    try await same { try await $0.delete("House", where: "street = 'Oak'") }
    try await same { try await $0.link("Person", "boss", where: .all, to: nil) }
    let gone = try await same { try await $0.delete("Person", where: "name = 'anna'") }
    #expect(gone.hasPrefix("Person +0 ~0 -1\nTag +0 ~0 -0") || gone.contains("Pet +0 ~0 -1"), "\(gone)")
    try await same { try await $0.delete("Person", where: .all) }
    try await same { try await $0.delete("Person", where: .all) }
  }

  @Test func `what is refused is refused with the same words, and changes nothing`() async throws {
    try await fill()
    let values: [(ObjectValues, String)] = [
      (["age": 151], "age is greater than its maximum"), (["role": "cook"], "role is not one of guest, host"),
      (["age": "x"], "age: "), (["pay": Decimal(sign: .plus, exponent: -3, significand: 1)], "pay: "),
      (["flag": 2], "flag: "), (["at": "noon"], "at: "),
      (["note": "{"], "note: expected JSON"), (["real": Double.nan], "real: "),
      (["name": nil], "name is part"),
      (["name": "X"], "name does not match its pattern"), (["badge": nil], "badge"),
    ]
    for (values, reason) in values {
      try await refused("constraint: Person cannot have these values: \(reason)") {
        try await $0.update("Person", where: .all, set: values)
      }
    }
    try await refused("constraint: Person cannot have these values: badge is required") {
      try await $0.insert("Person", ["name": "dora"]).report
    }
    try await refused("keyExists: there is a Person with this key already") {
      try await $0.insert("Person", ["name": "anna", "badge": "9"]).report
    }
    let taken = "constraint: another Person has the same key or the same unique values: nothing was changed"
    try await refused(taken) { try await $0.insert("Person", ["name": "dora", "badge": "2"]).report }
    try await refused(taken) { try await $0.update("Person", where: .all, set: ["badge": "9"]) }
    try await refused(taken) { try await $0.update("Person", where: .all, set: ["name": "x"]) }
    try await refused("badRequest: 'house' of Person is derived") {
      try await $0.upsert("Person", ["name": "anna", "house": "x"]).report
    }
    try await refused("guarded: there is no House with this key") {
      try await $0.upsert("Person", ["name": "anna"], links: ["home": ["street": "Elm", "number": 9]]).report
    }
    try await refused("badRequest: an object of House is named by its key") {
      try await $0.upsert("Person", ["name": "anna"], links: ["home": ["street": "Elm"]]).report
    }
    try await refused("badRequest: 'people' of House is to-many; link from its to-one end") {
      try await $0.link("House", "people", where: .all, to: ["name": .text("anna")])
    }
    try await refused("guarded: 'passport' of Person is one-to-one, and 2 objects") {
      try await $0.link("Person", "passport", where: .all, to: ["number": .text("A1")])
    }
    try await refused("guarded: the link 'owner' violates a constraint of Pet: nothing is linked") {
      try await $0.link("Pet", "owner", where: .all, to: nil)
    }
    try await refused("guarded: a row of Person, or of its dependents, has related objects that deny") {
      try await $0.delete("Person", where: "name = 'anna'")
    }
    // Whoever denies it goes too.
    try await same { try await $0.delete("Person", where: .all) }
  }

  @Test func `what a server does not store is refused by name`() async throws {
    try await fill()
    for (badge, reason) in [
      ("a\u{0}b", "a text contains U+0000, which a PostgreSQL server does not store"),
      ((0..<9000).map { "\($0 * 7919)" }.joined(), "a value is too long for an index of a PostgreSQL server"),
    ] {
      let error = try await #require(throws: StoreError.self) {
        try await stores[1].upsert("Person", ["name": "anna", "badge": badge])
      }
      #expect(
        error.reason == "Person cannot have these values: \(reason): nothing was changed"
          && error.code == .constraint)
    }
  }

  @Test func `an edit waits for another writer as long as it is told, and sees what that has left`()
    async throws
  {
    try await fill()
    let address = try #require(PostgreSQLAddress(stores[1].engine.path))
    let other = try PostgreSQLConnection(address)
    try other.run("BEGIN")
    try other.run(#"UPDATE "Person" SET age = 90 WHERE name = 'anna'"#)
    let error = try await #require(throws: StoreError.self) {
      try await stores[1].update(
        "Person", where: "age < 50", set: ["age": 50], options: EditOptions(lockWait: .milliseconds(100)))
    }
    #expect(error.reason == "another program holds a lock" && error.code == .busy)
    async let update = stores[1].update("Person", where: "age < 50", set: ["age": 50])
    try await Task.sleep(for: .milliseconds(300))
    try other.run("COMMIT")
    // Anna is not one of them any more.
    #expect(try await update.counts.isEmpty)
    #expect(try await stores[1].count(ObjectQuery("House", where: "oldest = 90")) == 1)
  }
}
