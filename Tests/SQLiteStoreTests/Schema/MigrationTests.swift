import ImportModel
import Testing

@testable import SQLiteStore
@testable import StoreInterface
@testable import TypedRows

/// A store grows with its pipelines; nothing of it is taken away.
struct MigrationTests {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  /// A store of quakes and regions that derive nothing yet.
  private var plain: Pipeline {
    Quakes.pipeline { $0[entity: "Region"].attributes.removeAll { $0.derivation != nil } }
  }

  @Test func `A new attribute is added, and rows that are there get its default`() throws {
    let pipeline = Quakes.pipeline()
    do { try temporary.open(pipeline).take(pipeline, [["id": "a"]]) }
    let wider = Quakes.pipeline {
      $0[entity: "Quake"].attributes += [
        Attribute(name: "felt", type: .integer32),
        Attribute(name: "alert", type: .string, isRequired: true, defaultValue: "none"),
      ]
      $0.fields += [Field("felt"), Field("alert")]
    }
    let store = try temporary.open(wider)
    try store.take(wider, [["id": "b", "felt": 3]])
    #expect(
      try store.rows("SELECT id, felt, alert FROM Quake ORDER BY id")
        == [["a", .null, "none"], ["b", 3, "none"]])
    #expect(try store.rows("SELECT version FROM bolide_model") == [[1], [2]])
    #expect(try Replay(store).transactions.count == 2)
    #expect(try store.rows("SELECT model FROM bolide_transaction ORDER BY number") == [[1], [2]])
    try temporary.shell("UPDATE Quake SET felt = 9 WHERE id = 'a'")
    try store.assignPending()
    #expect(
      try Replay(store).changes.last?.previous == [.init(name: "felt", type: .integer32, value: .null)])
  }

  @Test func `A new entity and a link to it are added to a store with rows`() throws {
    let alone = Quakes.pipeline {
      $0.model.entities.removeLast()
      $0[entity: "Quake"].relationships = []
      $0.links = []
    }
    do { try temporary.open(alone).take(alone, [["id": "a", "depth": 1], ["id": "b", "depth": 2]]) }
    let pipeline = Quakes.pipeline(when: .always)
    let store = try temporary.open(pipeline)
    let progress = try store.take(
      pipeline, [["id": "a", "@region": "r"], ["id": "c", "depth": 4, "@region": "r"]])
    #expect(progress.counts.line == "2 = 1 inserted + 1 updated")
    #expect(try store.rows("SELECT code, quakeCount, depths FROM Region") == [["r", 2, 5]])
    #expect(try store.rows(Quakes.untrue) == [] && Replay(store).problems() == [])
  }

  @Test func `A new derived attribute is computed for the rows that are there`() throws {
    let records = (0..<30).map {
      [
        "id": .text("q\($0)"), "@region": .text("r\($0 % 4)"), "magnitude": .real(Double($0) * 0.1),
        "depth": .integer(Int64($0)),
      ] as Record
    }
    do { try temporary.open(plain).take(plain, records) }
    let pipeline = Quakes.pipeline()
    let store = try temporary.open(pipeline)
    // Triggers keep it from now on, also where it is not computed yet.
    try temporary.shell("DELETE FROM Quake WHERE id = 'q0'; UPDATE Quake SET depth = 99 WHERE id = 'q1'")
    try store.take(pipeline, [["id": "new", "@region": "r9"]])
    #expect(try store.rows(Quakes.untrue) == [])
    #expect(try store.integer("SELECT sum(quakeCount) FROM Region") == 30)
    #expect(try store.rows("SELECT * FROM bolide_dirty") == [])
    #expect(try store.rows("PRAGMA integrity_check") == [["ok"]])
  }

  @Test func `A pipeline that knows less leaves the rest`() throws {
    do { _ = try temporary.open(Quakes.pipeline()) }
    let less = Quakes.pipeline {
      $0[entity: "Quake"].attributes.removeAll { $0.name == "cost" || $0.name == "kind" }
      $0.fields.removeAll { $0.attribute == "cost" || $0.attribute == "kind" }
      $0[entity: "Region"].attributes.removeAll { $0.name == "costs" }
    }
    let store = try temporary.open(less)
    try store.take(less, [["id": "a", "@region": "r"]])
    #expect(try store.rows("SELECT kind, cost FROM Quake") == [["quake", .null]])
    #expect(try store.rows("SELECT count(*) FROM bolide_model") == [[1]])
  }

  @Test func `What was transient may be stored`() throws {
    let before = Quakes.pipeline { $0[entity: "Quake"]["place"].isTransient = true }
    do { try temporary.open(before).take(before, [["id": "a", "place": "sea"]]) }
    let store = try temporary.open(Quakes.pipeline())
    try store.take(Quakes.pipeline(), [["id": "b", "place": "land"]])
    #expect(try store.rows("SELECT id, place FROM Quake ORDER BY id") == [["a", .null], ["b", "land"]])
  }

  @Test func `A relationship and its derivations may come later than other programs' rows`() throws {
    do { _ = try temporary.open(plain) }
    try temporary.shell(
      """
      INSERT INTO Region(code) VALUES ('r');
      INSERT INTO Quake(id, region_id, magnitude, cost) VALUES ('a', 1, 0.1, 5), ('b', 1, 0.2, NULL);
      """)
    let store = try temporary.open(Quakes.pipeline())
    try store.take(Quakes.pipeline(), [])
    #expect(
      try store.rows("SELECT quakeCount, magnitudes, depths, costs FROM Region")
        == [[2, 0.30000000000000004, 0, 5]])
  }

  // MARK: Refusals

  struct Change: Sendable, CustomTestStringConvertible {
    let sentence: String
    /// What the hint says could be dropped.
    let drop: String?
    let change: @Sendable (inout Pipeline) -> Void
    var testDescription: String { sentence }
    init(
      _ sentence: String, drop: String? = nil, _ change: @escaping @Sendable (inout Pipeline) -> Void
    ) {
      self.sentence = sentence
      self.drop = drop
      self.change = change
    }
  }

  @Test(arguments: [
    Change("Quake.magnitude is double in the store and string in the pipeline", drop: "Quake.magnitude") {
      $0[entity: "Quake"]["magnitude"].type = .string
      $0[entity: "Region"].attributes.removeAll { $0.name == "magnitudes" }
    },
    Change("Quake has the key id in the store and place, id in the pipeline") {
      $0[entity: "Quake"].key = ["place", "id"]
    },
    Change("Quake.alert is new and required, and existing rows have no value for it") {
      $0[entity: "Quake"].attributes.append(Attribute(name: "alert", type: .string, isRequired: true))
      $0.fields.append(Field("alert"))
    },
    Change(
      "Region.quakeCount is derived as quakes.@count in the store and as nothing in the pipeline",
      drop: "Region.quakeCount"
    ) {
      $0[entity: "Region"]["quakeCount"].derivation = nil
    },
    Change("Quake.seen is stored, and transient in the pipeline", drop: "Quake.seen") {
      $0[entity: "Quake"]["seen"].isTransient = true
    },
    Change(
      "Quake.cost is decimal with scale 2 in the store and decimal with scale 1 in the pipeline",
      drop: "Quake.cost"
    ) {
      $0[entity: "Quake"]["cost"].type = .decimal(scale: 1)
      $0[entity: "Region"].attributes.removeAll { $0.name.contains("ost") }
    },
    Change("the relationship Region.quakes differs from the store's", drop: "Region.quakes") {
      $0[entity: "Region"].relationships[0].inverse = "area"
      $0[entity: "Quake"].relationships[0].name = "area"
      $0.links = []
    },
    Change("Quake.place is an attribute in the store and a relationship in the pipeline", drop: "Quake.place")
    {
      $0[entity: "Quake"].attributes.removeAll { $0.name == "place" }
      $0[entity: "Quake"].relationships.append(
        Relationship(name: "place", kind: .toOne, destination: "Region"))
      $0.fields.removeAll { $0.attribute == "place" }
    },
    Change(
      "Quake.region is a relationship in the store and an attribute in the pipeline", drop: "Quake.region"
    ) {
      $0[entity: "Quake"].relationships = []
      $0[entity: "Quake"].attributes.append(Attribute(name: "region", type: .string))
      $0[entity: "Region"].relationships = []
      $0[entity: "Region"].attributes.removeAll { $0.derivation != nil }
      $0.links = []
    },
    Change(
      "the store's model and the pipeline's do not go together: "
        + "the relationships 'region' and 'REGION' differ by case only, which SQLite ignores: rename one"
    ) {
      $0[entity: "Quake"].relationships = [
        Relationship(name: "REGION", kind: .toOne, destination: "Region")
      ]
      $0[entity: "Region"].relationships = []
      $0[entity: "Region"].attributes.removeAll { $0.derivation != nil }
      $0.links = []
    },
  ])
  func `What is not an addition is rejected, and nothing is changed`(change: Change) throws {
    do { _ = try temporary.open(Quakes.pipeline()) }
    let before = try temporary.shell(".dump")
    let pipeline = Quakes.pipeline(change: change.change)
    #expect(pipeline.problems().map(\.description) == [])
    let error = #expect(throws: StoreError.self) { try temporary.open(pipeline) }
    #expect(error?.code == .modelChange)
    #expect(error?.message == "\(temporary.path): \(change.sentence)")
    #expect(error?.droppable == [change.drop].compactMap(\.self))
    #expect(
      error?.hint
        == (change.drop == nil
          ? "Import into a new store, or change the pipeline to match this one."
          : "Change the pipeline to match the store; or drop the stored values, and start empty."))
    #expect(try temporary.shell(".dump") == before)
  }

  @Test
  func `A pipeline that adds to the model while another imports ends that import, and nothing is wrong`()
    throws
  {
    let pipeline = plain
    let store = try temporary.open(pipeline)
    let session = try SQLiteImport(store, pipeline, input: "test")
    _ = try temporary.open(Quakes.pipeline())
    let error = #expect(throws: StoreError.self) {
      try session.apply(Chunk(layout: session.layout), bytes: 0)
    }
    #expect(error?.code == .busy)
    #expect(
      error?.message
        == "\(temporary.path): another pipeline changed the store's model meanwhile")
  }

  @Test func `Names that differ from the store's by case only are rejected`() throws {
    _ = try temporary.open(plain)
    let entity = Quakes.pipeline {
      $0[entity: "Region"].name = "region"
      $0.model.entities[0].relationships[0].destination = "region"
    }
    #expect(throws: StoreError.self) { try temporary.open(entity) }
    let attribute = Quakes.pipeline {
      $0[entity: "Quake"].attributes.append(Attribute(name: "COST", type: .string))
    }
    #expect(throws: (any Error).self) { try temporary.open(attribute) }
    let other = Quakes.pipeline {
      $0[entity: "Quake"].attributes.removeAll { $0.name == "cost" }
      $0[entity: "Quake"].attributes.append(Attribute(name: "COST", type: .decimal(scale: 2)))
      $0[entity: "Region"].attributes.removeAll { $0.name.contains("ost") }
      $0.fields.removeAll { $0.attribute == "cost" }
    }
    let error = #expect(throws: StoreError.self) { try temporary.open(other) }
    #expect(
      error?.message
        == "\(temporary.path): Quake has a column cost in the store, which differs from COST only by case")
  }
}
