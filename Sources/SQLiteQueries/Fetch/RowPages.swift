internal import Foundation
internal import GRDB
internal import ImportModel
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  package func openRows(_ request: ObjectQuery, at token: HistoryToken?) throws -> any RowPages {
    let joined = try joinedStores(for: request, at: token)
    guard request.batchSize == nil else {
      return try opened(BatchedRows(self, request, at: token, joined))
    }
    let connection: any DatabaseReader =
      if let joined { try joined.beginReading() } else if token != nil { try makeSnapshot() } else {
        try assignedSnapshot(readsHistory: false).0
      }
    return try opened(PinnedRows(self, [request], by: connection, joined, at: token))
  }

  package func openSnapshot(of entities: [String]) throws -> (Snapshot, any RowPages) {
    let connection = try assignedSnapshot().0
    let (snapshot, wanted, _) = try naming {
      try connection.read { try Snapshot.begin($0, of: entities, path: path) }
    }
    let requests = wanted.map { ObjectQuery($0.name) }
    return (snapshot, try opened(PinnedRows(self, requests, by: connection)))
  }

  /// From now on `close()` ends them.
  private func opened(_ pages: any RowPages) throws -> any RowPages {
    openPages.add(pages)
    try checkOpen()
    return pages
  }
}

/// The rows of requests, one request after the other, from one state that stays pinned from page to page.
///
/// A statement is stepped a page at a time. Pages by key would sort all objects anew for each, and a thread that reads ahead
/// would be held as long as the rows' taker is slow.
///
/// @unchecked: all that changes is touched under the lock alone.
private final class PinnedRows: RowPages, @unchecked Sendable {
  private struct Pin {
    /// In a read transaction.
    let connection: any DatabaseReader
    let joined: JoinedStores?
    /// Tell others of it.
    let files: [PinFile]
  }

  private let store: SQLiteEngine
  private let token: HistoryToken?
  private let lock = NSLock()
  /// Nil when the rows have ended.
  private var pin: Pin?
  private var cursor: FetchCursor?
  /// Those whose rows are still to come.
  private var requests: [ObjectQuery]

  /// A page is so many rows, or so many bytes and little more.
  private static let (rows, bytes) = (256, 1 << 20)

  /// - Parameters:
  ///   - connection: in a read transaction.
  ///   - token: the place in history that is read; nil for the transaction's own state.
  init(
    _ store: SQLiteEngine, _ requests: [ObjectQuery], by connection: any DatabaseReader,
    _ joined: JoinedStores? = nil, at token: HistoryToken? = nil
  ) throws {
    (self.store, self.requests, self.token) = (store, requests, token)
    let place = try token ?? connection.unsafeRead { try HistoryPositions($0).newest() }
    let files = [PinFile(store: store.path, token: place)].compactMap { $0 } + (try joined?.pins() ?? [])
    pin = Pin(connection: connection, joined: joined, files: files)
  }

  deinit { release() }

  func next() throws -> [Snapshot.Row] {
    lock.lock()
    defer { lock.unlock() }
    try store.checkOpen()
    guard let pin else { return [] }
    do {
      let rows = try store.naming {
        try pin.connection.unsafeRead { db in
          var (rows, bytes): ([Snapshot.Row], Int) = ([], 0)
          while rows.count < Self.rows, bytes < Self.bytes, let row = try nextRow(db, pin.joined) {
            rows.append(row)
            bytes += row.bytes
          }
          return rows
        }
      }
      if let joined = pin.joined { try joined.checkUnwritten() } else { try store.checkUnwritten() }
      if rows.isEmpty { release() }
      return rows
    } catch {
      release()
      throw error
    }
  }

  private func nextRow(_ db: Database, _ joined: JoinedStores?) throws -> Snapshot.Row? {
    while true {
      if let row = try cursor?.nextRow() { return row }
      cursor?.end()
      cursor = nil
      guard !requests.isEmpty else { return nil }
      cursor = try FetchReading(db, path: store.path, joined).cursor(requests.removeFirst(), at: token)
    }
  }

  func end() { lock.withLock { release() } }

  private func release() {
    // A statement goes where its connection is used.
    try? pin?.connection.unsafeRead { _ in
      cursor?.end()
      cursor = nil
    }
    (pin, requests) = (nil, [])
  }
}

/// The rows of a request in batches, each from a state of its own: nothing is held between them.
///
/// @unchecked: all that changes is touched under the lock alone.
final class BatchedRows: RowPages, @unchecked Sendable {
  private let store: SQLiteEngine
  private let request: ObjectQuery
  private let token: HistoryToken?
  private let lock = NSLock()
  private var joined: JoinedStores?
  /// Behind which object the next batch begins; nil for the first.
  private var place: KeysetCursor?
  /// How many objects may still come.
  private var rest: Int
  private var isAtEnd = false

  /// - Parameter request: with a size of batches.
  init(_ store: SQLiteEngine, _ request: ObjectQuery, at token: HistoryToken?, _ joined: JoinedStores?) {
    (self.store, self.request, self.token, self.joined) = (store, request, token, joined)
    rest = request.limit ?? .max
  }

  func next() throws -> [Snapshot.Row] {
    lock.lock()
    defer { lock.unlock() }
    try store.checkOpen()
    if isAtEnd { return [] }
    var rows: [Snapshot.Row] = []
    let size = min(request.batchSize ?? .max, rest)
    try store.refreshedReading(joined, at: token) { _, fetch in
      (rows, place) = try fetch.batch(request, at: token, behind: place, size: size)
    }
    rest -= rows.count
    isAtEnd = place == nil || rest == 0
    return rows
  }

  /// The other stores' connection goes with the last reference.
  func end() { lock.withLock { (joined, isAtEnd) = (nil, true) } }
}

extension Snapshot.Row {
  /// How many bytes it has, or little more or less.
  fileprivate var bytes: Int {
    var bytes = 64
    for property in values {
      switch property.value {
      case .text(let text): bytes += text.utf8.count
      case .blob(let blob): bytes += blob.count
      default: bytes += 8
      }
    }
    bytes += related.reduce(0) { $0 + ($1.row?.bytes ?? 0) }
    return fetched.reduce(bytes) { $1.rows.reduce($0) { $0 + $1.bytes } }
  }
}
