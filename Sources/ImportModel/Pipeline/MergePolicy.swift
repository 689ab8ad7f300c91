/// What a record does to a row that has its key.
///
/// A row that is left alone keeps everything: attributes, links, history. Rows that this import itself has made are no
/// matter of the merge policy: a key that comes again in the same input is one of the `RepeatedKeyPolicy`.
public enum MergePolicy: Sendable, Hashable, Encodable {
  /// The record's values replace the row's. What the record does not mention stays.
  case update
  /// As `update`, except that null says nothing: a value that is there is replaced, and never erased.
  case updateNonNull
  /// The row is left alone.
  case ignore
  /// The import ends with an error, and nothing of it is kept.
  case fail
  /// As `update`, when the record's value of an attribute is greater than the row's; otherwise the row is left alone.
  ///
  /// A value counts as greater than null. A record that leaves the attribute out, or says null, is taken only when the
  /// row's is null too.
  case updateIfNewer(attribute: String)

  /// Whether an import must be one transaction to keep the policy's promise.
  package var impliesAtomic: Bool { self == .fail }
}

/// Which record counts when several of one input have the same key.
///
/// A rejected record takes no part.
public enum RepeatedKeyPolicy: String, Sendable, Hashable, Encodable {
  /// The last one; what it leaves out, it takes from those before.
  case last
  /// The first one; the others are left out.
  case first
  /// The first one; the others are rejected.
  case reject
}
