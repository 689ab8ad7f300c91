import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Stands between clients and a server, and does something at a statement of a chosen number.
///
/// A statement of the extended protocol ends with Sync: its messages are passed on together, or not at all.
package final class FaultProxy: Sendable {
  /// What happens.
  package enum Fault: Sendable {
    /// The connection ends before the server gets the statement.
    case before
    /// The server does it, and its answer is lost. It does not notice that the client is gone.
    case after
    /// As `before`, and nobody comes through any more.
    case gone
    /// The connection stays; something else happens first.
    case call(@Sendable () -> Void)
  }

  private struct State {
    var count = 0
    var fault: (kind: Fault, number: Int)?
    var isGone = false
  }

  /// Where its socket is.
  package let folder: String
  private let server: String
  private let listener: Int32
  private let state = Mutex(State())

  package init(to server: TestServer) throws {
    folder = "/tmp/bolide-proxy-\(UInt32.random(in: 0 ... .max))"
    self.server = "\(server.folder)/.s.PGSQL.5432"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    listener = socket(AF_UNIX, FaultProxy.stream, 0)
    try Self.withAddress("\(folder)/.s.PGSQL.5432") { address, size in
      guard bind(listener, address, size) == 0, listen(listener, 64) == 0 else {
        throw TestServer.Failure(text: "no socket in \(folder)")
      }
    }
    Thread.detachNewThread { [listener, weak self] in
      while case let client = accept(listener, nil, nil), client >= 0 {
        guard let self else { break }
        self.serve(client)
      }
    }
  }

  /// Lets nobody in any more.
  package func end() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// The address of a schema, through here.
  package func address(schema: String) -> String {
    "postgresql://postgres@/postgres?host=\(folder)#\(schema)"
  }

  /// Lets something happen at the statement of a number, counted from now on, once; nil for nothing.
  package func arm(_ fault: Fault?, at number: Int = 0) {
    state.withLock { $0 = State(fault: fault.map { ($0, number) }) }
  }

  /// How many statements have come since then.
  package var count: Int { state.withLock { $0.count } }

  /// Whether nobody comes through any more.
  package var isGone: Bool { state.withLock { $0.isGone } }

  private func serve(_ client: Int32) {
    let server = socket(AF_UNIX, Self.stream, 0)
    let isThere = try? Self.withAddress(self.server) { connect(server, $0, $1) == 0 }
    guard isThere == true, !state.withLock({ $0.isGone }) else {
      close(client)
      close(server)
      return
    }
    let pair = Pair(client: client, server: server)
    Thread.detachNewThread { [self] in
      forward(pair)
      pair.end()
    }
    Thread.detachNewThread {
      Self.answer(pair)
      pair.end()
    }
  }

  /// From the client to the server.
  private func forward(_ pair: Pair) {
    var reader = MessageReader(pair.client)
    // The first message has no letter.
    guard let start = reader.next(isFirst: true), pair.server.send(start) else { return }
    var statement: [UInt8] = []
    while let message = reader.next() {
      statement += message
      guard ["S", "Q", "X", "p"].contains(message[0].letter) else { continue }
      defer { statement = [] }
      if ["S", "Q"].contains(message[0].letter) {
        let due = state.withLock { state -> Fault? in
          state.count += 1
          guard let fault = state.fault, fault.number == state.count else { return nil }
          state.fault = nil
          if case .gone = fault.kind { state.isGone = true }
          return fault.kind
        }
        switch due {
        case nil: break
        case .before, .gone: return
        case .after: pair.swallow()
        case .call(let body): body()
        }
      }
      guard pair.server.send(statement) else { return }
    }
  }

  /// From the server to the client.
  private static func answer(_ pair: Pair) {
    var reader = MessageReader(pair.server)
    while let message = reader.next() {
      if pair.swallows {
        // Ready for the next statement, or for the rows of COPY.
        guard ["Z", "G"].contains(message[0].letter) else { continue }
        return pair.endClient()
      }
      guard pair.client.send(message) else { return }
    }
  }

  #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
  #else
    private static let stream = SOCK_STREAM
  #endif

  private static func withAddress<Result>(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result
  ) throws -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return try withUnsafePointer(to: address) {
      try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

/// A client's connection and its server's.
private final class Pair: Sendable {
  let client: Int32
  let server: Int32
  private let state = Mutex(false)

  init(client: Int32, server: Int32) { (self.client, self.server) = (client, server) }

  deinit {
    close(client)
    close(server)
  }

  /// Whether the server's next answer is lost.
  var swallows: Bool { state.withLock { $0 } }

  func swallow() { state.withLock { $0 = true } }

  /// Ends the client's alone: the server waits for its next statement as long as the proxy is there.
  func endClient() {
    shutdown(client, Int32(SHUT_RDWR))
    MessageReader.waitForEnd(server)
  }

  func end() {
    if swallows { return }
    shutdown(client, Int32(SHUT_RDWR))
    shutdown(server, Int32(SHUT_RDWR))
  }
}

/// Messages of PostgreSQL's protocol: a letter, the length of what follows with its own four bytes, and that.
private struct MessageReader {
  private let socket: Int32
  private var bytes: [UInt8] = []

  init(_ socket: Int32) { self.socket = socket }

  mutating func next(isFirst: Bool = false) -> [UInt8]? {
    let head = isFirst ? 0 : 1
    while true {
      if bytes.count >= head + 4 {
        let length = head + bytes[head..<head + 4].reduce(0) { $0 << 8 | Int($1) }
        if bytes.count >= length {
          defer { bytes.removeFirst(length) }
          return Array(bytes[..<length])
        }
      }
      var page = [UInt8](repeating: 0, count: 65_536)
      let count = recv(socket, &page, page.count, 0)
      guard count > 0 else { return nil }
      bytes += page[..<count]
    }
  }

  /// Waits until the other side has closed.
  static func waitForEnd(_ socket: Int32) {
    var page = [UInt8](repeating: 0, count: 1024)
    while recv(socket, &page, page.count, 0) > 0 {}
  }
}

extension UInt8 {
  fileprivate var letter: Character { Character(UnicodeScalar(self)) }
}

extension Int32 {
  /// Sends bytes through a socket.
  fileprivate func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        #if canImport(Glibc)
          Glibc.send(self, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        #else
          Darwin.send(self, $0.baseAddress, $0.count, 0)
        #endif
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }
}
