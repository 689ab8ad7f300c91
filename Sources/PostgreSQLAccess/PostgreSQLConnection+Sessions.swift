internal import CLibPQ
internal import StoreInterface

// How a session begins, and how another one follows where the connection was lost.

extension PostgreSQLConnection {
  /// Connects, and sets what a session of Bolide's has.
  func open() throws {
    try connect()
    guard library.serverVersion(connection) >= 140_000 else {
      throw StoreError.oldServer(Int(library.serverVersion(connection)) / 10_000, address.shown)
    }
    guard setting("server_encoding") ?? "UTF8" == "UTF8" else { throw StoreError.notUTF8(address.shown) }
    _ = library.setNotice(connection, { _, _ in }, nil)
    if try prepare(in: Int64(library.process(connection))) { return }
    // A pooler stands before the server.
    guard try prepare(in: checkOwnership().number) else { throw StoreError.sharedSessions(address.shown) }
  }

  /// Sets it in the server's process that answers.
  ///
  /// - Parameter process: the server's process that has to answer.
  /// - Returns: false where another one does: then nothing was set.
  private func prepare(in process: Int64) throws -> Bool {
    // Compiling a statement (jit) takes longer than most of them, and each chunk has others. Without row_security a query that would
    // not get all rows fails. As a replica the session would call no triggers. Who waits for a lock does not notice otherwise that the
    // client is gone, and keeps its own; other systems may not know that.
    let session = try run(
      """
      SELECT pid, backend_start::text, set_config('search_path', $1, false), set_config('client_encoding', 'UTF8', false),
        set_config('timezone', 'UTC', false), set_config('datestyle', 'ISO, YMD', false),
        set_config('bytea_output', 'hex', false), set_config('extra_float_digits', '1', false),
        set_config('standard_conforming_strings', 'on', false),
        set_config('application_name', 'bolide', false),
        set_config('synchronous_commit', CASE current_setting('synchronous_commit')
          WHEN 'off' THEN 'on' WHEN 'local' THEN 'on' ELSE current_setting('synchronous_commit') END, false),
        set_config('default_transaction_isolation', 'read committed', false),
        set_config('tcp_keepalives_idle', '15', false), set_config('tcp_keepalives_interval', '5', false),
        set_config('tcp_keepalives_count', '3', false), set_config('jit', 'off', false),
        set_config('row_security', 'off', false), set_config('quote_all_identifiers', 'off', false),
        set_config('transform_null_equals', 'off', false), set_config('array_nulls', 'on', false),
        set_config('exit_on_error', 'off', false), set_config('idle_session_timeout', '0', false),
        set_config('idle_in_transaction_session_timeout', '0', false),
        CASE WHEN current_setting('client_connection_check_interval') = '0' AND version() LIKE '%-linux-%'
          THEN set_config('client_connection_check_interval', '2s', false) END,
        CASE current_setting('session_replication_role')
          WHEN 'replica' THEN set_config('session_replication_role', 'origin', false) END
      FROM pg_stat_activity WHERE pid = pg_backend_pid() AND pid = $2
      """, [.text("\(quoted(address.schema)), pg_temp"), .integer(process)])
    guard session.count > 0 else { return false }
    self.process = ServerProcess(number: session.integer(0, 0), since: session.text(0, 1))
    return true
  }

  /// Sees that nobody else is in the server's process between two transactions: what is set in a session and what it locks would
  /// be somebody else's.
  ///
  /// - Returns: the process.
  /// - Throws: `StoreError` for a pooler that hands the process on.
  private func checkOwnership() throws -> ServerProcess {
    let other = try PostgreSQLConnection(beside: self)
    let own = try askProcess()
    // The pooler gives away first what was used last; a busy one gives another process each time.
    for _ in 1...8 {
      guard try other.askProcess() != own, try askProcess() == own else {
        throw StoreError.sharedSessions(address.shown)
      }
    }
    return own
  }

  /// The process that answers.
  private func askProcess() throws -> ServerProcess {
    let found = try run(
      "SELECT pid, backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()")
    return ServerProcess(number: found.integer(0, 0), since: found.text(0, 1))
  }

  // MARK: Lost sessions

  /// Connects anew after the connection was lost, and ends the lost session where the server still has it: what it had under
  /// way is committed then, or never will be. What was set or locked in it is gone.
  ///
  /// - Parameter patience: for how long a server that does not answer is asked again; the first try is made in any case.
  package func reconnect(within patience: Duration) throws {
    // A trial's transaction is gone, with all that it was to tell.
    if isTrial { throw failure }
    let deadline = ContinuousClock.now + patience
    var pause = Self.pause
    while true {
      do {
        return try reconnect()
      } catch let error as PostgreSQLError {
        guard error.isPassing, ContinuousClock.now < deadline else { throw error }
      }
      _ = bolide_pg_wait(-1, 0, 0, pause)
      pause = min(pause * 2, 1000)
    }
  }

  private func reconnect() throws {
    if let process { lost.append(process) }
    process = nil
    let new = try Self.start(library, address)
    library.finish(connection)
    (connection, request) = (new, nil)
    try open()
    for process in lost {
      let ended = try run(
        """
        SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE pid = \(process.number) AND backend_start = $1::text::timestamptz
          AND pid <> pg_backend_pid() AND application_name LIKE 'bolide%'
        """, [.text(process.since)])
      guard ended.count == 0 || ended.integer(0, 0) != 0 else {
        throw PostgreSQLError(state: "", text: "the server does not end a session that was lost")
      }
    }
    lost = []
  }
}

/// One session's process on the server.
struct ServerProcess: Equatable {
  let number: Int64
  /// The server gives numbers out again.
  let since: String
}
