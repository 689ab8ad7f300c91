import Bolide
import Foundation
import StoreInterface
import Testing

/// What is easily forgotten: bytes that Swift takes for others, names with backslashes, rows that only an import's end touches.
struct EdgeLaws {
  private static let model = """
    bolide: 1
    name: law
    store: law.sqlite
    entity: Post
    key: id
    attributes:
      id: integer64
      name: string
      size: integer64
      gone: boolean
      stamp: { type: date, precision: us, derived: now() }

    """

  @Test(arguments: Engine.keeping) func `a row that is marked as gone has changed just now`(_ engine: Engine)
    throws
  {
    let store = try LawStore(engine, Self.model, "feed: full\ngone: { mark: gone }\nmax-missing: 100%\n")
    func stamp() throws -> Value? { try store.rows("Post")["2"]?["stamp"] }
    try store.take([#"{"id": 1}"#, #"{"id": 2}"#])
    let first = try stamp()
    try store.take([#"{"id": 1}"#])
    let marked = try stamp()
    #expect(marked != first && marked != .null)
    try store.take([#"{"id": 1}"#])
    #expect(try stamp() == marked)
    try store.take([#"{"id": 1}"#, #"{"id": 2}"#])
    #expect(try stamp() != marked)
    #expect(try store.rows("Post")["2"]?["gone"] == .integer(0))
  }

  /// é, as one scalar and as two: the same to a reader, and to Swift.
  @Test(arguments: Engine.keeping) func `texts are their bytes`(_ engine: Engine) throws {
    let (one, two) = ("\u{e9}", "e\u{301}")
    let store = try LawStore(engine, Self.model)
    try store.take([#"{"id": 1, "name": "\#(one)", "size": 1}"#])
    let token = try store.engine.newestToken()
    try store.take([#"{"id": 1, "name": "\#(two)", "size": 1}"#])
    func bytes() throws -> [UInt8] { Array((try store.rows("Post")["1"]?["name"]?.plain ?? "").utf8) }
    #expect(try bytes() == Array(two.utf8))
    var request = HistoryRequest(after: token)
    request.isNet = true
    let net = try store.engine.history(request).flatMap(\.changes)
    #expect(
      net.flatMap(\.previous).filter { $0.name == "name" }.map { Array($0.value.plain.utf8) } == [
        Array(one.utf8)
      ])
    let log = try store.engine.log(of: "Post", .key(["id=1"]))
    #expect(log.flatMap(\.differences).filter { $0.name == "name" }.count == 2)
    var past: [[UInt8]] = []
    try store.engine.readRows(ObjectQuery("Post"), at: token) { row in
      past += row.values.filter { $0.name == "name" }.map { Array($0.value.plain.utf8) }
    }
    #expect(past == [Array(one.utf8)])
    _ = try store.engine.revert(.token(token), force: false, EditOptions())
    #expect(try bytes() == Array(one.utf8))
  }

  @Test(arguments: Engine.keeping, ["\u{301}", "\u{200d}", "\u{5b0}", ""])
  func `a quote is one, whatever stands behind it`(_ engine: Engine, _ sign: String) throws {
    let store = try LawStore(
      engine, Self.model.replacing("name: string", with: #"name: { type: string, default: "a'\#(sign)b" }"#))
    let text = #"it'\#(sign)s \\\#(sign)x""#
    let json = text.unicodeScalars.map { ["\"", "\\"].contains($0) ? "\\\($0)" : "\($0)" }.joined()
    try store.take([#"{"id": 1, "name": "\#(json)"}"#, #"{"id": 2}"#])
    #expect(try store.ids("Post", "name = ?", [.text(text)]) == store.ids("Post", "id = 1"))
    let quoted = text.unicodeScalars.map { $0 == "'" ? "''" : "\($0)" }.joined()
    #expect(try store.ids("Post", "name = '\(quoted)'") == store.ids("Post", "id = 1"))
    #expect(try store.ids("Post", "name = 'a''\(sign)b'") == store.ids("Post", "id = 2"))
    #expect(try store.ids("Post", "replace(name, '\(sign)b', '') = 'a''' or '\(sign)' = ''").count > 0)
  }

  @Test(arguments: Engine.keeping) func `nullif compares its arguments as they are`(_ engine: Engine) throws {
    let store = try LawStore(engine, Self.model)
    try store.take([#"{"id": 1, "size": 5, "name": "5"}"#, #"{"id": 2}"#])
    for (condition, count) in [
      ("nullif(size, '5') is null", 1), ("nullif(size, 5) is null", 2), ("nullif(name, '5') is null", 2),
      ("nullif(name, 5) = '5'", 1), ("nullif('5', size) = '5'", 2), ("strftime('', stamp) = ''", 2),
    ] {
      do {
        #expect(try store.ids("Post", condition).count == count, "\(condition)")
      } catch let error as StoreError where error.code == .unsupported {
        #expect(engine == .postgreSQL)
      }
    }
  }

  @Test(arguments: Engine.keeping) func `an input's name may hold a backslash`(_ engine: Engine) throws {
    let pipeline = try Pipeline(
      yaml: Self.model + "keep-text: false\nmax-rejects: 100%\n", file: "law.yaml", directory: ".")
    let store = try engine.make(pipeline)
    for _ in 1...2 {
      var options = ImportOptions()
      options.force = true
      let report = try store.run(
        pipeline,
        on: [.bytes(#"{"id": 1, "size": "x"}{"id": 2, "size": "y"}{"id": 3}"#.utf8, name: #"q\dir\x0"#)],
        options: options)
      #expect(report.progress.counts.rejected == 2)
    }
    var kept: [String] = []
    try store.readRejects(RejectFilter()) {
      kept.append("\($0.reject.input) \($0.reject.record) \($0.times)")
    }
    #expect(kept == [#"q\dir\x0 1 2"#, #"q\dir\x0 2 2"#])
  }

  /// The values are the same in their other form.
  @Test(
    arguments: Engine.keeping, [("integer16", "double"), ("float", "double"), ("integer16", "integer64")])
  func `a run is reverted behind a widening`(_ engine: Engine, _ types: (String, String)) throws {
    func model(_ type: String) -> String {
      """
      bolide: 1
      name: law
      store: law.sqlite
      entity: Item
      key: id
      attributes: { id: integer64, size: \(type), twice: { derived: size } }

      """
    }
    let store = try LawStore(engine, model(types.0))
    try store.take([#"{"id": 1, "size": 1000}"#, #"{"id": 2, "size": 7}"#])
    try store.take([#"{"id": 2, "size": 8}"#])
    let wide = try Pipeline(yaml: model(types.1), file: "law.yaml", directory: ".")
    let input = ImportSource.bytes(#"{"id": 3, "size": 1}"#.utf8, name: "feed")
    _ = try store.engine.run(wide, on: [input], options: ImportOptions())
    let report = try store.engine.revert(.run(2), force: false, EditOptions())
    #expect(report.edit.counts.map(\.updated) == [1])
    #expect(report.left.isEmpty)
    let next = try store.engine.revert(.run(1), force: false, EditOptions())
    #expect(next.left.isEmpty)
    #expect(next.edit.counts.map(\.deleted) == [2])
    try store.engine.verify { Issue.record("\($0)") }
  }

  /// Of which any may be rejected.
  private static let items = """
    bolide: 1
    name: law
    store: law.sqlite
    entity: Item
    key: id
    max-rejects: 100%

    """

  /// Their record is replayed: each keeps its number, its own place, and its own past.
  @Test(arguments: Engine.keeping) func `rejected children are rejected again by a replay`(_ engine: Engine)
    throws
  {
    func model(_ most: Int) -> String {
      Self.items + """
        attributes: { id: integer64, size: { type: integer64, max: \(most) } }
        children:
          kids:
            entity: Kid
            inverse: item
            key: [item, n]
            attributes: { n: { type: integer32, max: 5 } }

        """
    }
    let store = try LawStore(engine, model(9))
    func kept() throws -> [String] {
      try store.engine.rejects(RejectFilter(), after: 0).map {
        "\($0.number): \($0.reject.record) \($0.reject.child) at \($0.reject.byte), \($0.reject.column): \($0.times) since \($0.firstRun)"
      }
    }
    try store.take([
      #"{"id": 1, "kids": [{"n": 7}, {"n": 5}, {"n": 8}]}"#, #"{"id": 2, "size": 10, "kids": [{"n": 6}]}"#,
    ])
    #expect(
      try kept() == [
        "1: 1 1 at 19, 26: 1 since 1", "2: 1 3 at 39, 46: 1 since 1", "3: 2 0 at 50, 19: 1 since 1",
      ])
    _ = try store.engine.replay(
      Pipeline(yaml: model(9), file: "law.yaml", directory: "."), options: ImportOptions())
    #expect(
      try kept() == [
        "1: 1 1 at 19, 26: 2 since 1", "2: 1 3 at 39, 46: 2 since 1", "3: 2 0 at 50, 19: 2 since 1",
      ])
    _ = try store.engine.replay(
      Pipeline(yaml: model(10), file: "law.yaml", directory: "."), options: ImportOptions())
    #expect(
      try kept() == [
        "1: 1 1 at 19, 26: 3 since 1", "2: 1 3 at 39, 46: 3 since 1", "4: 2 1 at 50, 19: 1 since 3",
      ])
  }

  /// Two children, each the first one of its list, differ by why they were rejected, until both are for the same reason.
  @Test(arguments: Engine.keeping) func `rejected records that become the same are counted together`(
    _ engine: Engine
  ) throws {
    func model(_ most: (n: Int, m: Int, w: Int)) throws -> String {
      Self.items + """
        attributes: { id: integer64 }
        children:
          boxes:
            entity: Box
            inverse: item
            key: [item, b]
            attributes: { b: integer32 }
            children:
              kids:
                entity: Kid
                inverse: box
                key: [box, n]
                attributes:
                  n: { type: integer32, max: \(most.n) }
                  m: { type: integer32, max: \(most.m) }
                  w: { type: integer32, max: \(most.w) }

        """
    }
    let store = try LawStore(engine, model((5, 5, 9)))
    func kept() throws -> [String] {
      try store.engine.rejects(RejectFilter(), after: 0).map {
        "\($0.number): \($0.reject.code) \($0.reject.attribute ?? ""): \($0.times) since \($0.firstRun)"
      }
    }
    try store.take([
      #"{"id": 1, "boxes": [{"b": 1, "kids": [{"n": 7, "m": 1, "w": 8}]}, {"b": 2, "kids": [{"n": 1, "m": 7, "w": 8}]}]}"#
    ])
    #expect(try kept() == ["1: out-of-range n: 1 since 1", "2: out-of-range m: 1 since 1"])
    func replay(_ most: (Int, Int, Int)) throws {
      let pipeline = try Pipeline(yaml: model(most), file: "law.yaml", directory: ".")
      _ = try store.engine.replay(pipeline, options: ImportOptions())
    }
    try replay((9, 9, 5))
    #expect(try kept() == ["1: out-of-range w: 4 since 1"])
    try replay((5, 5, 9))
    #expect(try kept() == ["1: out-of-range n: 5 since 1", "3: out-of-range m: 1 since 3"])
  }

  /// They are a ring: whichever goes first, the other's link would deny that.
  @Test(arguments: Engine.keeping) func `a revert takes back a ring of links that deny deletions`(
    _ engine: Engine
  ) throws {
    let store = try LawStore(
      engine,
      Self.items + """
        attributes: { id: integer64 }
        relationships: { notes: { to-many: Note, inverse: item, on-delete: deny }, first: { to-one: Note } }
        entities:
          Note:
            key: number
            attributes: { number: integer64 }
            relationships: { item: { to-one: Item, inverse: notes } }

        """)
    try store.take([#"{"id": 1}"#])
    let token = try store.engine.newestToken()
    func write(_ entity: String, _ values: ObjectValues, _ links: [String: ObjectValues?]) throws {
      _ = try store.engine.writeObject(entity, values, links: links, .upsert, EditOptions())
    }
    try store.take([#"{"id": 2}"#, #"{"id": 3}"#])
    for (number, item) in [(1, 2), (2, 3), (3, 1)] as [(Int64, Int64)] {
      try write(
        "Note", ObjectValues(["number": number]), ["item": ObjectValues(["id": item])])
    }
    for (item, number) in [(2, 1), (3, 2)] as [(Int64, Int64)] {
      try write(
        "Item", ObjectValues(["id": item]), ["first": ObjectValues(["number": number])])
    }
    let report = try store.engine.revert(.token(token), force: false, EditOptions())
    #expect(report.left == [] && report.edit.counts.map(\.deleted).reduce(0, +) == 5)
    #expect(Set(try store.rows("Item").keys) == ["1"])
    #expect(try store.rows("Note").isEmpty)
    try store.engine.verify { Issue.record("\($0)") }
  }

  /// Its key has the owner, which another one has the key of.
  @Test(arguments: Engine.keeping, [false, true])
  func `what a revert leaves with its owner is told to have none`(_ engine: Engine, force: Bool) throws {
    let store = try LawStore(
      engine,
      Self.items + """
        attributes: { id: integer64 }
        feed: full
        gone: delete
        max-missing: 100%
        children:
          notes: { entity: Note, inverse: item, key: [item, number], attributes: { number: integer64 } }

        """)
    for feed in [#"{"id": 1, "notes": [{"number": 5}]}"#, #"{"id": 2}"#, #"{"id": 1}{"id": 2}"#] {
      try store.take([feed])
    }
    let report = try store.engine.revert(.run(2), force: force, EditOptions())
    #expect(
      report.left.map { "\($0.entity) \($0.reason.rawValue)" } == ["Item taken", "Note owner-gone"])
    #expect(report.edit.counts.map(\.deleted) == [1])
    #expect(Set(try store.rows("Item").keys) == ["1"])
    try store.engine.verify { Issue.record("\($0)") }
  }

  /// Its parent is not new any more; what another child had once, and was taken away since, does not come back.
  @Test(arguments: Engine.keeping, [false, true])
  func `a rejected child that lands at last is linked`(_ engine: Engine, isNested: Bool) throws {
    func model(_ most: Int) -> String {
      let tags = """
        tags:
          entity: Tag
          inverse: holders
          many-to-many: true
          key: n
          attributes: { n: { type: integer32, max: \(most) } }

        """
      let outer = """
        kids:
          entity: Kid
          inverse: item
          key: [item, k]
          attributes: { k: integer32 }
          children:

        """
      func indented(_ text: String, by places: Int) -> String {
        text.split(separator: "\n").map { String(repeating: " ", count: places) + $0 + "\n" }.joined()
      }
      return Self.items + """
        attributes: { id: integer64 }
        children:

        """ + (isNested ? indented(outer, by: 2) : "") + indented(tags, by: isNested ? 6 : 2)
    }
    let store = try LawStore(engine, model(5))
    let tags = #""tags": [{"n": 1}, {"n": 7}, {"n": 2}]"#
    try store.take([isNested ? #"{"id": 1, "kids": [{"k": 4, \#(tags)}]}"# : #"{"id": 1, \#(tags)}"#])
    let holder = isNested ? "Kid" : "Item"
    let links = "\(holder)_tags"
    func linked() throws -> Int { try store.engine.readCount(ObjectQuery(links), at: nil) }
    #expect(try linked() == 2)
    _ = try store.engine.deleteObjects(ObjectQuery(links, where: "holders = 1 AND tags = 2"), EditOptions())
    #expect(try linked() == 1)
    let wide = try Pipeline(yaml: model(9), file: "law.yaml", directory: ".")
    let report = try store.engine.replay(wide, options: ImportOptions())
    #expect(report.progress.children.last?.counts.inserted == 1)
    #expect(try linked() == 2)
    #expect(try store.engine.readCount(ObjectQuery("Tag"), at: nil) == 3)
    try store.engine.verify { Issue.record("\($0)") }
  }
}
