internal import ChunkMerging
package import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface

/// The two sets of object ids that `bolide_seen` keeps of a pipeline and an entity, a row a page.
package struct PresenceBitmap {
  private let db: Database
  private let pipeline: String
  private let entity: String

  /// A page's words, the lowest ids first.
  private struct Page {
    var last: [UInt64]
    var missing: [UInt64]

    static let none = Page(
      last: Array(repeating: 0, count: ObjectSet.pageWords),
      missing: Array(repeating: 0, count: ObjectSet.pageWords))

    var isEmpty: Bool { last.allSatisfy { $0 == 0 } && missing.allSatisfy { $0 == 0 } }
  }

  package init(_ db: Database, pipeline: String, entity: String) throws {
    self.db = db
    self.pipeline = pipeline
    self.entity = entity
  }

  /// The objects that complete runs saw, and a run did not; gone ones too.
  func unseen(by run: ObjectSet) throws -> [Int64] {
    try pages().flatMap { page in
      let seen = run.words(ofPage: page.number)
      return seen.indices.map { (page.words.missing[$0] | page.words.last[$0]) & ~seen[$0] }.ids(page.number)
    }
  }

  /// The objects that are missing, by id; those that somebody has deleted are not there to be missing.
  package func missing() throws -> [Int64] {
    var ids: [Int64] = []
    try eachMissing { ids.append($0) }
    return ids
  }

  /// Hands over the missing objects one by one, as `missing` lists them. The two sets must not be written meanwhile.
  package func eachMissing(_ body: (Int64) throws -> Void) throws {
    let exists = try existence()
    try eachPage { number, words in
      for id in words.missing.ids(number) where try exists(id) { try body(id) }
    }
  }

  /// How many objects are missing.
  package func missingCount() throws -> Int {
    var count = 0
    try eachMissing { _ in count += 1 }
    return count
  }

  /// How many objects the last complete run saw.
  package func lastCount() throws -> Int {
    var count = 0
    try eachPage { count += $1.last.reduce(0) { $0 + $1.nonzeroBitCount } }
    return count
  }

  /// The objects that the last complete run saw and that are there: how many there are, and how many a run did not see.
  func lastUnseen(by run: ObjectSet) throws -> RowShare {
    let exists = try existence()
    var (missing, seen) = (0, 0)
    for page in try pages() {
      let met = run.words(ofPage: page.number)
      let unmet = met.indices.map { page.words.last[$0] & ~met[$0] }
      missing += try unmet.ids(page.number).filter(exists).count
      seen += met.indices.reduce(0) { $0 + (page.words.last[$1] & met[$1]).nonzeroBitCount }
    }
    return RowShare(missing, of: missing + seen)
  }

  /// The objects that will be missing when a run that saw others is complete.
  func missing(behind seen: ObjectSet) throws -> [Int64] {
    let exists = try existence()
    return try pages().flatMap { page in
      let met = seen.words(ofPage: page.number)
      let gone = met.indices.map { (page.words.missing[$0] | page.words.last[$0]) & ~met[$0] }
      return try gone.ids(page.number).filter(exists)
    }
  }

  /// Takes over what a complete run saw. Pages that stay as they are, are not written. Objects that are deleted stay missing:
  /// a revert may bring them back.
  func complete(_ seen: ObjectSet) throws {
    // One page at a time: a large feed has very many.
    let numbers = try RawStatement(db, "SELECT page FROM bolide_seen WHERE pipeline = ? AND entity = ?")
    numbers.bind(pipeline, at: 1)
    numbers.bind(entity, at: 2)
    var stored: Set<Int64> = []
    while try numbers.step() { stored.insert(try numbers.number(0)) }
    let row = try RawStatement(
      db, "SELECT last, missing FROM bolide_seen WHERE pipeline = ? AND entity = ? AND page = ?")
    row.bind(pipeline, at: 1)
    row.bind(entity, at: 2)
    for number in stored.union(seen.pages).sorted() {
      row.bind(number, at: 3)
      let before =
        try row.step() ? Page(last: [UInt64](row.bytes(0)), missing: [UInt64](row.bytes(1))) : Page.none
      row.reset()
      let seen = seen.words(ofPage: number)
      var now = Page(last: seen, missing: before.missing)
      for word in now.missing.indices {
        now.missing[word] = (now.missing[word] | before.last[word]) & ~seen[word]
      }
      if now.last != before.last || now.missing != before.missing { try write(number, now) }
    }
  }

  /// Takes over that a run that is not complete has met objects: they are not missing.
  func meet(_ seen: ObjectSet) throws {
    for (number, page) in try pages() {
      let met = zip(page.missing, seen.words(ofPage: number)).map { $0 & $1 }
      if met.allSatisfy({ $0 == 0 }) { continue }
      try write(
        number,
        Page(last: zip(page.last, met).map { $0 | $1 }, missing: zip(page.missing, met).map { $0 & ~$1 }))
    }
  }

  /// Makes rows that were missing good: they are the rows that the last complete run saw under other ids.
  ///
  /// - Parameter pairs: ids of missing rows, and of the rows that they take the place of.
  package func replace(_ pairs: [(old: Int64, new: Int64)]) throws {
    var stored: [Int64: Page] = [:]
    for page in try pages() { stored[page.number] = page.words }
    for (old, new) in pairs {
      stored[new >> ObjectSet.pageBits, default: .none].last.remove(new)
      stored[old >> ObjectSet.pageBits, default: .none].last.insert(old)
      stored[old >> ObjectSet.pageBits, default: .none].missing.remove(old)
    }
    for number in Set(pairs.flatMap { [$0.old >> ObjectSet.pageBits, $0.new >> ObjectSet.pageBits] }) {
      try write(number, stored[number] ?? .none)
    }
  }

  // MARK: Pages

  private func pages() throws -> [(number: Int64, words: Page)] {
    var pages: [(Int64, Page)] = []
    try eachPage { pages.append(($0, $1)) }
    return pages
  }

  /// Hands over the pages in the order of their objects.
  private func eachPage(_ body: (Int64, Page) throws -> Void) throws {
    let rows = try RawStatement(
      db, "SELECT page, last, missing FROM bolide_seen WHERE pipeline = ? AND entity = ? ORDER BY page")
    rows.bind(pipeline, at: 1)
    rows.bind(entity, at: 2)
    defer { rows.reset() }
    while try rows.step() {
      try body(try rows.number(0), Page(last: [UInt64](rows.bytes(1)), missing: [UInt64](rows.bytes(2))))
    }
  }

  private func write(_ number: Int64, _ page: Page) throws {
    let write = try RawStatement(
      db,
      page.isEmpty
        ? "DELETE FROM bolide_seen WHERE pipeline = ? AND entity = ? AND page = ?"
        : """
        INSERT INTO bolide_seen(pipeline, entity, page, last, missing) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET last = excluded.last, missing = excluded.missing
        """)
    write.bind(pipeline, at: 1)
    write.bind(entity, at: 2)
    write.bind(number, at: 3)
    if !page.isEmpty {
      write.bind(.blob(page.last.bytes), at: 4)
      write.bind(.blob(page.missing.bytes), at: 5)
    }
    try write.run()
  }

  private func existence() throws -> (Int64) throws -> Bool {
    let row = try RawStatement(db, "SELECT 1 FROM \(quoted(entity)) WHERE bolide_id = ?")
    return { id in
      row.bind(id, at: 1)
      defer { row.reset() }
      return try row.step()
    }
  }
}
