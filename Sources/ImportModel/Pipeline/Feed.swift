/// What it means that a row is not in an input.
public enum Feed: String, Sendable, Hashable, Encodable {
  /// Nothing: an input is a part of the catalogue, such as the last month.
  case window
  /// The row is gone from the catalogue: each input is the whole of it.
  case full
}

/// What a feed's envelope counts under `count`.
public enum FeedCount: String, Sendable, Hashable, Encodable {
  /// The records of all pages, of which an input may be one.
  case total
  /// The input's records.
  case exact
  /// Nothing that says how many records there are.
  case ignore
}
