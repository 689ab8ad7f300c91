import Bolide
import Foundation
import StoreInterface
import Testing

/// Rows that a full feed had and has no more: what any later run has met is there.
struct MissingLaws {
  /// A full feed of posts.
  private static let posts = """
    bolide: 1
    name: law
    store: law.sqlite
    entity: Post
    key: id
    feed: full

    """
  private static let model =
    posts + """
      max-rejects: 100%
      attributes: { id: integer64, size: integer16 }
      children:
        parts:
          entity: Part
          inverse: post
          key: [post, number]
          attributes: { number: integer16, size: integer16 }

      """

  private func missing(_ store: LawStore) throws -> [String] {
    var found: [String] = []
    _ = try store.engine.readMissing(of: nil) { row in
      found.append("\(row.entity) \(row.key.last?.value.plain ?? "")")
    }
    return found.sorted()
  }

  /// A record whose key is known, one whose key is not, and one that ends the import.
  @Test(
    arguments: [Engine.sqlite, .postgreSQL],
    [#"{"id": 9, "size": "large"}"#, #"{"id": "none"}"#, #"{"id": 9, "#])
  func `what a run that is not complete has met is not missing`(_ engine: Engine, _ end: String) throws {
    let store = try LawStore(engine, Self.model)
    let first = #"{"id": 1, "parts": [{"number": 1}, {"number": 2}]}"#
    let second = #"{"id": 2, "parts": [{"number": 3}]}"#
    try store.take([first, second])
    try store.take([#"{"id": 1, "parts": [{"number": 1}]}"#])
    #expect(try missing(store) == ["Part 2", "Part 3", "Post 2"])
    // A chunk each: the last one ends the run behind the others.
    _ = try? store.take([first, end], chunkRows: 1)
    #expect(try missing(store) == ["Part 3", "Post 2"])
    _ = try? store.take([second, end], chunkRows: 1)
    #expect(try missing(store) == (end.contains("large") ? ["Post 1"] : []))
    try store.take([#"{"id": 1, "parts": [{"number": 1}]}"#])
    #expect(try missing(store) == ["Part 2", "Part 3", "Post 2"])
  }

  /// Its key was read: the record is in the feed, whatever else is wrong with it or with the run.
  @Test(arguments: [Engine.sqlite, .postgreSQL], [#"{"id": "none"}"#, #"{"id": 9, "#])
  func `nor is a record that such a run has rejected`(_ engine: Engine, _ end: String) throws {
    let store = try LawStore(engine, Self.model)
    try store.take([#"{"id": 1}"#, #"{"id": 2}"#, #"{"id": 3}"#])
    try store.take([#"{"id": 1}"#])
    _ = try? store.take([#"{"id": 1}"#, #"{"id": 2, "size": "large"}"#, end], chunkRows: 1)
    #expect(try missing(store) == ["Post 3"])
  }

  @Test(arguments: [Engine.sqlite, .postgreSQL])
  func `the same bytes are read again behind a run that has met what they lack`(_ engine: Engine) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try LawStore(engine, Self.model)
    let pipeline = try Pipeline(yaml: Self.model, file: "law.yaml", directory: ".")
    func take(_ feed: String) throws -> Bool {
      try feed.write(toFile: path, atomically: true, encoding: .utf8)
      return try store.engine.run(pipeline, on: [.file(path)], options: ImportOptions()).progress.sameAs
        == nil
    }
    let all = #"{"id": 1} {"id": 2}"#
    #expect(try take(all) && take(#"{"id": 1}"#))
    #expect(try missing(store) == ["Post 2"])
    #expect(try !take(#"{"id": 1}"#))
    #expect(try take(all + #"{"id": "none"}"#))
    #expect(try missing(store) == [])
    #expect(try take(#"{"id": 1}"#))
    #expect(try missing(store) == ["Post 2"])
    #expect(try !take(#"{"id": 1}"#))
  }

  private static let tagged = """
    bolide: 1
    name: law
    store: law.sqlite
    entity: Post
    key: id
    feed: full
    attributes: { id: integer64, uses: { derived: tags.@count } }
    children:
      tags: { entity: Tag, inverse: posts, many-to-many: true, when: always, key: word, attributes: { word: { type: string, from: . } } }

    """

  /// Under `when: always` the feed says all links; made with new records alone they stay.
  @Test(arguments: [Engine.sqlite, .postgreSQL], [true, false])
  func `links that a full feed has no more are missing`(_ engine: Engine, _ isAlways: Bool) throws {
    let model = isAlways ? Self.tagged : Self.tagged.replacing("when: always, ", with: "")
    let store = try LawStore(engine, model)
    try store.take([#"{"id": 1, "tags": ["x", "y"]}"#, #"{"id": 2, "tags": ["x"]}"#])
    let report = try store.take([#"{"id": 1, "tags": ["y"]}"#, #"{"id": 2, "tags": ["x"]}"#])
    #expect(report.progress.missing == (isAlways ? 1 : 0))
    #expect(try missing(store) == (isAlways ? ["Post_tags 1"] : []))
    try store.take([#"{"id": 1, "tags": ["x", "y"]}"#, #"{"id": 2, "tags": ["x"]}"#])
    #expect(try missing(store) == [])
    _ = try store.take([#"{"id": 1, "tags": ["y"]}"#, #"{"id": 2, "tags": []}"#])
    #expect(try missing(store) == (isAlways ? ["Post_tags 1", "Post_tags 1", "Tag x"] : ["Tag x"]))
    _ = try store.engine.deleteMissing(of: nil, noMoreThan: 1)
    var uses: [Value?] = []
    try store.engine.readRows(ObjectQuery("Post"), at: nil) { uses.append($0.values.byName["uses"]) }
    #expect(uses == [.integer(1), .integer(0)])
    try store.engine.verify { Issue.record("\($0)") }
  }

  @Test(arguments: [Engine.sqlite, .postgreSQL])
  func `links that a full feed has no more are deleted with gone`(_ engine: Engine) throws {
    let store = try LawStore(engine, Self.tagged, "gone: delete\nmax-missing: 99%\n")
    try store.take([#"{"id": 1, "tags": ["x", "y"]}"#, #"{"id": 2, "tags": ["x", "y"]}"#])
    let report = try store.take([#"{"id": 1, "tags": ["y"]}"#, #"{"id": 2, "tags": ["x"]}"#])
    #expect(report.progress.gone == 2)
    var uses: [Value?] = []
    try store.engine.readRows(ObjectQuery("Post"), at: nil) { uses.append($0.values.byName["uses"]) }
    #expect(uses == [.integer(1), .integer(1)])
    try store.engine.verify { Issue.record("\($0)") }
  }

  /// Another entity's objects lead to the row, and deny it.
  @Test(arguments: Engine.keeping)
  func `a missing row whose deletion is denied is said to be`(_ engine: Engine) throws {
    func model(_ gone: String) -> String {
      Self.posts + """
        gone: \(gone)
        max-missing: 100%
        attributes: { id: integer64 }
        relationships: { notes: { to-many: Note, inverse: post, on-delete: deny } }
        entities:
          Note:
            key: number
            attributes: { number: integer64 }
            relationships: { post: { to-one: Post, inverse: notes } }

        """
    }
    let store = try LawStore(engine, model("keep"))
    try store.take([#"{"id": 1}"#, #"{"id": 2}"#])
    _ = try store.engine.writeObject(
      "Note", ObjectValues(["number": 1]), links: ["post": ObjectValues(["id": 2])],
      .insert, EditOptions())
    try store.take([#"{"id": 1}"#])
    let denied =
      "a row of Post, or of its dependents, has related objects that deny its deletion: nothing is deleted"
    let error = #expect(throws: StoreError.self) {
      try store.engine.deleteMissing(of: nil, noMoreThan: 1)
    }
    #expect(error?.code == .guarded && error?.reason == denied)
    let deleting = try Pipeline(yaml: model("delete"), file: "law.yaml", directory: ".")
    var options = ImportOptions()
    options.force = true
    let failure = #expect(throws: ImportError.self) {
      try store.engine.run(deleting, on: [.bytes(#"{"id": 1}"#.utf8, name: "feed")], options: options)
    }
    #expect(
      failure?.kind == .store(.guarded) && failure?.message.contains(denied) == true,
      "\(String(describing: failure))")
    #expect(try store.engine.readCount(ObjectQuery("Post"), at: nil) == 2)
  }

  /// Each denies that it goes before what it holds.
  @Test(arguments: Engine.keeping) func `missing rows go with the missing rows that they hold`(
    _ engine: Engine
  ) throws {
    let store = try LawStore(
      engine,
      Self.posts + """
        gone: keep
        max-missing: 100%
        attributes: { id: integer64 }
        children:
          boxes:
            entity: Box
            inverse: post
            on-delete: deny
            key: [post, b]
            attributes: { b: integer32 }
            children:
              kids: { entity: Kid, inverse: box, on-delete: deny, key: [box, n], attributes: { n: integer32 } }

        """)
    try store.take([#"{"id": 1}"#, #"{"id": 2, "boxes": [{"b": 1, "kids": [{"n": 1}, {"n": 2}]}]}"#])
    try store.take([#"{"id": 1}"#])
    #expect(try store.engine.deleteMissing(of: nil, noMoreThan: 1).0.count == 4)
    for entity in ["Box", "Kid"] { #expect(try store.engine.readCount(ObjectQuery(entity), at: nil) == 0) }
    #expect(try store.engine.readCount(ObjectQuery("Post"), at: nil) == 1)
  }
}
