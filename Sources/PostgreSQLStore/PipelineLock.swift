internal import PostgreSQLAccess
internal import StoreInterface

/// The lock that keeps two imports of one pipeline apart, wherever they run: an advisory lock of a session of its own, which the
/// server lets go of when the session ends. Imports of different pipelines go on side by side.
private final class PipelineLock {
  private let connection: PostgreSQLConnection

  init(_ connection: PostgreSQLConnection) { self.connection = connection }

  /// The end of the session would do it too, a moment later.
  deinit { _ = try? connection.run("SELECT pg_advisory_unlock_all()") }
}

extension PostgreSQLEngine {
  package func lock(
    forPipeline name: String, waiting seconds: Double, isCancelled: () -> Bool
  ) throws -> AnyObject {
    try advisoryLock("pipeline", name)
  }

  package func lock(reader name: String) throws -> any AnyObject & Sendable {
    HeldSession(try advisoryLock("reader", name))
  }

  private func advisoryLock(_ kind: String, _ name: String) throws -> AnyObject {
    try address.telling {
      let connection = try take()
      let what = "\(address.schema)/\(kind)/\(name)"
      try connection.run(
        "SELECT set_config('application_name', $1, false)", [.text("bolide \(kind) \(name)")])
      let taken = try connection.run(
        "SELECT pg_try_advisory_lock(\(SystemTables.lockClass), hashtext($1))", [.text(what)])
      if taken.integer(0, 0) != 0 { return PipelineLock(connection) }
      let holder = try connection.run(
        """
        SELECT a.pid, to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
        WHERE l.locktype = 'advisory' AND l.granted AND l.classid = \(SystemTables.lockClass)
          AND l.objid = hashtext($1)::bigint & 4294967295
        """, [.text(what)])
      throw StoreError.locked(
        path,
        by: holder.count == 0
          ? nil
          : LockHolder(
            process: Int32(truncatingIfNeeded: holder.integer(0, 0)), pipeline: name, since: holder.text(0, 1)
          ))
    }
  }
}

/// Unchecked, as nobody uses the session: it is held until this goes.
private final class HeldSession: @unchecked Sendable {
  private let lock: AnyObject

  init(_ lock: AnyObject) { self.lock = lock }
}
