/// The rows that a full feed brought once, and has no more.
public struct MissingRows: Sendable, Hashable {
  /// The pipeline's name.
  public var pipeline: String
  /// Who writes in its name.
  package var author: String
  /// The last run that read its input to the end.
  public var run: Int64
  /// How many rows that run saw.
  public var seen: Int
  /// How many rows are missing; of those that were deleted or merged, how many there were.
  public var count: Int
  /// The rows, by entity and id, where they were asked for; none where they were deleted or merged.
  public var rows: [MissingRow]

  package init(
    pipeline: String, author: String, run: Int64, seen: Int, rows: [MissingRow] = []
  ) {
    self.pipeline = pipeline
    self.author = author
    self.run = run
    self.seen = seen
    count = rows.count
    self.rows = rows
  }

  /// The share of the pipeline's rows that is missing, from 0 to 1.
  public var share: Double {
    count == 0 ? 0 : Double(count) / Double(count + seen)
  }
}

/// A row that a full feed brought once, and has no more.
public struct MissingRow: Sendable, Hashable {
  /// The row's entity.
  public var entity: String
  /// The object's id.
  public var id: Int64
  /// The object's key.
  public var key: [HistoryChange.Property]
  /// The one row that the last complete run inserted with all other values equal: the same thing under another key.
  public var newcomer: Newcomer?

  package init(entity: String, id: Int64, key: [HistoryChange.Property], newcomer: Newcomer? = nil) {
    self.entity = entity
    self.id = id
    self.key = key
    self.newcomer = newcomer
  }

  /// A row under a new key.
  public struct Newcomer: Sendable, Hashable {
    /// The object's id.
    public var id: Int64
    /// The object's key.
    public var key: [HistoryChange.Property]

    package init(id: Int64, key: [HistoryChange.Property]) {
      self.id = id
      self.key = key
    }
  }
}
