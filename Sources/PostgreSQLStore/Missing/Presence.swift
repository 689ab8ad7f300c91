internal import ChunkMerging
internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface
internal import TypedRows

/// Which objects a pipeline with a full feed has brought, and which of them its last complete run saw: `bolide_presence`.
///
///     page      4,096 ids: the lowest is page × 4,096
///     brought   a bit for each: some complete run saw it                        512 bytes
///     last      a bit for each: the last complete run saw it, or one since      512 bytes
///
/// Whether an object still is there, its table says.
struct Presence {
  private let connection: PostgreSQLConnection
  private let pipeline: String
  private let entity: Entity
  private let number: Int64

  init(_ connection: PostgreSQLConnection, pipeline: String, _ entity: Entity, _ stored: StoredModel) {
    (self.connection, self.pipeline, self.entity) = (connection, pipeline, entity)
    number = stored.number(of: entity)
  }

  /// A page's bits.
  private typealias Bits = [UInt64]

  private struct Page {
    var brought = Bits(repeating: 0, count: ObjectSet.pageWords)
    var last = Bits(repeating: 0, count: ObjectSet.pageWords)
  }

  private func pages() throws -> [Int64: Page] {
    let rows = try connection.run(
      "SELECT page, brought, last FROM bolide_presence WHERE pipeline = $1 AND entity = \(number)",
      [.text(pipeline)])
    var pages: [Int64: Page] = [:]
    for row in 0..<rows.count {
      pages[rows.integer(row, 0)] = Page(brought: Bits(rows.bytes(row, 1)), last: Bits(rows.bytes(row, 2)))
    }
    return pages
  }

  /// Those of some objects that are there.
  private func present(_ ids: [Int64]) throws -> [Int64] {
    let rows = try connection.run(
      "SELECT bolide_id FROM \(quoted(entity.name)) WHERE bolide_id = ANY ($1) ORDER BY bolide_id",
      [.integers(ids)])
    return (0..<rows.count).map { rows.integer($0, 0) }
  }

  /// Of the objects that the last complete run saw, and that are there, those that a run has not met.
  func missingOfLast(_ seen: ObjectSet) throws -> RowShare? {
    let pages = try pages()
    if pages.isEmpty { return nil }
    var (unseen, total): ([Int64], Int) = ([], 0)
    for (number, page) in pages {
      let now = seen.words(ofPage: number)
      unseen += zip(page.last, now).map { $0 & ~$1 }.ids(number)
      total += try present(zip(page.last, now).map { $0 & $1 }.ids(number)).count
    }
    let missing = try present(unseen).count
    return RowShare(missing, of: missing + total)
  }

  /// The objects that the pipeline has brought, that are there, and that a run has not met; nil for the last complete run.
  func missing(_ seen: ObjectSet?) throws -> [Int64] {
    var ids: [Int64] = []
    for (number, page) in try pages() {
      let now = seen?.words(ofPage: number) ?? page.last
      ids += zip(page.brought, now).map { $0 & ~$1 }.ids(number)
    }
    return try present(ids)
  }

  /// How many objects of all entities are missing by what was seen last: children that a run could not know are as they were.
  static func missingCount(
    _ connection: PostgreSQLConnection, pipeline: String, _ stored: StoredModel
  ) throws -> Int {
    try stored.model.entities.reduce(0) { count, entity in
      try count + Presence(connection, pipeline: pipeline, entity, stored).missing(nil).count
    }
  }

  /// The same, of these and those that were seen last; nil where no complete run is known.
  static func missing(
    _ connection: PostgreSQLConnection, pipeline: String, _ stored: StoredModel
  ) throws -> RowShare? {
    let isKnown = try connection.run(
      "SELECT EXISTS (SELECT FROM bolide_presence WHERE pipeline = $1)", [.text(pipeline)])
    if isKnown.integer(0, 0) == 0 { return nil }
    let seen = try stored.model.entities.reduce(0) {
      try $0 + Presence(connection, pipeline: pipeline, $1, stored).seenCount()
    }
    let missing = try missingCount(connection, pipeline: pipeline, stored)
    return RowShare(missing, of: missing + seen)
  }

  /// The objects that were missing, and that a run has met.
  func returned(_ seen: ObjectSet) throws -> [Int64] {
    try pages().flatMap { number, page in
      zip(zip(page.brought, page.last), seen.words(ofPage: number)).map { $0.0 & ~$0.1 & $1 }.ids(number)
    }
  }

  /// Adds the rows that rejected records mean: of those that were brought and not seen, the ones with their keys.
  func addRejected(_ keys: Set<Int64>, _ layout: ChunkLayout, to seen: inout ObjectSet) throws {
    let rows = try connection.run(
      """
      SELECT bolide_id, \(layout.keyValues) FROM \(quoted(entity.name))
      WHERE bolide_id = ANY ($1)
      """, [.integers(try missing(seen))])
    for row in 0..<rows.count {
      if keys.contains(layout.keyDigest(rows, row, from: 1)) { seen.insert(rows.integer(row, 0)) }
    }
  }

  /// How many objects the last complete run saw.
  func seenCount() throws -> Int {
    try pages().values.reduce(0) { $0 + $1.last.reduce(0) { $0 + $1.nonzeroBitCount } }
  }

  /// Takes over that a run that is not complete has met objects: they are not missing.
  func meet(_ seen: ObjectSet) throws {
    for (number, page) in try pages() {
      let last = zip(page.last, zip(page.brought, seen.words(ofPage: number))).map { $0 | $1.0 & $1.1 }
      if last == page.last { continue }
      try connection.run(
        "UPDATE bolide_presence SET last = $1 WHERE pipeline = $2 AND entity = \(self.number) AND page = $3",
        [.bytes(last.bytes), .text(pipeline), .integer(number)])
    }
  }

  /// Takes a run for the last complete one.
  func complete(_ seen: ObjectSet) throws {
    var pages = try pages()
    for number in pages.keys { pages[number]?.last = seen.words(ofPage: number) }
    for number in seen.pages where pages[number] == nil {
      pages[number] = Page(last: seen.words(ofPage: number))
    }
    for (number, page) in pages {
      let brought = zip(page.brought, page.last).map { $0 | $1 }
      try connection.run(
        """
        INSERT INTO bolide_presence VALUES ($1, \(self.number), $2, $3, $4) ON CONFLICT (pipeline, entity, page)
        DO UPDATE SET brought = excluded.brought, last = excluded.last
        """, [.text(pipeline), .integer(number), .bytes(brought.bytes), .bytes(page.last.bytes)])
    }
    // A run of nothing is known all the same.
    if pages.isEmpty {
      let none = Page().last.bytes
      try connection.run(
        "INSERT INTO bolide_presence VALUES ($1, \(self.number), 0, $2, $2)", [.text(pipeline), .bytes(none)])
    }
  }
}
