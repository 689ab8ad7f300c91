/// What a revert takes back.
package enum RevertTarget: Sendable {
  /// What a run of an import changed, by the run's number.
  case run(Int64)
  /// Everything that was changed after this token, by whomever.
  case token(HistoryToken)
}

/// What a revert did, or would do.
public struct RevertReport: Sendable, Hashable {
  /// What changed.
  public var edit: EditReport
  /// The rows that could not be put back, and stay as they are; by entity and id.
  public var left: [LeftRow]

  package init(edit: EditReport, left: [LeftRow]) {
    self.edit = edit
    self.left = left
  }
}

/// A row that a revert leaves as it is.
public struct LeftRow: Sendable, Hashable {
  /// Why it stays.
  public enum Reason: String, Sendable, Hashable {
    /// Somebody has changed it after the run.
    case changedSince = "changed-since"
    /// It would be deleted, and other objects are linked to it.
    case linked
    /// Another row has its key, or another of its unique values.
    case taken
    /// It was linked to an object that is gone.
    case ownerGone = "owner-gone"
    /// It was erased, and its values with it.
    case erased
  }

  /// The row's entity.
  public var entity: String
  /// The object's id.
  public var id: Int64
  /// The object's key, as it is now, or as it was where the row is gone.
  public var key: [HistoryChange.Property]
  /// Why it stays.
  public var reason: Reason

  package init(entity: String, id: Int64, key: [HistoryChange.Property], reason: Reason) {
    self.entity = entity
    self.id = id
    self.key = key
    self.reason = reason
  }
}
