internal import PostgreSQLAccess
package import StoreInterface

/// The lock that keeps two imports of one pipeline apart, wherever they run: an advisory lock of a session, which the server lets
/// go of when the session ends. The import works in this very session, so that it never writes without the lock. Imports of
/// different pipelines go on side by side.
final class AdvisoryLock {
  let session: PostgreSQLConnection
  private let address: PostgreSQLAddress
  private let kind: String
  private let name: String

  /// Takes the lock.
  ///
  /// - Throws: `StoreError.locked`, which names the holder.
  init(_ session: PostgreSQLConnection, _ address: PostgreSQLAddress, _ kind: String, _ name: String) throws {
    (self.session, self.address, self.kind, self.name) = (session, address, kind, name)
    try take()
  }

  /// The end of the session would do it too, a moment later.
  deinit { _ = try? session.run("SELECT pg_advisory_unlock_all()") }

  /// Says what a session is for, where the server shows it.
  static func name(_ session: PostgreSQLConnection, _ kind: String, _ name: String) throws {
    try session.run(
      "SELECT set_config('application_name', $1, false)", [.text("bolide \(kind) \(name)")])
  }

  /// Takes the lock, also again in a session that has connected anew.
  func take() throws {
    let what = "\(address.schema)/\(kind)/\(name)"
    try Self.name(session, kind, name)
    let taken = try session.run(
      "SELECT pg_try_advisory_lock(\(SystemTables.lockClass), hashtext($1))", [.text(what)])
    if taken.integer(0, 0) != 0 { return }
    let holder = try session.run(
      """
      SELECT a.pid, to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
      WHERE l.locktype = 'advisory' AND l.granted AND l.classid = \(SystemTables.lockClass)
        AND l.objid = hashtext($1)::bigint & 4294967295
      """, [.text(what)])
    throw StoreError.locked(
      address.shown,
      by: holder.count == 0
        ? nil
        : LockHolder(
          process: Int32(truncatingIfNeeded: holder.integer(0, 0)), pipeline: name, since: holder.text(0, 1)
        ))
  }
}

extension PostgreSQLEngine {
  package func lock(forPipeline name: String, waiting seconds: Double) throws -> AnyObject {
    let lock = try address.telling {
      let session = try take()
      return try surviving(session) { try AdvisoryLock(session, address, "pipeline", name) }
    }
    pipelineLocks.note(lock, of: name)
    return lock
  }

  package func lock(reader name: String) throws -> any ConsumerLock {
    try address.readerLock(name) {
      HeldLock(try AdvisoryLock(take(), address, "reader", name), address, name)
    }
  }
}

/// Unchecked, as one thread at a time uses the session: whoever takes it again.
private final class HeldLock: ConsumerLock, @unchecked Sendable {
  private let lock: AdvisoryLock
  private let address: PostgreSQLAddress
  private let reader: String

  init(_ lock: AdvisoryLock, _ address: PostgreSQLAddress, _ reader: String) {
    (self.lock, self.address, self.reader) = (lock, address, reader)
  }

  func renew() throws -> Bool {
    if lock.session.isAlive { return false }
    try address.readerLock(reader) {
      try lock.session.reconnect(within: .zero)
      try lock.take()
    }
    return true
  }
}

extension PostgreSQLAddress {
  /// Takes the lock of a reader's consumer, and says whose it is where another one has it.
  fileprivate func readerLock<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try telling(body)
    } catch let error as StoreError where error.code == .locked {
      throw StoreError.readerAtWork(name, shown)
    }
  }
}
