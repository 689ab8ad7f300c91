import Bolide
import StoreInterface
import Testing

/// Derived attributes are what their sources say, behind every chunk, whichever engine keeps them.
struct DerivedLaws {
  @Test(arguments: Engine.allCases, 0..<3)
  func `after every import each derived attribute is what it says`(_ engine: Engine, _ seed: Int) throws {
    var chance = Chance(seed)
    let store = try LawStore(engine, LawStore.quakes, chance.settings() + "max-rejects: 100%\n")
    for _ in 0..<5 {
      try store.take(chance.feed(), chunkRows: 1 + chance.below(8))
      try check(store)
    }
  }

  /// Computes everything again from the rows alone.
  private func check(_ store: LawStore) throws {
    let state = try store.state()
    let regions = state.filter { $0.key.entity == "Region" }
    let quakes = state.filter { $0.key.entity == "Quake" }
    for (region, values) in regions {
      let magnitudes = quakes.values.filter { $0["in"] == .integer(region.id) }.map { $0["magnitude"] }
      let numbers = magnitudes.compactMap { value -> Double? in
        if case .real(let number) = value { number } else { nil }
      }
      #expect(values["count"] == .integer(Int64(magnitudes.count)))
      #expect(values["strong"] == .integer(Int64(numbers.count { $0 > 5 })))
      #expect(values["largest"] == (numbers.max().map { .real($0) } ?? .null))
      guard case .real(let total) = values["total"] else {
        Issue.record("the total is \(values["total"] ?? .null)")
        continue
      }
      #expect(abs(total - numbers.reduce(0, +)) < 1e-9)
      #expect(
        values["plain"]?.plain
          == values["name"]?.plain.lowercased().replacing("é", with: "e").replacing("ö", with: "o"))
    }
    for values in quakes.values {
      let region = values["in"].flatMap { id -> [String: Value]? in
        guard case .integer(let id) = id else { return nil }
        return state[ObjectID(entity: "Region", id: id)]
      }
      #expect(values["region"] == (region?["name"] ?? .null))
    }
  }

  @Test(arguments: Engine.allCases)
  func `now() is the time of the last change, and stays where nothing changes`(_ engine: Engine) throws {
    let store = try LawStore(engine)
    try store.take([#"{"id": 1, "magnitude": 1}"#, #"{"id": 2}"#])
    let first = try store.rows()
    #expect(first["1"]?["touched"] != .null)
    try store.take([#"{"id": 1, "magnitude": 1, "seen": 7}"#])
    #expect(try store.rows()["1"]?["touched"] == first["1"]?["touched"])
    let before = timestamp()
    try store.take([#"{"id": 1, "magnitude": 2}"#])
    let then = try #require(store.rows()["1"]?["touched"]?.plain)
    #expect(then.prefix(19) >= before.prefix(19))
    #expect(try store.rows()["2"]?["touched"] == first["2"]?["touched"])
  }

  private static let means = """
    bolide: 1
    name: law
    store: law.sqlite
    entity: Quake
    key: id
    attributes: { id: integer64, magnitude: double, place: { type: string, transient: true } }
    link: { in: { to: { name: place } } }
    relationships: { in: { to-one: Region, inverse: quakes } }
    entities:
      Region:
        key: name
        attributes:
          name:  string
          total: { derived: quakes.magnitude.@sum }
          mean:  { derived: quakes.magnitude.@average }
        relationships: { quakes: { to-many: Quake, inverse: in } }

    """

  /// At both ends of what a double holds; a mean of half its smallest value is zero.
  @Test(arguments: Engine.allCases) func `a mean is rounded once`(_ engine: Engine) throws {
    let (least, greatest) = (Double.leastNonzeroMagnitude, Double.greatestFiniteMagnitude)
    let cases: [(values: [Double], total: Double?, mean: Double)] = [
      ([least, 0], least, 0), ([-least, 0], -least, 0), ([least, least, 0], 2 * least, least),
      ([greatest, greatest], nil, greatest), ([greatest, -greatest], 0, 0),
      ([3 * least, 0, 0, 0], 3 * least, least), ([-3 * least, 0], -3 * least, -2 * least),
    ]
    let store = try LawStore(engine, Self.means)
    let records = cases.enumerated().flatMap { place, one in
      one.values.enumerated().map { number, value in
        #"{"id": \#(10 * place + number), "magnitude": \#(value), "place": "\#(place)"}"#
      }
    }
    for chunkRows in [1000, 1] {
      try store.take(records, chunkRows: chunkRows)
      let regions = try store.state().filter { $0.key.entity == "Region" }.values
      #expect(regions.count == cases.count)
      for (place, one) in cases.enumerated() {
        let region = regions.first { $0["name"] == .text("\(place)") }
        #expect(region?["total"] == one.total.map(Value.real) ?? .null, "\(one)")
        #expect(region?["mean"] == .real(one.mean), "\(one)")
      }
      // The values come again, one by one.
      try store.take(
        records.map { $0.replacing(/"magnitude": [^,]*/, with: #""magnitude": 1"#) }, chunkRows: 1)
    }
  }

  /// A column decides how a comparison takes its other side, in an aggregate's filter as in a query.
  @Test(arguments: Engine.keeping, [1000, 1])
  func `a filter takes texts and numbers as a query does`(_ engine: Engine, chunkRows: Int) throws {
    let filters = [
      "id = '1'", "id > '1'", "id IN ('1', '3')", "'2' = id", "id = ' 3'", "size > '1.5'", "kind > 3",
      "kind = 5", "day < 2000", "day BETWEEN 1 AND 3000", "flag = '1'", "flag IS '1'", "NOT id < '2'",
      "CASE WHEN id = '1' THEN 1 ELSE 0 END", "iif(day < 2000, 1, 0)",
    ]
    let counts = filters.enumerated().map { "      c\($0): { derived: items.@count, where: \"\($1)\" }" }
    let store = try LawStore(
      engine,
      """
      bolide: 1
      name: law
      store: law.sqlite
      entity: Item
      key: id
      attributes: { id: integer64, size: double, kind: string, day: day, flag: boolean }
      link: { group: { to: { name: kind } } }
      relationships: { group: { to-one: Group, inverse: items } }
      entities:
        Group:
          key: name
          attributes:
            name: string
      \(counts.joined(separator: "\n"))
          relationships: { items: { to-many: Item, inverse: group } }

      """)
    for day in ["1999-05-01", "2026-05-01"] {
      try store.take(
        (1...5).map {
          #"{"id": \#($0), "size": \#(Double($0) / 2), "kind": "5", "day": "\#(day)", "flag": \#($0 == 2)}"#
        }, chunkRows: chunkRows)
      let group = try #require(store.rows("Group")["5"])
      for (place, filter) in filters.enumerated() {
        let count = try store.ids("Item", filter).count
        #expect(group["c\(place)"] == .integer(Int64(count)), "\(filter)")
      }
      try store.engine.verify { #expect($0.isTrue, "\($0)") }
    }
  }
}
