import Bolide
import StoreInterface
import Testing

/// What an import does to rows that are there, whichever engine keeps them.
struct UpsertLaws {
  @Test(arguments: Engine.allCases)
  func `what a record leaves out is kept, null clears, a value sets, a default is for new rows`(
    _ engine: Engine
  ) throws {
    let store = try LawStore(engine)
    try store.take([#"{"id": 1, "magnitude": 4.5, "depth": 12.34}"#])
    var row = try store.rows()["1"]
    #expect(row?["magnitude"] == .real(4.5) && row?["depth"] == .integer(1234))
    #expect(row?["kind"] == .text("quake") && row?["grade"] == .integer(1) && row?["code"] == .null)
    try store.take([#"{"id": 1, "magnitude": null, "kind": "blast"}"#])
    row = try store.rows()["1"]
    #expect(row?["magnitude"] == .null && row?["kind"] == .text("blast") && row?["depth"] == .integer(1234))
    try store.take([#"{"id": 1, "kind": null}"#])
    #expect(try store.rows()["1"]?["kind"] == .null)
  }

  @Test(arguments: Engine.allCases)
  func `the same records again write nothing, but for what is volatile`(_ engine: Engine) throws {
    let store = try LawStore(engine)
    let feed = [#"{"id": 1, "magnitude": 4.5, "seen": 1}"#, #"{"id": 2, "place": "A"}"#]
    let first = try store.take(feed).progress
    #expect(first.counts.inserted == 2 && first.token != nil)
    let again = try store.take(feed).progress
    #expect(again.counts.unchanged == 2 && again.token == nil)
    let seen = try store.take([#"{"id": 1, "magnitude": 4.5, "seen": 2}"#]).progress
    #expect(seen.counts.unchanged == 1 && seen.token == nil)
    #expect(try store.rows()["1"]?["seen"] == .integer(1))
    try store.take([#"{"id": 1, "magnitude": 5, "seen": 3}"#])
    #expect(try store.rows()["1"]?["seen"] == .integer(3))
  }

  /// For each merge policy, the magnitude and the depth after a second record.
  private static let policies: [(String, String, magnitude: Value, depth: Value)] = [
    ("merge: update", #"{"id": 1, "magnitude": 2, "depth": null, "modified": 3}"#, .real(2), .null),
    ("merge: update-non-null", #"{"id": 1, "magnitude": 2, "depth": null}"#, .real(2), .integer(100)),
    ("merge: ignore", #"{"id": 1, "magnitude": 2}"#, .real(1), .integer(100)),
    (
      "merge: { update-if-newer: modified }", #"{"id": 1, "magnitude": 2, "modified": 5}"#, .real(1),
      .integer(100)
    ),
    (
      "merge: { update-if-newer: modified }", #"{"id": 1, "magnitude": 2, "modified": 6}"#, .real(2),
      .integer(100)
    ),
  ]

  @Test(arguments: Engine.allCases)
  func `a merge policy decides what a record does to its row`(_ engine: Engine) throws {
    for policy in Self.policies {
      let store = try LawStore(engine)
      try store.take([#"{"id": 1, "magnitude": 1, "depth": 1, "modified": 5}"#])
      try store.take([policy.1], settings: policy.0)
      let row = try store.rows()["1"]
      #expect(row?["magnitude"] == policy.magnitude && row?["depth"] == policy.depth, "\(policy.0)")
    }
  }

  @Test(arguments: Engine.allCases)
  func `fail ends the import at a key that is there, and keeps nothing`(_ engine: Engine) throws {
    let store = try LawStore(engine)
    try store.take([#"{"id": 1}"#])
    let error = #expect(throws: ImportError.self) {
      try store.take([#"{"id": 2}"#, #"{"id": 1}"#], settings: "merge: fail")
    }
    #expect(error?.kind == .store(.keyExists))
    #expect(try store.rows().count == 1)
    try store.take([#"{"id": 3}"#], settings: "merge: fail")
    #expect(try store.rows().count == 2)
  }

  @Test(arguments: Engine.allCases, [1, 2, 10])
  func `of records with one key the policy says which counts, in whatever chunks they come`(
    _ engine: Engine, _ chunkRows: Int
  ) throws {
    let feed = [#"{"id": 1, "magnitude": 1}"#, #"{"id": 1, "magnitude": 2}"#, #"{"id": 1, "magnitude": 3}"#]
    for (policy, magnitude) in [("last", 3.0), ("first", 1), ("reject", 1)] {
      let store = try LawStore(engine, LawStore.quakes, "repeated-key: \(policy)\nmax-rejects: 100%")
      let counts = try store.take(feed, chunkRows: chunkRows).progress.counts
      #expect(try store.rows()["1"]?["magnitude"] == .real(magnitude), "\(policy)")
      #expect(counts.inserted == 1 && counts.rejected == (policy == "reject" ? 2 : 0))
    }
  }

  @Test(arguments: Engine.allCases)
  func `a record that breaks a constraint is rejected, and the others are taken`(_ engine: Engine) throws {
    let store = try LawStore(engine, LawStore.quakes, "unique: [[code]]\nmax-rejects: 100%")
    try store.take([#"{"id": 1, "code": "a"}"#, #"{"id": 2, "code": "b"}"#])
    let report = try store.take([
      #"{"id": 3, "code": "a"}"#, #"{"id": 4, "code": "c"}"#, #"{"id": 5, "code": "d", "grade": null}"#,
      #"{"id": "x"}"#,
    ])
    let counts = report.progress.counts
    #expect(counts.read == 4 && counts.inserted == 1 && counts.rejected == 3)
    #expect(Set(report.firstRejects.map(\.code)) == ["not-unique", "null", "not-a-number"])
    #expect(try store.rows().keys.sorted() == ["1", "2", "4"])
  }

  @Test(arguments: Engine.allCases)
  func `an atomic import with too many rejected records leaves the store as it was`(_ engine: Engine) throws {
    let store = try LawStore(engine, LawStore.quakes, "max-rejects: 0")
    try store.take([#"{"id": 1}"#])
    let before = try store.engine.newestToken()
    let report = try store.take(
      [#"{"id": 2}"#, #"{"id": 3}"#, #"{"id": "x"}"#], chunkRows: 1, isAtomic: true)
    #expect(report.progress.counts.rolledBack == 2 && report.progress.counts.rejected == 1)
    #expect(try store.rows().keys.sorted() == ["1"])
    #expect(try store.engine.newestToken() == before)
  }

  @Test(arguments: Engine.allCases)
  func `a link leads to the object with the key, which is made where there is none`(_ engine: Engine) throws {
    let store = try LawStore(engine)
    try store.take([
      #"{"id": 1, "place": "A"}"#, #"{"id": 2, "place": "A"}"#, #"{"id": 3, "place": "B"}"#, #"{"id": 4}"#,
    ])
    let quakes = try store.rows()
    #expect(try store.rows("Region").keys.sorted() == ["A", "B"])
    #expect(quakes["1"]?["in"] == quakes["2"]?["in"] && quakes["1"]?["in"] != quakes["3"]?["in"])
    #expect(quakes["4"]?["in"] == .null)
    try store.take([#"{"id": 1, "place": "B"}"#])
    // A link is made for new rows.
    #expect(try store.rows()["1"]?["in"] == quakes["1"]?["in"])
  }

  @Test(arguments: Engine.allCases, 0..<3)
  func `every count adds up, and the rows are the same in whatever chunks they come`(
    _ engine: Engine, _ seed: Int
  ) throws {
    var chance = Chance(seed)
    let settings = chance.settings() + "max-rejects: 100%\n"
    let feeds = (0..<4).map { _ in chance.feed() }
    var states: [[String: [String: Value]]] = []
    for chunkRows in [1, 3, 100] {
      let store = try LawStore(engine, LawStore.quakes, settings)
      for feed in feeds {
        let counts = try store.take(feed, chunkRows: chunkRows).progress.counts
        let sum =
          counts.inserted + counts.updated + counts.unchanged + counts.ignored + counts.duplicates
          + counts.superseded + counts.rejected
        #expect(counts.read == feed.count && counts.read == sum)
      }
      states.append(
        try store.rows().mapValues { $0.filter { !["touched", "in", "seen"].contains($0.key) } })
    }
    #expect(states[0] == states[1] && states[1] == states[2])
  }
}
