public import StoreInterface
internal import Synchronization

extension Store {
  /// The objects that a request asks for, read as they are taken, in constant memory.
  ///
  ///     for try await row in store.rows(of: request) { try await upload(row) }
  ///
  /// The rows come from one state of the store, that of the first `next()`: while the loop goes on the write-ahead log
  /// cannot be emptied, as with a `QueryGeneration`. With a `batchSize` each batch is a query of its own, and nothing is
  /// held between them: for who takes long.
  /// - Parameters:
  ///   - request: what is wanted.
  ///   - token: the place in history; nil for now.
  public func rows(of request: ObjectQuery, at token: HistoryToken? = nil) -> StoreSequence<Snapshot.Row> {
    StoreSequence(store: self) { store in
      let pages = try store.openRows(request, at: token)
      return { StorePage(elements: try pages.next()) }
    }
  }

  /// The objects that a request asks for, as a type of one's own, read as they are taken; see `rows(of:at:)` and
  /// `fetch(_:as:at:)`.
  public func rows<Object: Decodable & Sendable>(
    of request: ObjectQuery, as type: Object.Type, at token: HistoryToken? = nil
  ) -> StoreSequence<Object> {
    StoreSequence(store: self) { [names] store in
      try names.check(type, request, in: store)
      let pages = try store.openRows(request, at: token)
      return {
        var page = StorePage<Object>()
        let decoder = RowDecoder()
        let rows = try pages.next()
        page.elements.reserveCapacity(rows.count)
        do {
          for row in rows { page.elements.append(try decoder.decode(type, from: row)) }
        } catch {
          page.error = error
        }
        return page
      }
    }
  }

  /// Pins the newest state, and gives its place with all its rows, by entity and id, which are read as they are taken. Imports go
  /// on meanwhile.
  ///
  /// The state is held until the rows have been read or let go, as with `rows(of:at:)`. They are for one loop.
  /// - Parameter entities: which entities; empty for all.
  /// - Throws: as `snapshot(of:_:)`.
  public func snapshotRows(
    of entities: [String] = []
  ) async throws -> (snapshot: Snapshot, rows: StoreSequence<Snapshot.Row>) {
    let (snapshot, pages) = try await answering { try $0.openSnapshot(of: entities) }
    return (snapshot, StoreSequence(store: self) { _ in { StorePage(elements: try pages.next()) } })
  }

  /// The rejected records that the store keeps, in the order in which they first came, read as they are taken.
  ///
  /// Nothing is held while they are not. What imports reject or replay meanwhile is seen, or is not, by its place.
  /// - Parameters:
  ///   - pipeline: as `rejects(of:run:)`.
  ///   - run: as `rejects(of:run:)`.
  public func rejectedRecords(of pipeline: String? = nil, run: Int64? = nil) -> StoreSequence<KeptReject> {
    let filter = RejectFilter(run: run, pipeline: pipeline)
    return StoreSequence(store: self) { store in
      let last = Mutex<Int64>(0)
      return {
        let page = try store.rejects(filter, after: last.withLock { $0 })
        last.withLock { $0 = page.last?.number ?? $0 }
        return StorePage(elements: page)
      }
    }
  }
}

/// What a store hands over in pages.
struct StorePage<Element: Sendable>: Sendable {
  var elements: [Element] = []
  /// What came behind them, and ends the sequence.
  var error: (any Error)?
}

/// What is read of a store as it is taken: each time a page of some hundred elements, or a megabyte, by a thread of the
/// store's. Who takes nothing more has nothing more read.
///
/// The sequence ends behind the last element. It throws as the call that makes it says: `StoreError` when the request cannot be
/// met, with the code `closed` when the store was closed meanwhile; and `CancellationError` when its task is cancelled.
/// What it holds of the store is let go at its end, when it throws, and with the iterator.
public struct StoreSequence<Element: Sendable>: AsyncSequence, Sendable {
  fileprivate let store: Store
  /// Begins to read, and gives what reads the next page; it has no elements at the end.
  fileprivate let begin: @Sendable (any StoreEngine) throws -> @Sendable () throws -> StorePage<Element>

  /// Begins at the first element.
  public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

  /// Goes from one element to the next.
  public struct Iterator: AsyncIteratorProtocol {
    /// Nil at the end.
    private var sequence: StoreSequence?
    private var read: (@Sendable () throws -> StorePage<Element>)?
    private var page = StorePage<Element>()
    private var place = 0

    fileprivate init(sequence: StoreSequence) { self.sequence = sequence }

    /// The next element; nil behind the last one.
    ///
    /// - Throws: as the sequence says. Afterwards it has ended.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
      if sequence == nil { return nil }
      do {
        try Task.checkCancellation()
        if place == page.elements.count { try await turn(isolation: actor) }
      } catch {
        end()
        throw error
      }
      guard place < page.elements.count else { return nil }
      place += 1
      return page.elements[place - 1]
    }

    /// As `next(isolation:)`.
    public mutating func next() async throws -> Element? { try await next(isolation: nil) }

    /// Reads the next page.
    private mutating func turn(isolation actor: isolated (any Actor)?) async throws {
      if let error = page.error { throw error }
      guard let sequence else { return }
      if read == nil { read = try await sequence.store.answering(call: "rows", sequence.begin) }
      guard let read else { return }
      page = try await sequence.store.answering(call: nil) { _ in try read() }
      place = 0
      if page.elements.isEmpty {
        if let error = page.error { throw error }
        end()
      }
    }

    private mutating func end() {
      (sequence, read, page, place) = (nil, nil, StorePage(), 0)
    }
  }
}
