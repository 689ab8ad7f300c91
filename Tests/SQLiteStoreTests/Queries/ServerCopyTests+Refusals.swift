import Bolide
import ImportModel
import TestServer
import Testing

@testable import SQLiteStore
@testable import StoreInterface

extension ServerCopyTests {
  /// Copies from a file and from a server into a file and a server, and expects the same refusal, which leaves nothing.
  private func refusal(
    filling sql: (Store) async throws -> Void = { _ in }, _ change: @escaping (String) -> String
  ) async throws -> String {
    let (source, file, target) = try await peopleStores(change)
    try await fill(source)
    try await sql(source)
    let onServer = Store(try moved(source.engine))
    var reasons: [String] = []
    for (from, to) in [(source, file), (source, target), (onServer, target), (onServer, file)] {
      let before = try await to.newestToken()
      let error = try #require(throws: StoreError.self) {
        try to.engine.copyObjects(ObjectQuery("Person"), from: from.engine, EditOptions())
      }
      #expect(error.file == to.engine.path, "\(error)")
      reasons.append("\(error.code): \(error.reason)")
      #expect(try await to.newestToken() == before)
      for entity in try to.engine.model().entities {
        #expect(try await to.count(ObjectQuery(entity.name)) == 0)
      }
      // The stores can be used as before.
      try await to.insert("House", ["street": "after"])
      _ = try await to.delete("House", where: .all)
    }
    #expect(Set(reasons).count == 1, "\(reasons)")
    return reasons[0]
  }

  @Test func `what a store has no place for is said of a server in the words of a file`() async throws {
    let end = "nothing was copied"
    for (old, new, reason) in [
      (
        "  small:  integer16\n", "",
        "modelChange: Person has no place for 'small' of the copied objects: \(end)"
      ),
      (
        "scale: 4", "scale: 2",
        "modelChange: 'pay' of Person is a decimal, and a decimal in the copied objects: \(end)"
      ),
      (
        "precision: ms", "precision: us",
        "modelChange: 'at' of Person is a date, and a date in the copied objects: \(end)"
      ),
      ("key: [name, born]", "key: name", "modelChange: Person has another key than name and born: \(end)"),
      (
        "badge:  string", "badge:  { type: string, max-length: 1 }",
        "constraint: copied objects break a rule of Person (badge is longer than its maximum length of 1): \(end)"
      ),
      (
        "large:  integer64", "large:  { type: integer64, required: true }",
        "constraint: copied objects break a rule of Person (large is required and is null): \(end)"
      ),
    ] {
      let found = try await refusal(filling: { store in
        try await store.update("Person", where: "badge = ''", set: ["badge": "0123"])
      }) { $0.replacing(old, with: new) }
      #expect(found == reason)
    }
    let unlinked = try await refusal { text in
      text.replacing("relationships:\n  home: { to-one: House, inverse: people }\n", with: "")
        .split(separator: "\n")
        .filter { line in !["home.", "derived: people", "inverse"].contains { line.contains($0) } }
        .joined(separator: "\n")
    }
    #expect(unlinked == "modelChange: Person has no place for 'home' of the copied objects: \(end)")
  }

  @Test func `an entity that is not there, a predicate that is none, and the same store by two addresses`()
    async throws
  {
    let (file, _, target) = try await peopleStores()
    try await fill(file)
    let onServer = try moved(file.engine)
    let plain = Store(
      try StoreAddress(server.freshAddress()).open(
        for: plainPipeline([Attribute(name: "id", type: .string, isRequired: true)]), lockWait: 10))
    func refusal(_ request: ObjectQuery, from source: any StoreEngine, into other: any StoreEngine) -> String?
    {
      #expect(throws: StoreError.self) { try other.copyObjects(request, from: source, EditOptions()) }?
        .message
    }
    for source in [file.engine, onServer] {
      #expect(
        refusal(ObjectQuery("House"), from: source, into: plain.engine)
          == "\(plain.path): there is no entity 'House' to copy objects into: nothing was copied")
      #expect(
        refusal(ObjectQuery("Person", where: "bron = 1"), from: source, into: target.engine)
          == "\(source.path): Person has no attribute or relationship 'bron'; did you mean 'born'?")
      #expect(
        refusal(ObjectQuery("Persons"), from: source, into: target.engine)
          == "\(source.path): the store has no entity 'Persons'")
    }
    let schema = String(onServer.path.split(separator: "#")[1])
    let other = "postgresql:///postgres?host=\(server.folder)&user=postgres&application_name=x#\(schema)"
    let same = try StoreAddress(other).open()
    #expect(
      refusal(ObjectQuery("Person"), from: onServer, into: same)
        == "\(same.path): objects are copied into another store, and this is the same one")
  }

  @Test func `a rule that the server finds broken takes everything back`() async throws {
    let (file, other, target) = try await peopleStores()
    try await fill(file)
    func refusal() async throws -> String? {
      let before = try await target.newestToken()
      let error = await #expect(throws: StoreError.self) {
        try await file.copy("Person", where: .all, into: target)
      }
      #expect(error?.code == .constraint)
      #expect(try await target.newestToken() == before)
      return error?.reason
    }
    let broken = "copied objects break a rule of Person"
    try await target.insert("Person", ["name": "other", "born": "2000-01-01", "badge": "3"])
    #expect(
      try await refusal()
        == "\(broken) (duplicate key value violates unique constraint \"bolide_unique_Person.badge\"): nothing was copied"
    )
    #expect(try await target.count(ObjectQuery("Person")) == 1)
    _ = try await target.delete("Person", where: .all)
    try await file.update("Person", where: "badge = '3'", set: ["badge": "3\u{0}"])
    #expect(
      try await refusal()
        == "\(broken) (a text contains U+0000, which a PostgreSQL server does not store): nothing was copied")
    let long = (0..<9000).map { "\($0 * 7919)" }.joined()
    try await file.update("Person", where: "born = '2000-01-03'", set: ["badge": long])
    #expect(
      try await refusal()
        == "\(broken) (a value is too long for an index of a PostgreSQL server): nothing was copied")
    #expect(try await target.count(ObjectQuery("House")) == 0)
    // What objects hand on to each other is taken by a server, which looks behind the statement.
    try await file.update("Person", where: "born = '2000-01-03'", set: ["badge": "3"])
    for store in [other, target] { try await file.copy("Person", where: .all, into: store) }
    for (old, new) in [("1", "x"), ("2", "1"), ("x", "2")] {
      try await file.update("Person", where: .init(text: "badge = '\(old)'"), set: ["badge": new])
    }
    try await file.copy("Person", where: .all, into: target)
    let inFile = await #expect(throws: StoreError.self) {
      try await file.copy("Person", where: .all, into: other)
    }
    #expect(
      inFile?.reason
        == "\(broken) (a constraint of the store failed (UNIQUE constraint failed: Person.badge)): nothing was copied"
    )
    #expect(try await target.verify().isEmpty)
  }

  @Test func `what is no value of its type in a file does not become another one on a server`() async throws {
    let here = try TemporaryStore()
    let file = Store(try here.open(Pipeline(yaml: Self.people, file: "people.yaml", directory: ".")))
    let (_, _, target) = try await peopleStores()
    try await fill(file)
    for (name, value, type) in [
      ("at", "'yesterday'", "a date"), ("on", "'2026-02-30T00:00:00Z'", "a date"),
      ("small", "70000", "an integer16"),
      ("middle", "5000000000", "an integer32"), ("flag", "2", "a boolean"),
      ("uid", "'00000000-0000-4000-8000-0000000000AG'", "a uuid"),
    ] {
      try here.shell(
        "PRAGMA ignore_check_constraints = ON; UPDATE Person SET \"\(name)\" = \(value) WHERE badge = '1'")
      let error = await #expect(throws: StoreError.self) {
        try await file.copy("Person", where: .all, into: target)
      }
      #expect(
        error?.message
          == "\(target.path): copied objects break a rule of Person (\(name) is not \(type)): nothing was copied"
      )
      try here.shell("UPDATE Person SET \"\(name)\" = NULL WHERE badge = '1'")
    }
    #expect(try await file.copy("Person", where: .all, into: target).counts.map(\.inserted) == [6, 1])
  }
}
