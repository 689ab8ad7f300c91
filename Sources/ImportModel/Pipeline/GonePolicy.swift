/// What becomes of rows that a full feed had and has no more, at the end of each complete import.
public enum GonePolicy: Sendable, Hashable, Encodable {
  /// They stay, and `missing` lists them.
  case keep
  /// They are deleted, by the delete rules of their relationships.
  case delete
  /// An attribute that no record brings says that they are gone: a date since when, or a boolean. It is cleared when they
  /// return.
  case mark(attribute: String)

  /// Whether rows are marked.
  package var marks: Bool { if case .mark = self { true } else { false } }
}
