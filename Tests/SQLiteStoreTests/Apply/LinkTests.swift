import ImportModel
import Testing

@testable import SQLiteStore
@testable import StoreInterface
@testable import TypedRows

/// Links to owners, found or made by key.
struct LinkTests {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  private let links = """
    SELECT q.id, r.code FROM Quake AS q LEFT JOIN Region AS r ON r.bolide_id = q.region_id ORDER BY q.id
    """
  private let regions = "SELECT code, quakeCount, depths FROM Region ORDER BY code"

  @Test func `Owners are found or made, once each`() throws {
    let pipeline = Quakes.pipeline()
    let store = try temporary.open(pipeline)
    try store.take(
      pipeline,
      [["id": "a", "@region": "x"], ["id": "b", "@region": "y"], ["id": "c", "@region": "x"]],
      [["id": "d", "@region": "y", "depth": 4], ["id": "e", "@region": "z"]])
    #expect(
      try store.rows(links) == [["a", "x"], ["b", "y"], ["c", "x"], ["d", "y"], ["e", "z"]])
    #expect(try store.rows(regions) == [["x", 2, 0], ["y", 2, 4], ["z", 1, 0]])
  }

  @Test func `An owner's key that is null or absent makes no link and no owner`() throws {
    for timing in [Link.Timing.insert, .always] {
      let temporary = try TemporaryStore()
      let pipeline = Quakes.pipeline(when: timing)
      let store = try temporary.open(pipeline)
      try store.take(pipeline, [["id": "a", "@region": .null], ["id": "b"], ["id": "c", "@region": "x"]])
      try store.take(pipeline, [["id": "c", "@region": .null, "depth": 1]])
      #expect(try store.rows(links) == [["a", .null], ["b", .null], ["c", "x"]])
      #expect(try store.rows(regions) == [["x", 1, 1]])
    }
  }

  @Test func `A link for new rows never touches one that is there`() throws {
    let pipeline = Quakes.pipeline(when: .insert)
    let store = try temporary.open(pipeline)
    try store.take(pipeline, [["id": "a", "@region": "x"], ["id": "b"]])
    let progress = try store.take(
      pipeline, [["id": "a", "@region": "y", "depth": 2], ["id": "b", "@region": "y"]])
    #expect(progress.counts.line == "2 = 1 updated + 1 unchanged")
    #expect(try store.rows(links) == [["a", "x"], ["b", .null]])
    #expect(try store.rows(regions) == [["x", 1, 2]])
    try temporary.shell("UPDATE Quake SET region_id = NULL")
    try store.take(pipeline, [["id": "a", "@region": "x", "depth": 3]])
    #expect(try store.rows(links) == [["a", .null], ["b", .null]])
  }

  @Test func `A link that the pipeline owns moves, and that makes a row changed`() throws {
    let pipeline = Quakes.pipeline(when: .always)
    let store = try temporary.open(pipeline)
    try store.take(pipeline, [["id": "a", "@region": "x", "depth": 5], ["id": "b", "depth": 1]])
    let progress = try store.take(
      pipeline, [["id": "a", "@region": "y"], ["id": "b", "@region": "y"]])
    #expect(progress.counts.line == "2 = 2 updated")
    #expect(try store.rows(links) == [["a", "y"], ["b", "y"]])
    #expect(try store.rows(regions) == [["x", 0, 0], ["y", 2, 6]])
    #expect(
      try store.take(pipeline, [["id": "a", "@region": "y"], ["id": "b"]]).counts.line == "2 = 2 unchanged")
  }

  @Test func `Two spellings of one character are two owners`() throws {
    let pipeline = Quakes.pipeline()
    let store = try temporary.open(pipeline)
    try store.take(
      pipeline,
      [["id": "a", "@region": "é"], ["id": "b", "@region": "e\u{301}"], ["id": "c", "@region": "é"]])
    #expect(
      try store.rows(links.replacing("r.code", with: "hex(r.code)"))
        == [["a", "C3A9"], ["b", "65CC81"], ["c", "C3A9"]])
  }

  @Test(arguments: [Link.Timing.insert, .always]) func `A rejected row makes no owner`(
    timing: Link.Timing
  ) throws {
    let pipeline = Quakes.pipeline(when: timing) { $0[entity: "Quake"]["depth"].isRequired = true }
    let store = try temporary.open(pipeline)
    let record: Record = ["id": "a", "@region": "x"]
    #expect(try store.take(pipeline, [record]).counts.line == "1 = 1 rejected")
    #expect(try store.rows(regions) == [])
    let two = try store.take(pipeline, [["id": "b", "@region": "y", "depth": 1], record])
    #expect(two.counts.line == "2 = 1 inserted + 1 rejected")
    // A row that is there needs no value.
    let moved = try store.take(pipeline, [["id": "b", "@region": "z"], record])
    #expect(
      moved.counts.line == (timing == .always ? "2 = 1 updated + 1 rejected" : "2 = 1 unchanged + 1 rejected")
    )
  }

  @Test func `An owner that another program deleted is made again`() throws {
    let pipeline = Quakes.pipeline(when: .always)
    let store = try temporary.open(pipeline)
    try store.take(pipeline, [["id": "a", "@region": "x", "depth": 5]])
    // The shell does not enforce foreign keys by itself: the quake's link leads nowhere now.
    try temporary.shell("DELETE FROM Region")
    try store.take(pipeline, [["id": "a", "@region": "x"], ["id": "b", "@region": "x", "depth": 2]])
    #expect(try store.rows(links) == [["a", "x"], ["b", "x"]])
    #expect(try store.rows("SELECT bolide_id, quakeCount, depths FROM Region") == [[2, 2, 7]])
  }

  @Test func `Two links to one entity share its owners`() throws {
    let pipeline = Quakes.pipeline {
      $0[entity: "Quake"].relationships.append(
        Relationship(name: "origin", kind: .toOne, destination: "Region", inverse: "born"))
      $0[entity: "Region"].relationships.append(
        Relationship(name: "born", kind: .toMany, destination: "Quake", inverse: "origin"))
      $0[entity: "Region"].attributes.append(
        Attribute(name: "bornCount", type: .integer64, derivation: .count(relationship: "born")))
      $0.links.append(Link("origin", ownerKey: [Link.KeyPart("code", "kind")]))
    }
    let store = try temporary.open(pipeline)
    try store.take(
      pipeline,
      [["id": "a", "@region": "x", "@origin": "y"], ["id": "b", "@region": "y", "@origin": "x"]],
      [["id": "c", "@region": "z", "@origin": "z"]])
    #expect(
      try store.rows("SELECT code, quakeCount, bornCount FROM Region ORDER BY code")
        == [["x", 1, 1], ["y", 1, 1], ["z", 1, 1]])
  }

  @Test func `A compound key of an owner is found part by part`() throws {
    let pipeline = Quakes.pipeline {
      $0[entity: "Region"].attributes.append(Attribute(name: "year", type: .integer16, isRequired: true))
      $0[entity: "Region"].key = ["year", "code"]
      $0.links = [Link("region", ownerKey: [Link.KeyPart("code", "place"), Link.KeyPart("year", "depth")])]
    }
    let store = try temporary.open(pipeline)
    let run = try SQLiteImport(store, pipeline, input: "test")
    let chunk = Chunk(layout: run.layout)
    let year = try #require(run.layout.owners.first?.columns.last)
    for (number, key) in [("x", 1), ("x", 2), ("y", 1), ("x", 1)].enumerated() {
      chunk.append(["id": .text("q\(number)"), "@region": .text(key.0)])
      chunk.row = number
      chunk.set(Int64(key.1), year)
    }
    chunk.sortAndFold()
    try run.apply(chunk, bytes: 1)
    try run.finish(outcome: "ok", bytes: 1)
    #expect(
      try store.rows("SELECT code, year, quakeCount FROM Region ORDER BY code, year")
        == [["x", 1, 2], ["x", 2, 1], ["y", 1, 1]])
  }
}
