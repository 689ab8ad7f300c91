/// Why a record is not one of the type that was asked for. The records behind it can be read.
public struct RecordFailure: Error, Sendable {
  /// What is wrong.
  public enum Reason: Sendable {
    /// The record cannot be used, whatever the type.
    case problem(RecordProblem)
    /// The type's `init(from:)` threw this, a `DecodingError` nearly always.
    case decoding(any Error)
  }

  /// The record's number, from 1.
  public var record: Int
  /// Where it begins.
  public var position: Position
  /// What is wrong.
  public var reason: Reason

  /// Makes a failure.
  public init(record: Int, position: Position, reason: Reason) {
    (self.record, self.position, self.reason) = (record, position, reason)
  }
}

extension RecordReader {
  /// Reads the current record as a type, whose properties are the record's members, or its cells by their columns' names. No
  /// field needs to be requested.
  ///
  /// Whole numbers may be written `42.0`; one that does not fit its type is an error. Of delimited text, cells are numbers,
  /// `true` and `false` where the type says so, and an empty cell is null.
  /// - Throws: `RecordFailure` where the record has a problem, or the type's `init(from:)` throws.
  /// - Complexity: O(record), and O(members) for each property of an object.
  public mutating func decode<Wanted: Decodable>(as type: Wanted.Type = Wanted.self) throws(RecordFailure)
    -> Wanted
  {
    if let problem { throw failure(.problem(problem)) }
    do {
      let decoder = core.pointee.decoder
      return try decoder.read(core) { try Wanted(from: ValueDecoder(record: decoder, place: $0, path: nil)) }
    } catch {
      throw failure(.decoding(error))
    }
  }

  private func failure(_ reason: RecordFailure.Reason) -> RecordFailure {
    RecordFailure(record: recordNumber, position: recordPosition, reason: reason)
  }
}
