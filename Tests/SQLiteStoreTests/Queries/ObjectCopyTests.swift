import Bolide
import Foundation
import ImportModel
import SQLiteAccess
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Objects that are copied into another store, with what they reach.
/// One at a time: tests that wait would hold hundreds of stores open, and beside so many files no process can be started.
@Suite(.serialized) struct ObjectCopyTests {
  // MARK: Any two stores

  @Test(arguments: 0..<12)
  func `objects are in the other store as they are here, with what they reach, and nothing else changes`(
    seed: Int
  ) async throws {
    var dice = Dice(seed)
    let (here, there) = (try TemporaryStore(), try TemporaryStore())
    let source = try here.open(Graph.pipeline)
    try Graph.fill(here, &dice)
    // A new store, or one that has other objects, and the same ones otherwise.
    let target =
      seed % 6 == 0
      ? try SQLiteEngine.makeEmpty(at: there.path, source.model()) : try there.open(Graph.pipeline)
    if seed % 6 != 0 { try Graph.fill(there, &dice) }
    let (from, before) = (try Graph.state(source), try Graph.state(target))
    let places = try await target.face.newestToken()
    let size = dice.int(0...3)

    let report = try await source.face.copy(
      "Node", where: "size = \(size)", into: target.face, options: EditOptions(author: "anna"))

    let roots = from.objects.keys.filter { from.objects[$0]?["size"] == .integer(Int64(size)) }
    let (copied, tags) = Self.reached(from, roots)
    var expected = before
    for key in copied { expected.objects[key] = from.objects[key] }
    expected.tags.formUnion(tags)
    // Who led to a mate that a copy has now leads nowhere.
    let mates = Set(copied.compactMap { from.objects[$0]?["mate"] }).subtracting([.null])
    for (key, object) in before.objects where !copied.contains(key) {
      if let mate = object["mate"], mates.contains(mate) { expected.objects[key]?["mate"] = .null }
    }
    #expect(try Graph.state(target) == expected, "seed \(seed)")

    // Counts add up, with the links' own.
    let new = copied.filter { before.objects[$0] == nil }
    let other = copied.filter { before.objects[$0] != nil && before.objects[$0] != from.objects[$0] }
    let (newTags, allTags) = (tags.subtracting(before.tags).count, tags.count)
    #expect(report.counts.map(\.inserted).reduce(0, +) == new.count + newTags)
    #expect(report.counts.map(\.updated).reduce(0, +) == other.count)
    #expect(
      report.counts.map { $0.inserted + $0.updated + $0.unchanged }.reduce(0, +) == copied.count + allTags)

    // One transaction, with its author; derived attributes are true, and a replay of history is the store.
    let log = try Replay(target, after: places)
    #expect(log.transactions.count == (report.token == nil ? 0 : 1))
    #expect(log.transactions.allSatisfy { $0.author == "anna" })
    #expect(try target.findings().isEmpty && source.findings().isEmpty)
    #expect(try Graph.state(source) == from)
    let left = "SELECT count(*) FROM temp.sqlite_schema WHERE name LIKE 'bolide_copy%'"
    #expect(try target.writing { try $0.integer(left) } == 0)

    // A second time there is nothing to do.
    let again = try await source.face.copy("Node", where: "size = \(size)", into: target.face)
    #expect(again.token == nil && again.counts.allSatisfy { $0.inserted == 0 && $0.updated == 0 })
    #expect(again.counts.map(\.unchanged).reduce(0, +) == copied.count + allTags)
  }

  /// The objects that go along with some, in the plainest way, and the links to tags.
  private static func reached(
    _ state: Graph.State, _ roots: some Sequence<String>
  ) -> (Set<String>, Set<[String]>) {
    var (owned, waiting) = (Set<String>(), Array(roots))
    while let key = waiting.popLast() {
      guard owned.insert(key).inserted, key.hasPrefix("Node ") else { continue }
      let code = Value.text(String(key.dropFirst(5)))
      for (other, object) in state.objects where object["parent"] == code || object["node"] == code {
        waiting.append(other)
      }
    }
    let tags = state.tags.filter { owned.contains("Node \($0[0])") }
    var reached = Set<String>()
    waiting = Array(owned) + tags.map { "Tag \($0[1])" }
    while let key = waiting.popLast() {
      guard reached.insert(key).inserted, let object = state.objects[key] else { continue }
      for name in ["next", "parent", "mate", "node", "owner"] {
        guard case .text(let code)? = object[name] else { continue }
        waiting.append((name == "owner" ? "Owner " : "Node ") + code)
      }
    }
    return (reached, tags)
  }

  @Test func `a long chain is copied to its end, and a circle once`() async throws {
    let here = try TemporaryStore()
    let source = try here.open(Graph.pipeline)
    let target = try SQLiteEngine.makeEmpty(at: nil, source.model())
    let count = 20_000
    try here.shell(
      """
      INSERT INTO Owner(name)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) SELECT i FROM n;
      INSERT INTO Node(code, size, owner_id, next_id) SELECT 'n' || bolide_id, 1, bolide_id, NULL FROM Owner;
      UPDATE Node SET next_id = nullif(bolide_id % \(count) + 1, 0);
      """)
    let report = try await source.face.copy("Node", where: "code = 'n1'", into: target.face)
    #expect(report.counts.map(\.entity) == ["Node", "Owner"])
    #expect(report.counts.map(\.inserted) == [count, count])
    let links =
      "SELECT n.code, x.code FROM Node AS n JOIN Node AS x ON x.bolide_id = n.next_id ORDER BY n.code"
    #expect(try target.rows(links) == source.rows(links))
    #expect(try target.findings().isEmpty)
  }

  // MARK: Refusals

  private func refusal(
    _ change: (inout Pipeline) -> Void = { _ in },
    here sql: String = "INSERT INTO Node(code, size) VALUES ('a', 5)"
  ) async throws -> (message: String, code: StoreError.Code, hint: String?)? {
    let (here, there) = (try TemporaryStore(), try TemporaryStore())
    var pipeline = Graph.pipeline
    change(&pipeline)
    let (source, target) = (try here.open(Graph.pipeline).face, try there.open(pipeline).face)
    try here.shell(sql)
    let before = try await target.newestToken()
    do {
      _ = try await source.copy("Node", where: .all, into: target)
      return nil
    } catch let error as StoreError {
      #expect(try await target.newestToken() == before)
      #expect(try await target.count(ObjectQuery("Node")) == 0)
      #expect(error.message.hasPrefix("\(there.path): ") || error.message.hasPrefix("\(here.path): "))
      // The other file is let go.
      _ = try await target.insert("Tag", ["word": "after"])
      return (error.message.replacing(#/^.*?: /#, with: ""), error.code, error.hint)
    }
  }

  @Test func `what the other store has no place for is said, and nothing is copied`() async throws {
    let migrate = "Add it to this store's pipeline, and migrate the store."
    let lacks = try await refusal {
      $0[entity: "Node"].attributes.removeAll { $0.name == "price" }
      $0.fields.removeLast()
    }
    #expect(
      lacks?.message == "Node has no place for 'price' of the copied objects: nothing was copied"
        && lacks?.code == .modelChange && lacks?.hint == migrate)
    let unlinked = try await refusal { $0[entity: "Node"].relationships.removeAll { $0.name == "next" } }
    #expect(unlinked?.message == "Node has no place for 'next' of the copied objects: nothing was copied")
    let typed = try await refusal { $0[entity: "Node"]["price"] = Attribute(name: "price", type: .double) }
    #expect(
      typed?.message
        == "'price' of Node is a double, and a decimal in the copied objects: nothing was copied")
    let keyed = try await refusal {
      $0[entity: "Node"].key = ["code", "size"]
      $0[entity: "Node"]["size"].isRequired = true
    }
    #expect(
      keyed?.message == "Node has another key than code: nothing was copied"
        && keyed?.hint == "Objects are known by their keys: both stores need the same one.")
    let bounded = try await refusal { $0[entity: "Node"]["size"].maximum = 4 }
    let rule = "size is greater than its maximum"
    #expect(bounded?.code == .constraint)
    #expect(
      bounded?.message == "copied objects break a rule of Node (\(rule)): nothing was copied")
    #expect(try await refusal({ $0[entity: "Node"]["size"].maximum = 4 }, here: "SELECT 1") == nil)
  }

  @Test func `an entity that is not there, the same store, and a predicate that is none`() async throws {
    let (here, there) = (try TemporaryStore(), try TemporaryStore())
    let source = try here.open(Graph.pipeline).face
    let target = try there.open(plainPipeline([Attribute(name: "id", type: .string, isRequired: true)])).face
    try here.shell("INSERT INTO Node(code) VALUES ('a')")
    func error(_ body: () async throws -> Void) async -> StoreError? {
      await #expect(throws: StoreError.self) { try await body() }
    }
    let lacks = await error { try await source.copy("Node", where: .all, into: target) }
    #expect(
      lacks?.message
        == "\(there.path): there is no entity 'Node' to copy objects into: nothing was copied")
    let same = await error { try await source.copy("Node", where: .all, into: source) }
    #expect(
      same?.message
        == "\(here.path): objects are copied into another store, and this is the same one")
    let wrong = await error { try await source.copy("Node", where: "sice > 1", into: target) }
    #expect(
      wrong?.message == "\(here.path): Node has no attribute or relationship 'sice'; did you mean 'size'?")
    let none = await error { try await source.copy("Nod", where: .all, into: target) }
    #expect(none?.message == "\(here.path): the store has no entity 'Nod'")
  }
}
