package import GRDB
internal import ImportModel
internal import ModelMerging
internal import SQLiteAccess
package import StoreInterface

/// One change an object between two places of history.
///
/// A sorted pass over the changes after the older place, by entity and object. Those after the newer place tell what
/// the present row was there.
package final class NetChanges {
  private let request: HistoryRequest
  private let entities: [Int64: EntityReader]
  private let statement: RawStatement
  private let transaction: Int64
  private let end: Int64
  private let runLimit: Int64
  /// The properties whose values got another form in between: they are told again, though they are the same.
  private let widened: Set<Int64>

  /// One change of one object.
  private struct Event {
    var change: Int64
    var kind: Int64
  }

  /// Objects that one change inserted, as far as they were not told yet.
  private struct Run {
    var ids: Range<Int64>
    var change: Int64
  }

  /// - Parameters:
  ///   - start: the last change before the older place.
  ///   - end: the last change before the newer one.
  ///   - transaction: the newer place's number.
  ///   - tellsWidened: whether values that got another form in between are told, though they are the same.
  package init(
    _ db: Database, _ request: HistoryRequest, _ entities: [Int64: EntityReader], after start: Int64,
    through end: Int64, transaction: Int64, tellsWidened: Bool = true
  ) throws {
    self.request = request
    self.entities = entities
    self.transaction = transaction
    self.end = end
    runLimit = try ChangeReader.runLimit(db)
    let widenings = try RawStatement(
      db,
      """
      SELECT property FROM bolide_widening JOIN bolide_transaction USING (number)
      WHERE first_change > \(start) AND last_change <= \(end) AND \(Widening.wasConversion)
      """)
    var widened: Set<Int64> = []
    while try tellsWidened && widenings.step() { widened.insert(widenings.integer(0)) }
    self.widened = widened
    statement = try RawStatement(
      db,
      "SELECT entity, first, last, kind, change FROM bolide_change WHERE change > ? ORDER BY entity, first, change"
    )
    statement.bind(start, at: 1)
  }

  /// Hands the changes over, by entity and id.
  package func read(_ body: (HistoryChange) throws -> Void) throws {
    defer { statement.reset() }
    var run: Run?
    var entity: EntityReader?
    var hasRow = try statement.step()
    while hasRow {
      if entity?.number != statement.integer(0) {
        try finish(&run, before: .max, entity, body)
        entity = entities[statement.integer(0)]
      }
      guard let entity, entity.isWanted else {
        hasRow = try statement.step()
        continue
      }
      let id = statement.integer(1)
      try finish(&run, before: id, entity, body)
      var events: [Event] = []
      if let open = run, open.ids.lowerBound == id {
        // A run's ids were never given out before it: everything else came later.
        events.append(Event(change: open.change, kind: 0))
        run?.ids.removeFirst()
      }
      while hasRow, statement.integer(1) == id, statement.integer(0) == entity.number {
        let event = Event(change: statement.integer(4), kind: statement.integer(3))
        if event.kind == 0, statement.integer(2) > id {
          // For the same reason there is one open run at a time.
          let ids = try statement.insertedIDs(first: 1, last: 2, atMost: runLimit)
          run = Run(ids: (id + 1)..<(ids.upperBound + 1), change: event.change)
        }
        events.append(event)
        hasRow = try statement.step()
      }
      if let change = try net(entity, id, events) { try body(change) }
    }
    try finish(&run, before: .max, entity, body)
  }

  /// Tells the objects of a run that nothing else happened to.
  private func finish(
    _ run: inout Run?, before id: Int64, _ entity: EntityReader?, _ body: (HistoryChange) throws -> Void
  ) throws {
    guard let open = run, let entity else { return }
    let told = open.ids.clamped(to: open.ids.lowerBound..<max(id, open.ids.lowerBound))
    run =
      told.upperBound < open.ids.upperBound
      ? Run(ids: told.upperBound..<open.ids.upperBound, change: open.change) : nil
    guard !told.isEmpty, open.change <= end, request.wants(.insert) else { return }
    try entity.objects(told.lowerBound...(told.upperBound - 1), after: open.change) { id, present in
      try body(
        change(
          .insert, entity, id, present.key, values: present.values, erased: present.isErased ? .object : nil))
      return true
    }
  }

  /// What happened to one object, all in all.
  private func net(_ entity: EntityReader, _ id: Int64, _ events: [Event]) throws -> HistoryChange? {
    let between = events.filter { $0.change <= end }
    let after = events.filter { $0.change > end }
    guard let first = between.first, let last = between.last else { return nil }
    let (old, oldErased) = try values(entity, before: between)
    let isThere = last.kind != 2
    let (present, presentErased) = isThere ? try values(entity, id, beforeAll: after) : ([:], [])
    let gone = first.kind == 0 ? presentErased : oldErased.union(presentErased)
    let erased: HistoryChange.Erased? =
      gone.contains(ErasedValues.all) ? .object : gone.isEmpty ? nil : .values
    // The row as it is now, which only an object that is still there has.
    let row =
      request.includesValues && events.last?.kind != 2
      ? try entity.presentValues(id).map(entity.properties) : nil
    switch (first.kind != 0, isThere) {
    case (false, false): return nil
    case (false, true):
      guard request.wants(.insert) else { return nil }
      return change(.insert, entity, id, entity.key(of: present), values: row, erased: erased)
    case (true, false):
      guard request.wants(.delete) else { return nil }
      return change(
        .delete, entity, id, entity.key(of: old), previous: old.filter { $0.value != .null }, erased: erased)
    case (true, true):
      let changed = old.filter {
        entity.column($0.key) != nil && !gone.contains($0.key)
          && ($0.value != present[$0.key] ?? .null || widened.contains($0.key) && $0.value != .null)
      }
      // What was erased may have changed.
      let columns = gone.union(changed.keys).compactMap(entity.column)
      guard request.wants(.update), columns.contains(where: \.isWanted) else { return nil }
      return change(
        .update, entity, id, entity.key(of: present), previous: changed, values: row,
        isDerived: columns.allSatisfy(\.isDerived), erased: erased)
    }
  }

  /// The values that an object's changes kept from before the first of them; all values when it was deleted.
  ///
  /// - Returns: also what is not known, as it was erased: properties, and `ErasedValues.all` where the object was.
  private func values(
    _ entity: EntityReader, before events: [Event]
  ) throws -> (known: [Int64: Value], erased: Set<Int64>) {
    var known: [Int64: Value] = [:]
    var erased: Set<Int64> = []
    for event in events where event.kind != 0 {
      let kept = try entity.values(before: event.change)
      for (number, value) in kept where known[number] == nil && !erased.contains(number) {
        known[number] = value
      }
      let gone = try entity.erased(before: event.change)
      if !gone.isEmpty {
        // Of attributes that were dropped, nobody asks.
        let numbers = gone.contains(ErasedValues.all) ? gone.union(entity.propertyNumbers) : gone
        erased.formUnion(
          numbers.filter {
            known[$0] == nil && ($0 == ErasedValues.all || entity.propertyNumbers.contains($0))
          })
      }
      guard event.kind == 2 else { continue }
      for number in entity.propertyNumbers where known[number] == nil && !erased.contains(number) {
        known[number] = .null
      }
      break
    }
    return (known, erased)
  }

  /// All values of an object before some later changes: its present row where they kept nothing.
  private func values(
    _ entity: EntityReader, _ id: Int64, beforeAll later: [Event]
  ) throws -> (known: [Int64: Value], erased: Set<Int64>) {
    let (kept, erased) = try values(entity, before: later)
    let present = (try entity.presentValues(id) ?? [:]).filter { !erased.contains($0.key) }
    return (present.merging(kept) { _, kept in kept }, erased)
  }

  private func change(
    _ kind: HistoryChange.Kind, _ entity: EntityReader, _ id: Int64, _ key: [HistoryChange.Property],
    previous: [Int64: Value] = [:], values: [HistoryChange.Property]? = nil, isDerived: Bool = false,
    erased: HistoryChange.Erased? = nil
  ) -> HistoryChange {
    HistoryChange(
      transaction: transaction, kind: kind, entity: entity.name, id: id, key: key,
      previous: entity.properties(previous), values: values, isDerived: isDerived, erased: erased)
  }
}
