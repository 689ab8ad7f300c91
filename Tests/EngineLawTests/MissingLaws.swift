import Bolide
import StoreInterface
import Testing

/// Rows that a full feed had and has no more: what any later run has met is there.
struct MissingLaws {
  private static let model = """
    bolide: 1
    name: law
    store: law.sqlite
    entity: Post
    key: id
    feed: full
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
}
