import Bolide
import Foundation
import ImportModel
import SQLiteQueries
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Groups of objects with aggregates, and distinct rows.
/// One at a time: tests that wait would hold hundreds of stores open, and beside so many files no process can be started.
@Suite(.serialized) struct GroupedFetchTests {
  private static let seeds = 2
  private static let requests = 60

  // MARK: Any request

  @Test(arguments: 0..<seeds)
  func `groups are those of the sqlite3 shell, and sums and averages are exact`(seed: Int) throws {
    let temporary = try TemporaryStore()
    var pipeline = Geography.pipeline
    if seed % 2 == 1 { pipeline[entity: "Quake"].indexes = [["group", "felt"], ["end"]] }
    let store = try temporary.open(pipeline)
    try RandomFetch.fill(temporary, rows: 150, seed: 300 + seed)
    try temporary.shell("UPDATE Quake SET cost = depth % 1000 * 7 WHERE bolide_id % 3")
    var dice = Dice(seed)
    let cases = (0..<Self.requests).map { _ in GroupedCase(&dice) }
    let sums = try temporary.python(
      Self.exact, [String(decoding: try JSONEncoder().encode(cases.map(\.sql)), as: UTF8.self)])
    let expected = sums.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    try #require(expected.count == cases.count)

    var rows = 0
    for (one, line) in zip(cases, expected) {
      let found = try store.texts(one)
      try #require(found.joined(separator: " ") == line, "\(one.request)\n\(one.sql)")
      try #require(try store.readCount(one.request, at: nil) == found.count, "\(one.request)")
      rows += found.count
      guard !one.sql.contains("exact_") else { continue }
      let shell = try temporary.shell(
        "SELECT ifnull(group_concat(line, ' '), '') FROM (SELECT \(one.shellLine) AS line FROM (\(one.sql)));"
      )
      try #require(found.joined(separator: " ") + "\n" == shell, "\(one.request)\n\(one.sql)")
    }
    #expect(rows > 300)
  }

  /// The same in Python, whose aggregates are fractions.
  private static let exact = """
    import json, sqlite3, struct, sys
    from fractions import Fraction
    db = sqlite3.connect(sys.argv[1])
    db.text_factory = bytes
    class Sum:
      def __init__(self): self.values = []
      def step(self, value):
        if value is not None: self.values.append(value)
      def total(self):
        if any(isinstance(v, float) and v in (float('inf'), float('-inf')) for v in self.values): return None
        return sum(map(Fraction, self.values), Fraction(0))
      def finalize(self):
        total = self.total()
        if total is None: return None
        return int(total) if -2**63 <= total < 2**63 else None
    class RealSum(Sum):
      def finalize(self):
        total = self.total()
        try: return None if total is None else float(total)
        except OverflowError: return None
    class Average(Sum):
      divisor = 1
      def finalize(self):
        total = self.total()
        return float(total / len(self.values) / self.divisor) if self.values and total is not None else None
    class Hundredths(Average): divisor = 100
    for name, function in [("sum", Sum), ("real_sum", RealSum), ("average", Average), ("hundredths", Hundredths)]:
      db.create_aggregate("exact_" + name, 1, function)
    def text(value):
      if value is None: return "n"
      if isinstance(value, int): return f"i{value}"
      if isinstance(value, float): return "r" + struct.pack(">d", value).hex().upper()
      return "t" + value.hex().upper()
    for sql in json.loads(sys.argv[2]):
      print(" ".join(",".join(map(text, row)) for row in db.execute(sql)))
    """

  // MARK: What is said

  @Test func `a row has the groups as an object has them, and the id of its first object`() async throws {
    let temporary = try TemporaryStore()
    let store = try Geography.store(temporary)
    var request = ObjectQuery("Quake", where: "bolide_id > \(1)", sort: [.init("n", ascending: false)])
    request.groups = ["group.country.name", "order"]
    request.aggregates = [.init(.count, as: "n"), .init(.sum, of: "cost"), .init(.average, of: "cost")]
    let rows = try await store.face.fetch(request)
    #expect(rows.map(\.id) == [3, 4, 2] && rows.map { $0["n"] } == [1, 1, 1])
    #expect(rows.allSatisfy { $0.key.isEmpty })
    #expect(rows.map { $0["sum(cost)"] } == [0, 0, -5])
    #expect(rows.map { $0["average(cost)"] } == [.null, .real(0), .real(-0.05)])
    struct Row: Decodable, Equatable {
      struct Group: Decodable, Equatable {
        struct Country: Decodable, Equatable { let name: String }
        let country: Country?
      }
      let group: Group?
      let order: String?
      let n: Int
    }
    let decoded = try await store.face.fetch(request, as: Row.self)
    #expect(decoded.map(\.order) == [nil, "x", "y"])
    #expect(decoded.map(\.group?.country?.name) == [nil, nil, "Japan"])
    #expect(decoded[0].group != nil && decoded[1].group == nil)
    // What has been counted is counted within the limit.
    request.limit = 2
    #expect(try await store.face.count(request) == 2)
  }

  @Test func `distinct rows, of all states`() async throws {
    let temporary = try TemporaryStore()
    let store = try Geography.store(temporary)
    let token = try await store.face.newestToken()
    var request = ObjectQuery("Quake")
    (request.isDistinct, request.properties) = (true, ["order"])
    let pinned = try await store.face.pin()
    try temporary.shell("UPDATE Quake SET \"order\" = 'x'; DELETE FROM Quake WHERE id = 'four'")
    #expect(try await store.face.fetch(request).map { $0["order"] } == ["x"])
    #expect(try await store.face.fetch(request, at: token).map { $0["order"] } == [.null, "x", "y"])
    #expect(try await pinned.fetch(request).map { $0["order"] } == [.null, "x", "y"])
    #expect(try await pinned.count(request) == 3)
    // An aggregate of all objects is one row, also of none.
    var sum = ObjectQuery("Quake", where: "FALSE")
    sum.aggregates = [.init(.sum, of: "magnitude"), .init(.sum, of: "depth"), .init(.max, of: "depth")]
    let rows = try await store.face.fetch(sum)
    #expect(rows.map { $0.values.map(\.value) } == [[.real(0), 0, .null]] && rows.first?.id == 0)
  }

  @Test func `the sum of a total that is not known is not known`() async throws {
    let temporary = try TemporaryStore()
    let store = try temporary.open(Quakes.pipeline())
    let most = Value.integer(.max)
    try store.take(
      Quakes.pipeline(),
      [
        ["id": "a", "depth": most, "@region": "r"], ["id": "b", "depth": 1, "@region": "r"],
        ["id": "c", "depth": 2, "@region": "s"],
      ])
    var request = ObjectQuery("Region")
    request.aggregates = [
      .init(.sum, of: "depths"), .init(.average, of: "depths"), .init(.sum, of: "quakeCount"),
    ]
    #expect(try await store.face.fetch(request).map { $0.values.map(\.value) } == [[.null, .null, 3]])
    request.predicate = "code = 's'"
    #expect(try await store.face.fetch(request).map { $0.values.map(\.value) } == [[2, .real(2), 1]])
  }

  @Test func `what cannot be grouped is refused`() async throws {
    let temporary = try TemporaryStore()
    let store = try Geography.store(temporary)
    func refusal(_ change: (inout ObjectQuery) -> Void) throws -> String? {
      var request = ObjectQuery("Quake")
      request.groups = ["group.code"]
      change(&request)
      let error = #expect(throws: StoreError.self) { try store.readRows(request, at: nil) { _ in } }
      #expect(error?.code == .badRequest)
      let message = error?.message.replacing("\(temporary.path): ", with: "")
      return [message, error?.hint].compactMap(\.self).joined(separator: "\n")
    }
    #expect(
      try refusal { $0.related = ["group"] }
        == "a fetch of groups can neither include related objects nor be in batches\n"
        + "Group by a path, such as group.year.")
    #expect(try refusal { $0.batchSize = 5 }?.hasPrefix("a fetch of groups can neither") == true)
    #expect(
      try refusal { $0.isDistinct = true } == "distinct rows cannot be grouped: groups are distinct")
    #expect(
      try refusal { ($0.groups, $0.isDistinct) = ([], true) }
        == "distinct rows require the names of properties: no object is the same as another")
    #expect(
      try refusal { $0.aggregates = [.init(.count, as: "")] }
        == "an aggregate has no name\nGive the aggregate another name: count as NAME.")
    #expect(
      try refusal { $0.aggregates = [.init(.max, of: "felt")] }
        == "max requires a number, a text, a date or a day, and 'felt' of Quake is a boolean\n"
        + "count(felt) counts those that are not null.")
    let error = await #expect(throws: StoreError.self) {
      var request = ObjectQuery("Quake")
      request.groups = ["order"]
      let token = try await store.face.newestToken()
      _ = try await store.face.difference(of: request, from: token, to: token)
    }
    #expect(error?.message == "\(temporary.path): the difference of a fetch is about objects, not groups")
  }
}

/// A request for groups, and the same as SQL.
struct GroupedCase {
  var request: ObjectQuery
  var sql: String
  private let width: Int

  private static let values = [
    "magnitude": "q.magnitude", "depth": "q.depth", "end": "q.\"end\"", "cost": "q.cost",
    "group.size": "g.size", "group.quakeCount": "g.quakeCount", "previous.depth": "p.depth",
    "previous.magnitude": "p.magnitude", "previous.group.size": "h.size",
  ]

  init(_ dice: inout Dice) {
    let plain = RandomFetch.request(&dice)
    request = plain.request
    request.sort = []
    var columns: [(name: String, sql: String)] = []
    // A relationship and a path over it would be in one place of a row.
    for (name, sql) in RandomFetch.names.shuffled(using: &dice).prefix(dice.int(0...3))
    where !columns.contains(where: { $0.name.hasPrefix(name + ".") || name.hasPrefix($0.name + ".") }) {
      columns.append((name, sql))
    }
    let groups = columns
    if !groups.isEmpty, dice.once(in: 4) {
      (request.isDistinct, request.properties) = (true, groups.map(\.name))
    } else {
      request.groups = groups.map(\.name)
      for index in 0..<dice.int((groups.isEmpty ? 1 : 0)...3) {
        let (name, sql) = dice.pick(Self.values.sorted { $0.key < $1.key })
        let function = dice.pick(Derivation.Function.allCases)
        let isReal = name.hasSuffix("magnitude")
        let aggregate = ObjectQuery.Aggregate(
          function, of: function == .count && dice.once(in: 2) ? nil : name,
          as: dice.once(in: 2) ? "value \(index)" : nil)
        if request.aggregates.contains(where: { $0.name == aggregate.name }) { continue }
        request.aggregates.append(aggregate)
        let computed =
          switch function {
          case .count: aggregate.property == nil ? "count(*)" : "count(\(sql))"
          case .sum: isReal ? "exact_real_sum(\(sql))" : "exact_sum(\(sql))"
          case .average: name == "cost" ? "exact_hundredths(\(sql))" : "exact_average(\(sql))"
          case .min, .max: "\(function.rawValue)(\(sql))"
          }
        columns.append((aggregate.name, computed))
      }
    }
    var order: [String] = []
    for _ in 0..<(columns.isEmpty ? 0 : dice.int(0...2)) {
      let ((name, sql), rises) = (dice.pick(columns), dice.once(in: 2))
      request.sort.append(.init(name, ascending: rises))
      order.append(sql + (rises ? "" : " DESC"))
    }
    order += groups.map(\.sql)
    width = columns.count
    sql = """
      SELECT \(columns.enumerated().map { "\($1.sql) AS c\($0)" }.joined(separator: ", ")) FROM \(RandomFetch.tables)
      WHERE (\(plain.predicate))
      \(groups.isEmpty ? "" : "GROUP BY " + groups.map(\.sql).joined(separator: ", "))
      \(order.isEmpty ? "" : "ORDER BY " + order.joined(separator: ", "))
      LIMIT \(request.limit ?? -1) OFFSET \(request.offset)
      """
  }

  /// What the shell writes of a row.
  var shellLine: String {
    (0..<width).map {
      """
      CASE typeof(c\($0)) WHEN 'null' THEN 'n' WHEN 'integer' THEN 'i' || c\($0)
      WHEN 'real' THEN 'r' || hex(ieee754_to_blob(c\($0))) ELSE 't' || hex(c\($0)) END
      """
    }.joined(separator: " || ',' || ")
  }
}

extension StoreEngine {
  /// A line for each row, with the columns in the request's order.
  func texts(_ one: GroupedCase) throws -> [String] {
    var (cells, lines): ([Int], [String]) = ([], [])
    try readCells(one.request, at: nil) { layout in
      let request = one.request
      let names = (request.isDistinct ? request.properties : request.groups) + request.aggregates.map(\.name)
      let places = layout.places("")
      cells = names.compactMap { name in places.first { $0.name == name }?.cell }
      try #require(cells.count == names.count)
    } row: { row in
      lines.append(cells.map { row[$0].exactText }.joined(separator: ","))
    }
    return lines
  }
}

extension RowLayout {
  fileprivate func places(_ path: String) -> [(name: String, cell: Int)] {
    members.flatMap { member in
      member.related?.places(path + member.name + ".") ?? [(path + member.name, member.cell)]
    }
  }
}

extension FetchedCell {
  fileprivate var exactText: String {
    func hex(_ bytes: some Sequence<UInt8>) -> String {
      bytes.map { String($0 >> 4, radix: 16, uppercase: true) + String($0 & 15, radix: 16, uppercase: true) }
        .joined()
    }
    return switch self {
    case .null: "n"
    case .integer(let value): "i\(value)"
    case .real(let value): "r" + withUnsafeBytes(of: value.bitPattern.bigEndian) { hex($0) }
    case .text(let bytes), .blob(let bytes): "t" + hex(bytes)
    }
  }
}
