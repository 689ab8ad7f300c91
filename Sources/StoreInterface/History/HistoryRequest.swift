package import ImportModel

/// Which changes of a store's history are wanted, and what comes with them.
///
/// A plain request asks for everything that history keeps.
public struct HistoryRequest: Sendable, Hashable {
  /// Where history is read from.
  public enum Start: Sendable, Hashable {
    /// The oldest transaction that is kept. What was pruned before it is not missed.
    case beginning
    /// After the token's transaction, or after the place inside it.
    case token(HistoryToken)
    /// After the transaction with this number, which need not exist: 0 is before the first one ever.
    case transaction(Int64)
    /// From the first transaction of this instant or later, in UTC, and all that were committed after it, whatever the
    /// clock did meanwhile: `2026-05-12`, or with a time `T06:00:03.118Z`, cut where you like.
    case date(String)

    /// The place inside the token's transaction.
    package var inside: HistoryToken.Inside? {
      if case .token(let token) = self { token.inside } else { nil }
    }
  }

  /// Where to begin.
  public var start: Start
  /// Where to end: at the place where another request would start; nil for the newest one. So a token's transaction is
  /// included, and a day is not.
  public var end: Start?
  /// Only transactions of these authors; empty for all.
  public var authors: Set<String> = []
  /// Excludes transactions of these authors. Transactions without an author are included.
  public var excludedAuthors: Set<String> = []
  /// Only changes of these entities; empty for all.
  public var entities: Set<String> = []
  /// Only changes of these kinds; empty for all.
  public var kinds: Set<HistoryChange.Kind> = []
  /// Only changes that touch one of these attributes or relationships, as `name` or `Entity.name`; empty for all. An
  /// insert and a delete touch every one.
  public var attributes: Set<String> = []
  /// Net changes: at most one per object, between the start and the end. An object that was inserted and deleted again, or
  /// has its old values again, is omitted. The changes are one transaction, ordered by entity and id.
  public var isNet = false
  /// Whether changes carry the object's present row.
  public var includesValues = false
  /// At most so many changes; nil for all. The last token of a page leads on to the next one, also inside a transaction.
  public var limit: Int?
  /// At most so many transactions.
  package var transactionLimit: Int?

  /// Asks for all that is kept from a place on.
  public init(from start: Start = .beginning) {
    self.start = start
  }

  /// Asks for all after a token; nil for the beginning.
  public init(after token: HistoryToken?) {
    self.init(from: token.map(Start.token) ?? .beginning)
  }

  /// Whether every transaction is wanted, with all its changes.
  package var isUnfiltered: Bool {
    authors.isEmpty && excludedAuthors.isEmpty && entities.isEmpty && kinds.isEmpty && attributes.isEmpty
  }

  package func wants(_ kind: HistoryChange.Kind) -> Bool {
    kinds.isEmpty || kinds.contains(kind)
  }

  package func wants(author: String?) -> Bool {
    guard let author else { return authors.isEmpty }
    return (authors.isEmpty || authors.contains(author)) && !excludedAuthors.contains(author)
  }

  /// Checks the names against the model, and that the parts go together.
  package func check(_ model: Model, path: String) throws(StoreError) {
    for name in entities.sorted() where model.entity(named: name) == nil {
      throw .noEntity(name, in: model).about(path)
    }
    for name in attributes.sorted() where !model.entities.contains(where: { $0.has(name) }) {
      throw .noSuchProperty(name, path)
    }
    if let limit, limit < 1 { throw .limitTooSmall(path) }
    guard isNet else { return }
    if !authors.isEmpty || !excludedAuthors.isEmpty { throw .netOfAuthors(path) }
    if limit != nil { throw .netInPages(path) }
    if case .token(let token) = start, token.inside != nil { throw .netInside(token, path) }
  }
}

extension Entity {
  /// Whether `name` or `Entity.name` is a stored property of the entity.
  func has(_ name: String) -> Bool {
    (storedAttributes.map(\.name) + toOneRelationships.map(\.name)).contains {
      $0 == name || "\(self.name).\($0)" == name
    }
  }
}
