internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface
internal import TypedRows

/// Writes one run's rejected records to `bolide_reject`. The same one again is the same row.
final class RejectLog {
  private let connection: PostgreSQLConnection
  private let pipeline: String
  private let run: Int64
  private var room: RejectBounds
  private var unkept = 0

  /// - Parameter bounds: what the run may keep.
  init(_ connection: PostgreSQLConnection, pipeline: String, run: Int64, bounds: RejectBounds) {
    (self.connection, self.pipeline, self.run, room) = (connection, pipeline, run, bounds)
  }

  /// Keeps rejected records, as far as the run's bounds allow.
  ///
  /// - Returns: how many of the run are not kept.
  @discardableResult
  func write(_ rejects: [RejectedRecord]) throws -> Int {
    var last: String?
    for reject in rejects {
      unkept += reject.more
      guard room.rows > 0 else {
        unkept += 1
        continue
      }
      room.rows -= 1
      var reject = reject
      if let text = reject.text, text != last {
        if text.utf8.count > room.total { reject.text = nil } else { room.total -= text.utf8.count }
      }
      last = reject.text
      try write(reject)
    }
    return unkept
  }

  private func write(_ reject: RejectedRecord) throws {
    let place = [reject.record, reject.byte, reject.line, reject.column, reject.child].map {
      Parameter.integer(Int64($0))
    }
    try connection.run(
      """
      INSERT INTO bolide_reject AS r (pipeline, first_run, last_run, code, message, attribute, input, entity, text, around,
        is_cut, key, record, byte, line, "column", child)
      VALUES ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
      ON CONFLICT (pipeline, code, coalesce(attribute, ''), coalesce(entity, ''), child,
        md5(coalesce(text, input::bytea || record::text::bytea) || coalesce(around, '')))
      DO UPDATE SET last_run = excluded.last_run, times = r.times + 1, message = excluded.message, input = excluded.input,
        record = excluded.record, byte = excluded.byte, line = excluded.line, "column" = excluded."column"
      """,
      [
        .text(pipeline), .integer(run), .text(reject.code), .text(reject.message.withoutNull),
        .text(reject.attribute),
        .text(reject.input.withoutNull), .text(reject.entity), .bytes(reject.text.map { Array($0.utf8) }),
        .bytes(reject.around.map { Array($0.utf8) }), .boolean(reject.isCut), .integer(reject.key),
      ] + place)
  }

  /// A kept record's columns, as `kept` reads them.
  static let columns = """
    reject, pipeline, first_run, last_run, times, code, message, attribute, input, entity, text, around, is_cut, key,
    record, byte, line, "column", child
    """

  static func kept(_ result: QueryResult, _ row: Int) -> KeptReject {
    func number(_ column: Int) -> Int { Int(result.integer(row, column)) }
    var reject = RejectedRecord(
      code: result.text(row, 5), message: result.text(row, 6), attribute: result.optionalText(row, 7),
      input: result.text(row, 8), record: number(14), byte: number(15), line: number(16), column: number(17),
      text: result.optionalText(row, 10))
    reject.entity = result.optionalText(row, 9)
    (reject.around, reject.isCut) = (result.optionalText(row, 11), result.integer(row, 12) != 0)
    (reject.key, reject.child) = (result.optionalInteger(row, 13), number(18))
    return KeptReject(
      number: result.integer(row, 0), pipeline: result.text(row, 1), firstRun: result.integer(row, 2),
      lastRun: result.integer(row, 3), times: result.integer(row, 4), reject: reject)
  }
}

extension String {
  /// The server keeps no text with a zero byte.
  var withoutNull: String { utf8.contains(0) ? replacing("\0", with: "\u{FFFD}") : self }
}
