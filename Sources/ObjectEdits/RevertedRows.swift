package import ImportModel
package import StoreInterface

/// A row that a revert puts back.
package struct RevertItem: Hashable {
  /// What becomes of a row.
  package enum Action {
    /// It was made since then.
    case delete
    /// It was deleted since then.
    case insert
    /// It has other values since then.
    case update
  }

  /// The entity's place in the model.
  package let entity: Int
  /// The object's.
  package let id: Int64
  package let action: Action

  package init(entity: Int, id: Int64, action: Action) {
    (self.entity, self.id, self.action) = (entity, id, action)
  }
}

/// What a row waits for.
package enum RevertOrder {
  /// Rows that are linked to it go before it, and rows that it is linked to come before it.
  case forEach
  /// These are among the rows that are still to be put back, as in a ring of links.
  case forAll
  /// Rows that are linked to it may stay: delete rules decide what becomes of them.
  case forNone
}

/// A store's rows, inside the transaction of a revert: what an engine does, and the order in which all engines do it.
///
/// Rows that depend on each other wait for each other; those for which that leads nowhere are told.
package protocol RevertedRows {
  /// A row that could not be put back, and why.
  typealias Left = (item: RevertItem, reason: LeftRow.Reason)

  /// What is to be done. Rows that are as they were are left out; those that others have changed since come apart.
  func items() throws -> (items: [RevertItem], changedSince: [RevertItem])

  /// Rows of which nobody knows any more what they were.
  func erased() throws -> [RevertItem]

  /// Takes rows for what they are: they are on their way neither out nor in.
  func keep(_ items: some Sequence<RevertItem>) throws

  /// Puts rows back.
  ///
  /// - Returns: those that cannot be, yet.
  func put(_ items: [RevertItem], _ order: RevertOrder) throws -> [Left]

  /// Gives up what others wait for: the unique values of an object that stays, which they had, and its links to those that go;
  /// or the links of one that goes, which deny that they go.
  func release(_ item: RevertItem) throws

  /// Runs an attempt, and takes all of it back where it leaves rows.
  func attempt(_ body: () throws -> [Left]) throws -> [Left]

  /// A row's key, as it is now, or as it was.
  func leftRow(_ item: RevertItem, _ reason: LeftRow.Reason) throws -> LeftRow

  /// Notes at the runs which transaction takes back what they did: the one that is open.
  func markRuns() throws
}

extension RevertedRows {
  /// Puts back what can be.
  ///
  /// - Parameter force: whether delete rules may reach rows that nothing is to be put back of.
  /// - Returns: the rows that stay as they are.
  package func revert(_ model: Model, force: Bool) throws -> [LeftRow] {
    var (items, changed) = try items()
    var left = try changed.map { try leftRow($0, .changedSince) }
    left += try erased().map { try leftRow($0, .erased) }
    try keep(changed)
    while !items.isEmpty {
      let failed = try attempt { try run(items, force: force) }
      if failed.isEmpty {
        if left.isEmpty { try markRuns() }
        break
      }
      left += try failed.map { try leftRow($0.item, $0.reason) }
      let gone = Set(failed.map(\.item))
      items.removeAll(where: gone.contains)
      try keep(gone)
    }
    let order = Dictionary(
      model.entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    return left.sorted { (order[$0.entity] ?? 0, $0.id) < (order[$1.entity] ?? 0, $1.id) }
  }

  private func run(_ items: [RevertItem], force: Bool) throws -> [Left] {
    var left = try rounds(items, .forEach)
    if !left.isEmpty { left = try rounds(left.map(\.item), .forAll) }
    let stuck = left.filter { $0.reason == .linked || $0.reason == .taken && $0.item.action == .update }
    if !stuck.isEmpty {
      for (item, _) in stuck { try release(item) }
      left = try rounds(left.map(\.item), .forAll)
    }
    if force, !left.isEmpty { left = try rounds(left.map(\.item), .forNone) }
    return left
  }

  /// Tries all rows again and again, as long as that leads on.
  private func rounds(_ items: [RevertItem], _ order: RevertOrder) throws -> [Left] {
    var left = items.map { (item: $0, reason: LeftRow.Reason.taken) }
    while true {
      let before = left.count
      left = try put(left.map(\.item), order)
      if left.isEmpty || left.count == before { return left }
    }
  }
}
