/// A named consumer of history. Its place is kept in the store, and history after it is not pruned while it is live.
public struct Reader: Sendable, Hashable {
  /// Whether the reader can go on.
  public enum State: String, Sendable, Hashable {
    /// It can.
    case live
    /// What it has not seen was pruned.
    case expired
    /// The store was restored from a backup that lacks changes that the reader has read.
    case diverged
  }

  /// The reader's name.
  public var name: String
  /// The place that it acknowledged: it has seen everything before.
  public var token: HistoryToken
  /// Whether it can go on from there.
  public var state: State
  /// Transactions after its place.
  public var transactionsBehind: Int
  /// Their changes.
  public var changesBehind: Int
  /// How long the oldest of them has been waiting, in seconds; 0 when there is none.
  public var secondsBehind: Double
  /// When it last moved: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
  public var moved: String

  package init(
    name: String, token: HistoryToken, state: State, transactionsBehind: Int, changesBehind: Int,
    secondsBehind: Double, moved: String
  ) {
    self.name = name
    self.token = token
    self.state = state
    self.transactionsBehind = transactionsBehind
    self.changesBehind = changesBehind
    self.secondsBehind = secondsBehind
    self.moved = moved
  }

  /// Where a reader begins.
  public enum Start: Sendable, Hashable {
    /// After the newest transaction.
    case now
    /// Before the first one ever. An error when it was pruned.
    case beginning
    /// After a token.
    case token(HistoryToken)
  }
}

extension Reader {
  /// Whether a reader may be called so: 1 to 100 characters, none of them a control character.
  package static func isName(_ name: String) -> Bool {
    1...100 ~= name.count && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
  }
}
