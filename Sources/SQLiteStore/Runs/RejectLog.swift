internal import ChunkMerging
internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface
internal import TypedRows

/// Writes one run's rejected records to `bolide_reject`. The same one again is the same row.
final class RejectLog: RejectKeeping {
  /// The texts of its records.
  let texts: RejectTexts
  private let pipeline: String
  private let run: Int64
  private let key: SipHash.Key
  private let insert: RawStatement
  private let overtakeKey: RawStatement
  private let remove: RawStatement
  /// What it remembers from one rejected record to the next; to be put back when a transaction is taken back.
  var memory: Memory

  struct Memory {
    /// What the run may still keep.
    fileprivate var room: RejectBounds
    /// How many rejected records and children of the run are not kept.
    fileprivate(set) var unkept = 0
    /// The record that was rejected last, and its key.
    fileprivate var last: (input: String, record: Int, key: Int64)?
    /// Its text, and what it stood in.
    fileprivate var text: RejectTexts.Kept?
    fileprivate var around: RejectTexts.Kept?
  }

  /// - Parameter bounds: what the run may keep.
  init(_ db: Database, pipeline: String, run: Int64, key: SipHash.Key, bounds: RejectBounds) throws {
    self.pipeline = pipeline
    self.run = run
    self.key = key
    memory = Memory(room: bounds)
    texts = try RejectTexts(db, key: key)
    insert = try RawStatement(
      db,
      """
      INSERT INTO bolide_reject(pipeline, fingerprint, first_run, last_run, times, code, message, attribute, input,
      record, byte, line, column, text, is_cut, around, key, read_since, entity, child, reject)
      VALUES (?1, ?2, ifnull(?20, ?3), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?21)
      ON CONFLICT (pipeline, fingerprint) DO UPDATE SET first_run = min(first_run, excluded.first_run),
      last_run = excluded.last_run, times = times + excluded.times, message = excluded.message,
      input = excluded.input, record = excluded.record, byte = excluded.byte, line = excluded.line,
      column = excluded.column, key = excluded.key, read_since = excluded.read_since
      """)
    overtakeKey = try RawStatement(
      db,
      "UPDATE bolide_reject SET read_since = ?1 WHERE pipeline = ?2 AND key = ?3 AND read_since IS NULL")
    remove = try RawStatement(
      db,
      "DELETE FROM bolide_reject WHERE reject IN (SELECT value FROM json_each(?)) RETURNING text, around")
  }

  func keep(_ reject: RejectedRecord, isOvertaken: Bool, overtakes: Bool) throws -> RejectedRecord? {
    memory.unkept += reject.more
    guard let kept = memory.room.take(reject, behind: memory.text?.text) else {
      memory.unkept += 1
      try note(reject, overtakes: overtakes)
      return nil
    }
    try write(kept, isOvertaken: isOvertaken, overtakes: overtakes)
    return kept
  }

  /// Writes a rejected record.
  ///
  /// - Parameters:
  ///   - times: how often it was rejected.
  ///   - isOvertaken: a later record with its key was read already.
  ///   - overtakes: what was rejected of its key before is not to be replayed any more.
  ///   - before: what it was before it was replayed, and is no more; nil for a new one.
  func write(
    _ reject: RejectedRecord, times: Int64 = 1, isOvertaken: Bool = false, overtakes: Bool = true,
    before: KeptReject? = nil
  ) throws {
    try note(reject, overtakes: overtakes)
    insert.bind(pipeline, at: 1)
    insert.bind(try fingerprint(reject), at: 2)
    insert.bind(run, at: 3)
    insert.bind((before?.times ?? 0) + times, at: 4)
    insert.bind(reject.code, at: 5)
    insert.bind(reject.message, at: 6)
    insert.bind(reject.attribute, at: 7)
    insert.bind(reject.input, at: 8)
    for (index, number) in [reject.record, reject.byte, reject.line, reject.column].enumerated() {
      insert.bind(number, at: Int32(9 + index))
    }
    insert.bind(memory.text.map { Value.integer($0.id) } ?? .null, at: 13)
    insert.bind(reject.isCut ? 1 : 0, at: 14)
    insert.bind(memory.around.map { Value.integer($0.id) } ?? .null, at: 15)
    insert.bind(reject.key.map(Value.integer) ?? .null, at: 16)
    insert.bind(isOvertaken ? Value.integer(run) : .null, at: 17)
    insert.bind(reject.entity, at: 18)
    insert.bind(reject.child, at: 19)
    insert.bind(before.map { .integer($0.firstRun) } ?? .null, at: 20)
    insert.bind(before.map { .integer($0.number) } ?? .null, at: 21)
    try insert.run()
  }

  /// Of two rejected records with one key the later one counts. Rejected children have their record's.
  private func note(_ reject: RejectedRecord, overtakes: Bool) throws {
    if overtakes, let key = reject.key, memory.last.map({ $0 == (reject.input, reject.record, key) }) != true
    {
      try overtake([key])
    }
    memory.last = reject.key.map { (reject.input, reject.record, $0) }
  }

  func overtake(_ keys: [Int64]) throws {
    for key in keys {
      overtakeKey.bind(run, at: 1)
      overtakeKey.bind(pipeline, at: 2)
      overtakeKey.bind(key, at: 3)
      try overtakeKey.run()
    }
  }

  /// A digest of why it was rejected and of its text. Without its text a record is known by its place.
  ///
  /// Its text and what it stood in are in the store then, as the last ones.
  private func fingerprint(_ reject: RejectedRecord) throws -> Int64 {
    memory.text = try texts.keep(reject.text, last: memory.text)
    memory.around = try texts.keep(reject.around, last: memory.around)
    var digest = SipHash(key)
    for part in [reject.code, reject.attribute ?? ""] { digest.add(part: part) }
    if let text = memory.text {
      digest.add(UInt64(bitPattern: text.digest))
    } else {
      digest.add(part: reject.input)
      digest.add(UInt64(reject.record))
    }
    digest.add(UInt64(bitPattern: memory.around?.digest ?? 0))
    if let entity = reject.entity {
      digest.add(part: entity)
      digest.add(UInt64(reject.child))
    }
    return digest.value
  }

  /// Writes what became of replayed records.
  ///
  /// - Parameters:
  ///   - kept: their rejects, those of one record together.
  ///   - rejects: what was rejected now, of the records that the first of their rejects numbers.
  ///   - left: the records that were not tried.
  func record(_ kept: [[KeptReject]], _ rejects: [RejectedRecord], left: Set<Int64>) throws {
    let rejected = Dictionary(grouping: rejects) { Int64($0.record) }
    for kept in kept {
      guard let first = kept.first, !left.contains(first.number) else { continue }
      let numbers = kept.map { "\($0.number)" }.joined(separator: ",")
      remove.bind("[\(numbers)]", at: 1)
      try texts.removeTexts(of: remove) {
        var open = kept
        for reject in rejected[first.number] ?? [] {
          let before = open.take(replacedBy: reject)
          try write(reject.at(first.reject, place: before?.reject), overtakes: false, before: before)
        }
      }
    }
  }
}

extension RejectedKeys {
  /// Those of a pipeline's kept rejects that no later record has overtaken.
  init(_ db: Database, pipeline: String) throws {
    self.init()
    let keys = try RawStatement(
      db,
      "SELECT key FROM bolide_reject WHERE pipeline = ? AND key IS NOT NULL AND read_since IS NULL")
    keys.bind(pipeline, at: 1)
    while try keys.step() { insert(keys.integer(0)) }
  }
}

extension Chunk {
  /// The same digest of the key that a query's current row has in its first columns.
  static func keyDigest(_ row: RawStatement, _ layout: ChunkLayout) -> Int64 {
    var digest = SipHash(layout.digestKey)
    for (place, column) in layout.keyColumns.enumerated() {
      let index = Int32(place)
      switch layout.storages[column] {
      case .integer: digest.add(UInt64(bitPattern: row.integer(index)))
      case .real: digest.add(row.real(index).bitPattern)
      case .text, .blob: digest.add(part: row.bytes(index))
      }
    }
    return digest.value
  }
}
