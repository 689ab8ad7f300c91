internal import CLibPQ
internal import Dispatch
internal import Foundation
internal import StoreInterface

/// One session on a server. One thread at a time uses it.
package final class PostgreSQLConnection {
  /// Asked about ten times a second while the server works; true ends the statement.
  package var isCancelled: @Sendable () -> Bool = { false }
  let library: bolide_pg_functions
  package let address: PostgreSQLAddress
  private(set) var connection: OpaquePointer
  /// Whether all that the session does is taken back at its end.
  package internal(set) var isTrial = false
  /// A request to end a statement that may be under way, and how long it is waited for.
  private var request: (hasEnded: DispatchSemaphore, deadline: DispatchTime)?
  /// Whether a part of the trial's transaction is open.
  var hasSavepoint = false
  /// The server's process of this session; nil while there is none.
  private var process: ServerProcess?
  /// Those of sessions that were lost: the server may not have noticed, and be at work for them.
  private var lost: [ServerProcess] = []

  /// Connects, and sets what the text of values, the rules of transactions and the order of commits depend on.
  ///
  /// - Throws: `StoreError` for a machine without libpq and a server that is too old; `PostgreSQLError` otherwise.
  package init(
    _ address: PostgreSQLAddress, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws {
    guard let library = bolide_pg_load()?.pointee else { throw StoreError.noLibPQ(address.shown) }
    connection = try Self.start(library, address)
    (self.library, self.address, self.isCancelled) = (library, address, isCancelled)
    try open()
  }

  /// Connects once more, and sets nothing.
  private init(beside other: PostgreSQLConnection) throws {
    connection = try Self.start(other.library, other.address)
    (library, address, isCancelled) = (other.library, other.address, other.isCancelled)
    try connect()
  }

  deinit { library.finish(connection) }

  /// By which it was let in, from wherever libpq has it; empty where none was needed.
  package var password: String { library.password(connection).map { String(cString: $0) } ?? "" }

  private static func start(
    _ library: bolide_pg_functions, _ address: PostgreSQLAddress
  ) throws -> OpaquePointer {
    guard let connection = withUnsafePointer(to: library, { bolide_pg_start($0, address.connection) }) else {
      throw PostgreSQLError(state: "53200", text: "out of memory")
    }
    return connection
  }

  private func open() throws {
    try connect()
    guard library.serverVersion(connection) >= 140_000 else {
      throw StoreError.oldServer(Int(library.serverVersion(connection)) / 10_000, address.shown)
    }
    _ = library.setNotice(connection, { _, _ in }, nil)
    if try prepare(in: Int64(library.process(connection))) { return }
    // A pooler stands before the server.
    guard try prepare(in: checkOwnership().number) else { throw StoreError.sharedSessions(address.shown) }
  }

  /// Sets what a session of Bolide's has.
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

  private struct ServerProcess: Equatable {
    let number: Int64
    /// The server gives numbers out again.
    let since: String
  }

  var failure: PostgreSQLError {
    PostgreSQLError(state: "", text: String(cString: library.errorMessage(connection)))
  }

  private func connect() throws {
    let deadline = ContinuousClock.now + .seconds(15)
    var wantsWrite = true
    while true {
      if isCancelled() { throw PostgreSQLError(state: "57014", text: "cancelled") }
      if ContinuousClock.now > deadline { throw PostgreSQLError(state: "", text: "no answer for 15 seconds") }
      let socket = library.socket(connection)
      guard socket >= 0 else { throw refusal ?? unconnected }
      guard bolide_pg_wait(socket, wantsWrite ? 0 : 1, wantsWrite ? 1 : 0, Self.pause) != 0 else { continue }
      switch library.connectPoll(connection) {
      // PGRES_POLLING_READING, _WRITING and _OK
      case 1: wantsWrite = false
      case 2: wantsWrite = true
      case 3: return
      default:
        throw unconnected
      }
    }
  }

  private var unconnected: PostgreSQLError {
    PostgreSQLError(connecting: address.withoutSecrets(failure.text))
  }

  /// Of an address that libpq does not understand: no server was asked then.
  private var refusal: StoreError? {
    let isTaken = withUnsafePointer(to: library) { bolide_pg_takes($0, address.connection) != 0 }
    return isTaken ? nil : .badAddress(address.withoutSecrets(failure.text), address.shown)
  }

  /// How long to wait before the caller is asked again, in milliseconds.
  private static let pause: Int32 = 100

  // MARK: Statements

  var isInServerTransaction: Bool { library.transactionStatus(connection) != 0 }

  /// Runs one statement, with values for `$1` and so on.
  @discardableResult
  package func run(_ sql: String, _ parameters: [Parameter] = []) throws -> QueryResult {
    try send(sql, parameters)
    var last: QueryResult?
    while let result = try receive() { last = result }
    guard let last else { throw failure }
    return last
  }

  /// Runs one statement, and hands over its rows as they come, one in each result; memory does not grow with them.
  package func each(_ sql: String, _ parameters: [Parameter] = [], _ body: (QueryResult) throws -> Void)
    throws
  {
    try send(sql, parameters)
    _ = library.setSingleRowMode(connection)
    do {
      while let result = try receive() { if result.count > 0 { try body(result) } }
    } catch {
      // Whoever stops in the middle wants no more of it. What the server has ended itself is over (PQTRANS_ACTIVE is 1).
      if library.transactionStatus(connection) == 1 { interrupt() }
      while library.status(connection) == 0, let rest = try? receive() { _ = rest }
      throw error
    }
  }

  /// Runs several statements without values.
  package func runAll(_ statements: [String]) throws {
    for statement in statements { try run(statement) }
  }

  /// Whether the server can still be reached by this session, as far as this machine knows.
  package var isAlive: Bool {
    // The first may find the server's last words, and only the second the end behind them.
    library.consumeInput(connection) == 1 && library.consumeInput(connection) == 1
      && library.status(connection) == 0
  }

  /// Whether the server is a standby at present: it can only be read.
  package var isStandby: Bool { setting("in_hot_standby") == "on" }

  /// One of the few settings that the server tells without being asked.
  private func setting(_ name: String) -> String? {
    library.parameterStatus(connection, name).map { String(cString: $0) }
  }

  func send(_ sql: String, _ parameters: [Parameter]) throws {
    try awaitRequest()
    let types = parameters.map(\.type)
    let lengths = parameters.map { Int32(truncatingIfNeeded: $0.bytes?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: parameters.count)
    // One place for all, so that each value has an address while it is sent.
    let places = parameters.map { parameter -> UnsafeMutablePointer<UInt8>? in
      guard let bytes = parameter.bytes else { return nil }
      let place = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, bytes.count))
      bytes.withUnsafeBufferPointer {
        if let start = $0.baseAddress { place.update(from: start, count: $0.count) }
      }
      return place
    }
    defer { for place in places { place?.deallocate() } }
    var values = places.map { $0.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) } }
    let isSent = library.sendQueryParams(
      connection, sql, Int32(truncatingIfNeeded: parameters.count), types, &values, lengths, formats, 1)
    guard isSent == 1 else { throw failure }
  }

  /// The next result of the statement that was sent; nil at its end.
  func receive() throws -> QueryResult? {
    var deadline: ContinuousClock.Instant?
    while library.isBusy(connection) != 0 {
      if deadline == nil, isCancelled() {
        interrupt()
        deadline = .now + .seconds(Self.answerSeconds)
      }
      if let deadline, .now > deadline { throw PostgreSQLError(state: "57014", text: "cancelled") }
      if bolide_pg_wait(library.socket(connection), 1, 0, Self.pause) < 0 { throw failure }
      guard library.consumeInput(connection) == 1 else { throw failure }
    }
    guard let result = library.getResult(connection) else { return nil }
    let status = library.resultStatus(result)
    // PGRES_COMMAND_OK, _TUPLES_OK, _COPY_IN, _SINGLE_TUPLE
    if [1, 2, 4, 9].contains(status) { return QueryResult(library, result) }
    func field(_ letter: Character) -> String? {
      library.resultErrorField(result, Int32(letter.asciiValue ?? 0)).map { String(cString: $0) }
    }
    var error = PostgreSQLError(
      state: field("C") ?? "", text: field("M") ?? String(cString: library.errorMessage(connection)))
    error.isOfStandby = isStandby
    library.clear(result)
    while let rest = library.getResult(connection) { library.clear(rest) }
    throw error
  }

  /// For how long a server that was asked to end a statement is waited for: it may hang, or be cut off.
  private static let answerSeconds = 5.0

  /// Asks the server to end the statement under way, on a thread of its own: libpq waits for an answer without limit.
  private func interrupt() {
    guard let cancel = library.getCancel(connection) else { return }
    // It is a copy of the address and the key alone, and nobody else has it.
    nonisolated(unsafe) let request = cancel
    let hasEnded = DispatchSemaphore(value: 0)
    self.request = (hasEnded, .now() + Self.answerSeconds)
    Thread.detachNewThread { [library] in
      var text = [CChar](repeating: 0, count: 256)
      _ = library.cancel(request, &text, 256)
      library.freeCancel(request)
      hasEnded.signal()
    }
  }

  /// Waits until a request to end a statement has reached the server: later it would end the next one.
  private func awaitRequest() throws {
    guard let (hasEnded, deadline) = request else { return }
    guard hasEnded.wait(timeout: deadline) == .success else {
      throw PostgreSQLError(state: "57014", text: "cancelled")
    }
    request = nil
  }

  // MARK: Notifications

  /// Whether the server has sent a notification since it was asked last.
  package func hasNotification() -> Bool {
    guard library.consumeInput(connection) == 1 else { return true }
    var isNotified = false
    while let notification = library.notification(connection) {
      isNotified = true
      library.freeMemory(notification)
    }
    return isNotified
  }
}
