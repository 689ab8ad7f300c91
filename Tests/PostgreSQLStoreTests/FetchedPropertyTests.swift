import Bolide
import ImportModel
import StoreInterface
import Testing

/// What fetched properties find at a server is what they find in a file, or they are refused by name.
struct FetchedPropertyTests {
  /// Recipes and the notes on them.
  private static let model = """
    bolide: 1
    name: notes
    store: notes.sqlite
    entity: Note
    key: number
    attributes:
      number:  integer64
      slug:    string
      recipe:  string
      stars:   integer64
      text:    string
      price:   { type: decimal, scale: 2 }
      author:  { type: string, transient: true }
    link:
      by: { to: { name: author } }
    relationships:
      by: { to-one: Author, inverse: notes }
    entities:
      Author:
        key: name
        attributes: { name: string }
        relationships: { notes: { to-many: Note, inverse: by } }

    """

  private static let records = [
    #"{"number": 1, "slug": "soup", "stars": 3, "price": 2.5, "author": "x"}"#,
    #"{"number": 2, "slug": "tart", "stars": 6, "price": 7, "author": "y"}"#,
    #"{"number": 3, "slug": "cake"}"#,
    #"{"number": 4, "slug": "it's", "stars": 5, "author": "x"}"#,
    #"{"number": 10, "recipe": "soup", "stars": 5, "text": "good", "price": 2.5, "author": "x"}"#,
    #"{"number": 20, "recipe": "soup", "stars": 2, "text": "thin", "author": "z"}"#,
    #"{"number": 30, "recipe": "tart", "stars": 4, "price": 7}"#,
    #"{"number": 40, "recipe": "gone", "stars": 1, "text": "", "author": "x"}"#,
    #"{"number": 50, "recipe": "soup", "stars": 4, "text": "again", "author": "x"}"#,
  ]

  private static func notes(
    _ predicate: String? = "recipe = $FETCH_SOURCE.slug", _ name: String = "notes", sort: [String] = [],
    limit: Int? = nil, finds: FetchedProperty.Cardinality = .many, info: [String: Value] = [:],
    store: String? = nil
  ) -> FetchedProperty {
    FetchedProperty(
      name: name, destination: "Note", predicate: predicate, sort: sort, limit: limit, cardinality: finds,
      userInfo: info, store: store)
  }

  private func stores(_ properties: FetchedProperty..., records: [String] = records) throws -> FetchedStores {
    try FetchedStores(Self.model, properties, records)
  }

  private func recipes(_ related: String..., change: (inout ObjectQuery) -> Void = { _ in }) -> ObjectQuery {
    var request = ObjectQuery("Note", where: "slug IS NOT NULL")
    request.related = related
    change(&request)
    return request
  }

  /// What is found for each recipe: `soup 10 20`.
  private func found(_ rows: [Snapshot.Row]) -> [String] {
    rows.map { row in
      let slug = row.values.first { $0.name == "slug" }?.value.text ?? ""
      return ([slug] + row.fetched.flatMap { $0.rows.map(\.key[0].value.text) }).joined(separator: " ")
    }
  }

  @Test func `each object has what belongs to it, in its order and within its limit`() throws {
    let both = try stores(
      Self.notes(sort: ["-stars"]),
      Self.notes("recipe = $FETCH_SOURCE.slug", "newest", sort: ["-number"], limit: 2),
      Self.notes("recipe IS NOT NULL AND by.name = $FETCH_SOURCE.by.name", "own"),
      Self.notes("number > 5", "all"), Self.notes("stars = $FETCH_SOURCE", "numbered"),
      Self.notes(
        "recipe = $FETCH_SOURCE.slug AND stars >= $FETCHED_PROPERTY.least", "good", info: ["least": 4]),
      Self.notes("number > 5 AND price = $FETCH_SOURCE.price", "same"),
      Self.notes("number > 5 AND any(by.notes, stars < $FETCH_SOURCE.stars - 3)", "beside"))
    for (name, expected) in [
      ("notes", ["soup 10 50 20", "tart 30", "cake", "it's"]),
      ("newest", ["soup 50 20", "tart 30", "cake", "it's"]),
      ("OWN", ["soup 10 40 50", "tart", "cake", "it's 10 40 50"]),
      ("all", ["soup", "tart", "cake", "it's"].map { "\($0) 10 20 30 40 50" }),
      ("numbered", ["soup 40", "tart 20", "cake 1", "it's 30 50"]),
      ("good", ["soup 10 50", "tart 30", "cake", "it's"]), ("same", ["soup 10", "tart 30", "cake", "it's"]),
      ("beside", ["soup", "tart 10 20 40 50", "cake", "it's 10 40 50"]),
    ] {
      #expect(found(try both.answer(recipes(name)).rows) == expected, "\(name)")
    }
  }

  @Test func `rows have their values, beside relationships and other properties`() throws {
    let both = try stores(
      Self.notes("recipe = $FETCH_SOURCE.slug AND text = 'thin'", "thin", finds: .optional), Self.notes())
    var request = ObjectQuery("Note", where: "slug = ?", ["soup"])
    (request.properties, request.related) = (["stars"], ["notes", "by", "thin", "NOTES"])
    let row = try #require(try both.answer(request).rows.first)
    #expect(
      row.values.map(\.name) == ["stars", "by"] && row.related.first?.row?.values.map(\.value) == ["x"])
    #expect(row.fetched.map(\.name) == ["notes", "thin"])
    #expect(row.fetched[0].rows.map(\.key[0].value) == [10, 20, 50])
    #expect(row.fetched[1].rows.map { $0.values.map(\.value) } == [[20, .null, "soup", 2, "thin", .null, 3]])
    for engine in both.engines {
      var example = try engine.exampleRow(of: request)
      #expect(example.fetched.map(\.name) == ["notes", "thin", "NOTES"])
      request.predicate = "slug = 'none'"
      request.arguments = []
      example = try engine.exampleRow(of: request)
      #expect(example.fetched.map(\.rows) == [[], [], []])
      (request.predicate, request.arguments) = ("slug = ?", ["soup"])
    }
  }

  @Test func `cells are handed over once, and those that nobody asks for are passed`() throws {
    let both = try stores(Self.notes(sort: ["-number"]), Self.notes("number > 5", "all"))
    let texts = try both.engines.map { engine in
      var texts: [String] = []
      var layout: RowLayout?
      try engine.readCells(recipes("notes", "all"), at: nil) {
        layout = $0
      } row: { row in
        let cell = layout?.fetched[0].layout.members.first { $0.name == "number" }?.cell ?? 0
        var numbers: [String] = []
        for _ in 0..<2 {
          try row.fetched(0) { if case .integer(let number) = $0[cell] { numbers.append("\(number)") } }
        }
        texts.append(numbers.joined(separator: " "))
      }
      #expect(layout?.fetched.map(\.property.name) == ["notes", "all"])
      return texts
    }
    #expect(texts == [["50 20 10", "30", "", ""], ["50 20 10", "30", "", ""]])
  }

  @Test func `objects without any are listed, with everything else that a request can say`() throws {
    let both = try stores(
      Self.notes(), Self.notes("stars > 4", "any"), Self.notes("by = $FETCH_SOURCE.by", "own"))
    func slugs(_ change: (inout ObjectQuery) -> Void) throws -> [String] {
      let request = recipes {
        $0.dangling = "notes"
        change(&$0)
      }
      let rows = try both.answer(request).rows
      for engine in both.engines { #expect(try engine.readCount(request, at: nil) == rows.count) }
      return found(rows)
    }
    #expect(try slugs { _ in } == ["cake", "it's"])
    #expect(try slugs { $0.sort = [.init("slug", ascending: false)] } == ["it's", "cake"])
    #expect(
      try slugs { ($0.predicate, $0.arguments) = ("slug > '' AND stars < ?", [10]) } == ["it's"])
    #expect(try slugs { ($0.limit, $0.offset) = (1, 1) } == ["it's"])
    #expect(try slugs { $0.batchSize = 1 } == ["cake", "it's"])
    #expect(try slugs { $0.dangling = "any" } == [])
    #expect(try slugs { $0.dangling = "OWN" } == ["cake"])
    #expect(try slugs { $0.related = ["notes", "own"] } == ["cake", "it's 1 4 10 40 50"])
    var groups = ObjectQuery("Note")
    (groups.dangling, groups.groups) = ("notes", ["by.name"])
    groups.aggregates = [.init(.count, as: "n")]
    groups.sort = [.init("by.name")]
    let rows = try both.answer(groups).rows
    let texts = rows.map { [$0.related[0].row?.values[0].value.text, $0.values[1].value.text] }
    #expect(texts == [[nil, "2"], ["x", "4"], ["z", "1"]])
  }

  @Test func `one and optional are held to their word`() throws {
    let both = try stores(
      Self.notes(finds: .optional), Self.notes("recipe = $FETCH_SOURCE.slug", "single", finds: .one),
      Self.notes("recipe = $FETCH_SOURCE.slug", "first", limit: 1, finds: .optional),
      Self.notes("number = 10", "same", finds: .one))
    #expect(found(try both.answer(recipes("first")).rows) == ["soup 10", "tart 30", "cake", "it's"])
    #expect(
      found(try both.answer(recipes("same")).rows) == ["soup", "tart", "cake", "it's"].map { "\($0) 10" })
    let hint = "Allow many, set a limit and sort keys, or correct the rows."
    #expect(
      try both.answer(recipes("notes"))
        == .error(
          .guarded,
          "Note.notes has several objects for one Note (key: number), and allows at most one \(hint)"))
    #expect(
      try both.answer(recipes("single"))
        == .error(
          .guarded, "Note.single has several objects for one Note (key: number), and allows one \(hint)"))
    #expect(
      try both.answer(recipes("single") { $0.predicate = "slug = 'cake'" })
        == .error(
          .guarded,
          "Note.single has no object for one Note (key: number), and requires one List such objects."))
  }

  @Test func `a past state, a pinned one and a difference have what was found then`() throws {
    let both = try stores(Self.notes())
    let tokens = try both.engines.map { try $0.newestToken() }
    let pins = try both.engines.map { try $0.pinState(at: nil) }
    let older = try both.engines.indices.map { try both.engines[$0].pinState(at: tokens[$0]) }
    try both.take([
      #"{"number": 20, "recipe": "cake"}"#, #"{"number": 2, "slug": "x"}"#,
      #"{"number": 50, "recipe": null}"#,
      #"{"number": 60, "recipe": "it's"}"#,
    ])
    let past = ["soup 10 20 50", "tart 30", "cake", "it's"]
    #expect(found(try both.answer(recipes("notes")).rows) == ["soup 10", "x", "cake 20", "it's 60"])
    let alone = recipes { $0.dangling = "notes" }
    for (place, engine) in both.engines.enumerated() {
      let (token, now) = (tokens[place], try engine.newestToken())
      #expect(found(try FetchedStores.answer(engine, recipes("notes"), at: token).rows) == past)
      for pin in [pins[place], older[place]] {
        for _ in 1...2 { #expect(found(try pin.rows(recipes("notes"))) == past) }
        #expect(try pin.count(alone) == 2 && found(pin.rows(alone)) == ["cake", "it's"])
      }
      #expect(found(try FetchedStores.answer(engine, alone, at: token).rows) == ["cake", "it's"])
      #expect(found(try FetchedStores.answer(engine, alone).rows) == ["x"])
      let difference = try engine.difference(of: alone, from: token, to: now)
      #expect(difference.objects.insertions.count == 1 && difference.objects.removals.count == 2)
    }
  }

  @Test func `an edit takes the objects for which nothing is found`() throws {
    let both = try stores(Self.notes())
    let request = recipes { $0.dangling = "notes" }
    let reports = try both.engines.map { try $0.deleteObjects(request, EditOptions()) }
    #expect(reports[0].counts == reports[1].counts)
    #expect(found(try both.answer(recipes()).rows) == ["soup", "tart"])
  }

  @Test func `more is found than a page has, and for more objects`() throws {
    let records =
      (0..<700).map { #"{"number": \#($0), "slug": "s\#($0 % 350)"}"# }
      + (1000..<2200).map {
        #"{"number": \#($0), "recipe": "s\#($0 % 400 < 300 ? 7 : $0 % 400)", "stars": \#($0 % 5)}"#
      }
    let both = try stores(
      Self.notes(sort: ["stars", "-number"]), Self.notes("recipe = $FETCH_SOURCE.slug", "few", limit: 3),
      records: records)
    for size in [nil, 1, 100, 256, 257] as [Int?] {
      let request = recipes("notes", "few") {
        ($0.sort, $0.batchSize) = ([.init("slug", ascending: false)], size)
        if size == 1 { ($0.offset, $0.limit) = (5, 9) }
      }
      let rows = try both.answer(request).rows
      #expect(rows.count == (size == 1 ? 9 : 700))
      for engine in both.engines {
        var paged: [Snapshot.Row] = []
        let pages = try engine.openRows(request, at: nil)
        while case let page = try pages.next(), !page.isEmpty { paged += page }
        #expect(paged == rows)
      }
    }
    // Whoever stops in the middle leaves nothing open.
    for engine in both.engines {
      struct Stop: Error {}
      for _ in 1...2 {
        #expect(throws: Stop.self) { try engine.readRows(recipes("notes"), at: nil) { _ in throw Stop() } }
        let pages = try engine.openRows(recipes("notes"), at: nil)
        #expect(try pages.next().count == 256)
        pages.end()
      }
    }
  }

  // MARK: What is refused

  @Test func `what leads into another store is refused by name`() throws {
    let both = try stores(
      Self.notes(store: "other.sqlite"), Self.notes("recipe = $FETCH_SOURCE.slug", "here"))
    let server = both.engines[1]
    let sentence = "PostgreSQL stores do not support Note.notes, which is fetched from another store"
    for request in [recipes("notes"), recipes("here", "notes"), recipes { $0.dangling = "notes" }] {
      #expect(try FetchedStores.answer(server, request) == .error(.unsupported, sentence))
    }
    // Which objects there are is another question.
    #expect(try server.readCount(recipes("notes"), at: nil) == 4)
    #expect(found(try both.answer(recipes("here")).rows) == ["soup 10 20 50", "tart 30", "cake", "it's"])
    #expect(
      try both.answer(recipes("here") { $0.stores = ["othr.sqlite": "y"] })
        == .error(
          .badRequest,
          "no fetched property of Note refers to a store 'othr.sqlite'; did you mean 'other.sqlite'?"))
  }

  @Test func `what a predicate cannot say at a server is refused by the property's name`() throws {
    let both = try stores(
      Self.notes("text GLOB $FETCH_SOURCE.slug"), Self.notes("text = $FETCH_SOURCE.stars", "kinds"),
      Self.notes("number + $FETCHED_PROPERTY.much > 0", "large", info: ["much": .integer(.max)]))
    for (name, what) in [("notes", "GLOB"), ("kinds", "comparing numbers with texts row by row")] {
      for request in [recipes(name), recipes { $0.dangling = name }]
      where name != "kinds" || !request.related.isEmpty {
        #expect(
          try FetchedStores.answer(both.engines[1], request)
            == .error(.unsupported, "Note.\(name): PostgreSQL stores do not support \(what) in a predicate"))
      }
    }
    let large = "the predicate fails (bigint out of range)"
    #expect(
      try FetchedStores.answer(both.engines[1], recipes("large"))
        == .error(.badRequest, "Note.large: \(large)"))
    #expect(
      try FetchedStores.answer(both.engines[1], recipes { $0.dangling = "large" })
        == .error(.badRequest, large))
  }

  @Test func `other names say what there is, as of a file`() throws {
    let both = try stores(Self.notes())
    let whole =
      "'notes' of Note is a fetched property, which cannot be part of a path, a predicate or a sort key"
    for (request, sentence) in [
      (recipes { $0.dangling = "nots" }, "Note has no fetched property 'nots'; did you mean 'notes'?"),
      (recipes { $0.dangling = "by" }, "Note has no fetched property 'by' It has notes."),
      (recipes { $0.predicate = "notes = 1" }, whole), (recipes { $0.sort = [.init("notes")] }, whole),
      (recipes { $0.properties = ["notes"] }, whole), (recipes("notes.by"), whole),
      (recipes("nots"), "Note has no relationship or fetched property 'nots'; did you mean 'notes'?"),
      (
        recipes { $0.stores = ["x.sqlite": "y"] },
        "no fetched property of Note refers to a store 'x.sqlite'"
      ),
    ] {
      #expect(try both.answer(request) == .error(.badRequest, sentence))
    }
  }
}
