internal import GRDB
internal import ImportModel

/// Writes one run's refused records to `bolide_reject`. The same one again is the same row.
final class RejectLog {
  private let pipeline: String
  private let run: Int64
  private let insert: RawStatement
  private let overtakeKey: RawStatement
  private let refuseAgain: RawStatement
  private let remove: RawStatement
  /// The record whose reject was written last, and its key.
  private var last: (input: String, record: Int, key: Int64)?

  init(_ db: Database, pipeline: String, run: Int64) throws {
    self.pipeline = pipeline
    self.run = run
    insert = try RawStatement(
      db,
      """
      INSERT INTO bolide_reject(pipeline, fingerprint, first_run, last_run, times, code, message, attribute, input,
      record, byte, line, column, text, is_cut, around, key, read_since, entity, child)
      VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)
      ON CONFLICT (pipeline, fingerprint) DO UPDATE SET last_run = excluded.last_run, times = times + excluded.times,
      message = excluded.message, input = excluded.input, record = excluded.record, byte = excluded.byte,
      line = excluded.line, column = excluded.column, around = excluded.around, key = excluded.key,
      read_since = excluded.read_since
      """)
    overtakeKey = try RawStatement(
      db,
      "UPDATE bolide_reject SET read_since = ?1 WHERE pipeline = ?2 AND key = ?3 AND read_since IS NULL")
    refuseAgain = try RawStatement(
      db,
      """
      UPDATE OR REPLACE bolide_reject SET fingerprint = ?2, last_run = ?3, times = times + 1, code = ?4, message = ?5,
      attribute = ?6, key = ?7, entity = ?8, child = ?9 WHERE reject = ?1
      """)
    remove = try RawStatement(db, "DELETE FROM bolide_reject WHERE reject = ?")
  }

  /// Keeps a refused record.
  ///
  /// - Parameters:
  ///   - times: how often it was refused.
  ///   - isOvertaken: a later record with its key was read already.
  ///   - overtakes: what was refused of its key before is not to be replayed any more.
  func write(
    _ reject: Reject, times: Int64 = 1, isOvertaken: Bool = false, overtakes: Bool = true
  ) throws {
    // Of two refused records with one key the later one counts. Refused children have their record's.
    if overtakes, let key = reject.key, last.map({ $0 == (reject.input, reject.record, key) }) != true {
      try overtake(key)
    }
    last = reject.key.map { (reject.input, reject.record, $0) }
    insert.bind(pipeline, at: 1)
    insert.bind(reject.fingerprint, at: 2)
    insert.bind(run, at: 3)
    insert.bind(times, at: 4)
    insert.bind(reject.code, at: 5)
    insert.bind(reject.message, at: 6)
    insert.bind(reject.attribute, at: 7)
    insert.bind(reject.input, at: 8)
    for (index, number) in [reject.record, reject.byte, reject.line, reject.column].enumerated() {
      insert.bind(number, at: Int32(9 + index))
    }
    insert.bind(reject.text, at: 13)
    insert.bind(reject.isCut ? 1 : 0, at: 14)
    insert.bind(reject.around, at: 15)
    insert.bind(reject.key.map(Value.integer) ?? .null, at: 16)
    insert.bind(isOvertaken ? Value.integer(run) : .null, at: 17)
    insert.bind(reject.entity, at: 18)
    insert.bind(reject.child, at: 19)
    try insert.run()
  }

  /// Notes that a key was read: what was refused of it before is not to be replayed any more.
  func overtake(_ key: Int64) throws {
    overtakeKey.bind(run, at: 1)
    overtakeKey.bind(pipeline, at: 2)
    overtakeKey.bind(key, at: 3)
    try overtakeKey.run()
  }

  /// A replayed record was refused again, perhaps for another reason. Its place stays.
  func refuseAgain(_ number: Int64, _ reject: Reject) throws {
    refuseAgain.bind(number, at: 1)
    refuseAgain.bind(reject.fingerprint, at: 2)
    refuseAgain.bind(run, at: 3)
    refuseAgain.bind(reject.code, at: 4)
    refuseAgain.bind(reject.message, at: 5)
    refuseAgain.bind(reject.attribute, at: 6)
    refuseAgain.bind(reject.key.map(Value.integer) ?? .null, at: 7)
    refuseAgain.bind(reject.entity, at: 8)
    refuseAgain.bind(reject.child, at: 9)
    try refuseAgain.run()
  }

  /// Writes what became of replayed records.
  ///
  /// - Parameters:
  ///   - kept: their rejects, those of one record together.
  ///   - rejects: what was refused now, of the records that the first of their rejects numbers.
  ///   - left: the records that were not tried.
  func settle(_ kept: [[KeptReject]], _ rejects: [Reject], left: Set<Int64>) throws {
    let refused = Dictionary(grouping: rejects) { Int64($0.record) }
    for kept in kept {
      guard let first = kept.first, !left.contains(first.number) else { continue }
      var open = kept
      for reject in refused[first.number] ?? [] {
        // A record that is refused as a whole takes the place of its first reject.
        let same = open.firstIndex {
          reject.entity == nil || ($0.reject.entity == reject.entity && $0.reject.child == reject.child)
        }
        if let same {
          try refuseAgain(open.remove(at: same).number, reject)
        } else {
          try write(reject.at(first.reject), overtakes: false)
        }
      }
      for landed in open { try remove(landed.number) }
    }
  }

  /// A replayed record has landed.
  func remove(_ number: Int64) throws {
    remove.bind(number, at: 1)
    try remove.run()
  }
}

extension Reject {
  /// Of code, attribute and text. Without its text a record is known by its place.
  fileprivate var fingerprint: Int64 {
    var digest = Fingerprint()
    for part in [code, attribute ?? "", text ?? "\(input):\(record)", around ?? ""] {
      digest.add(part.utf8)
      digest.separate()
    }
    if let entity {
      digest.add(entity.utf8)
      digest.add("\(child)".utf8)
    }
    return digest.value
  }
}

extension Reject {
  /// The same refusal where another one stood, of the same record's.
  fileprivate func at(_ other: Reject) -> Reject {
    var reject = self
    (reject.input, reject.record, reject.byte) = (other.input, other.record, other.byte)
    (reject.line, reject.column) = (other.line, other.column)
    (reject.text, reject.isCut, reject.around) = (other.text, other.isCut, other.around)
    return reject
  }
}
