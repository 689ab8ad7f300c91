/// One thing that a migration does, or leaves.
public struct MigrationStep: Sendable, Hashable {
  /// What becomes of it.
  public enum Kind: Sendable, Hashable {
    /// It is done by the next import, or by `migrate`.
    case change
    /// It is dropped, as was asked for.
    case drop
    /// It stays, as the pipeline does not name it.
    case stays
    /// It cannot be done; until it is resolved no import by the pipeline begins.
    case conflict
  }

  /// What becomes of it.
  public var kind: Kind
  /// One line for people.
  public var description: String
  /// What is dropped by name, or could be so that the pipeline's declaration holds.
  public var drop: String?

  package init(kind: Kind, description: String, drop: String? = nil) {
    self.kind = kind
    self.description = description
    self.drop = drop
  }

  package static func conflict(_ text: String, drop: String? = nil) -> MigrationStep {
    MigrationStep(kind: .conflict, description: "cannot: \(text)", drop: drop)
  }
}
