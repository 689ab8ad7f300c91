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
  var connection: OpaquePointer
  /// Whether all that the session does is taken back at its end.
  package internal(set) var isTrial = false
  /// A request to end a statement that may be under way, and how long it is waited for.
  var request: (hasEnded: DispatchSemaphore, deadline: DispatchTime)?
  /// Whether a part of the trial's transaction is open.
  var hasSavepoint = false
  /// The server's process of this session; nil while there is none.
  var process: ServerProcess?
  /// Those of sessions that were lost: the server may not have noticed, and be at work for them.
  var lost: [ServerProcess] = []

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
  init(beside other: PostgreSQLConnection) throws {
    connection = try Self.start(other.library, other.address)
    (library, address, isCancelled) = (other.library, other.address, other.isCancelled)
    try connect()
  }

  deinit { library.finish(connection) }

  /// By which it was let in, from wherever libpq has it; empty where none was needed.
  package var password: String { library.password(connection).map { String(cString: $0) } ?? "" }

  static func start(
    _ library: bolide_pg_functions, _ address: PostgreSQLAddress
  ) throws -> OpaquePointer {
    guard let connection = withUnsafePointer(to: library, { bolide_pg_start($0, address.connection) }) else {
      throw PostgreSQLError(state: "53200", text: "out of memory")
    }
    return connection
  }

  var failure: PostgreSQLError {
    PostgreSQLError(state: "", text: String(cString: library.errorMessage(connection)))
  }

  func connect() throws {
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
    // A port it looks at only when it connects.
    if isTaken, !failure.text.contains("invalid port number") { return nil }
    return .badAddress(address.withoutSecrets(failure.text), address.shown)
  }

  /// How long to wait before the caller is asked again, in milliseconds.
  static let pause: Int32 = 100

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
  func setting(_ name: String) -> String? {
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
