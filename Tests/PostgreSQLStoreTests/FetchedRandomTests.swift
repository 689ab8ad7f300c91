import Bolide
import ImportModel
import StoreInterface
import Testing

/// Random fetched properties over all types, at a server beside a file.
struct FetchedRandomTests {
  private static let properties = 60

  private static let keys = [
    "real", "name", "at", "until", "day", "uid", "price", "flag", "bytes", "doc", "in.code", "large", "in",
  ]

  @Test(arguments: 0..<2)
  func `properties over all types find the same objects in both engines`(seed: Int) throws {
    var chance = RandomConditions(900 + seed)
    let properties = (0..<Self.properties).map { number in
      chance.isOfProperty = true
      var property = FetchedProperty(
        name: "p\(number)", destination: "Thing", predicate: chance.condition(2),
        userInfo: RandomConditions.info)
      if chance.below(2) == 0 { property.limit = 1 + chance.below(5) }
      if chance.below(4) == 0 { property.cardinality = chance.pick([.one, .optional]) }
      for _ in 0..<chance.below(3) {
        property.sort.append((chance.below(2) == 0 ? "-" : "") + chance.pick(Self.keys))
      }
      return property
    }
    chance.isOfProperty = false
    let both = try FetchedStores(RandomConditions.model, properties, (1...30).map { chance.record($0) })
    let tokens = try both.engines.map { try $0.newestToken() }
    try both.take((10...40).map { chance.record($0) })

    var (answered, refused, found, alone, said) = (0, 0, 0, 0, 0)
    for property in properties + properties {
      var request = ObjectQuery("Thing")
      request.predicate = chance.pick(["real > 0 OR price IS NULL", "id % 3 = 1", nil, nil])
      for _ in 0..<chance.below(3) {
        request.sort.append(.init(chance.pick(Self.keys), ascending: chance.below(2) == 0))
      }
      if chance.below(3) == 0 { (request.limit, request.offset) = (chance.below(30), chance.below(10)) }
      if chance.below(3) == 0 { request.batchSize = 1 + chance.below(20) }
      let isPast = chance.below(4) == 0
      (request.related, request.dangling) =
        chance.below(3) == 0 ? ([], property.name) : ([property.name], nil)
      if request.dangling == nil, chance.below(4) == 0 { request.related.append("in") }

      func answer(_ engine: Int) throws -> FetchedStores.Answer {
        try FetchedStores.answer(both.engines[engine], request, at: isPast ? tokens[engine] : nil)
      }
      let (file, server) = (try answer(0), try answer(1))
      if case .error(.unsupported, _) = server {
        refused += 1
        continue
      }
      // SQLite goes on with a real number where a whole one is too large, and computes for fewer pairs.
      if server.text.contains("out of range") || file.text.contains("integer overflow") { continue }
      let isSame = file == server
      try #require(isSame, "\(property) \(request)\n\(file.text)\n\(server.text)")
      answered += 1
      if case .error = server { said += 1 }
      found += server.rows.reduce(0) { $0 + ($1.fetched.first?.rows.count ?? 0) }
      if request.dangling != nil { alone += server.rows.count }
    }
    #expect(
      answered > 60 && found > 800 && alone > 50 && said > 3,
      "\(answered) answered, \(refused) refused, \(found) found, \(alone) alone, \(said) said")
  }
}
