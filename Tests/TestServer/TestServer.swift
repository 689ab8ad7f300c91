import Foundation

/// A PostgreSQL server of the test's own, on a Unix socket in a folder of its own, that ends with the process.
///
/// Its programs come from Debian's package `postgresql`, which `.ci/setup tests` installs.
package final class TestServer: Sendable {
  /// Where its socket and its files are.
  package let folder: String
  private let port: Int
  private let programs: String

  /// The server of this process, started when it is first asked for.
  package static let shared = Result { try TestServer() }

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - settings: lines of `postgresql.conf`.
  ///   - primary: a server whose standby it is, as a copy that receives what that commits; nil for one of its own.
  package init(settings: [String] = [], standbyOf primary: TestServer? = nil) throws {
    // A psql that has ended does not end the tests.
    signal(SIGPIPE, SIG_IGN)
    // Not in the tests' own folder: the server's user must come to it, and a socket's path is short.
    folder = "/tmp/bolide-server-\(UInt32.random(in: 0 ... .max))"
    port = 5432
    programs = try Self.findPrograms()
    let lines =
      [
        "listen_addresses = ''", "unix_socket_directories = '\(folder)'", "fsync = off",
        "max_connections = 200",
        "shared_buffers = 64MB", "autovacuum = on", "log_min_messages = fatal",
      ] + settings
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // The server refuses to run as root.
    process.arguments = [
      "-c",
      """
      mkdir -m 700 "$1" && cd "$1" || exit 1
      as() { "$@"; }
      if [ "$(id -u)" = 0 ]; then chown postgres "$1"; as() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }; fi
      if [ -n "$5" ]; then as "$2/pg_basebackup" -h "$5" -U postgres -D "$1/data" -R -c fast --no-sync > "$1/log" 2>&1 || exit 1
      else as "$2/initdb" -D "$1/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync > "$1/log" 2>&1 || exit 1
      fi
      printf '%s\\n' "$3" >> "$1/data/postgresql.conf"
      if [ "$(id -u)" = 0 ]; then chown postgres "$1/data/postgresql.conf"; fi
      as "$2/postgres" -D "$1/data" >> "$1/log" 2>&1 < /dev/null &
      # At the end of the test's process, however that comes, the server is stopped, and its files are deleted.
      while kill -0 "$4" 2> /dev/null; do sleep 1; done
      kill -QUIT "$(head -n 1 "$1/data/postmaster.pid")"
      wait
      cd / && rm -rf "$1"
      """, "sh", folder, programs, lines.joined(separator: "\n"),
      "\(ProcessInfo.processInfo.processIdentifier)", primary?.folder ?? "",
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    try waitUntilReady(programs)
  }

  /// Stops the server without a word to anybody, as a crash would.
  package func stop() throws { try control("stop", "-m", "immediate") }

  /// The same, and starts it again.
  package func restart() throws {
    try control("restart", "-m", "immediate", "-l", "\(folder)/data/restart.log")
  }

  /// Makes a standby the primary.
  package func promote() throws { try control("promote") }

  private func control(_ words: String...) throws {
    let process = Process()
    let command = ["\(programs)/pg_ctl", "-D", "\(folder)/data", "-w", "-s"] + words
    let user = ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    let all = (geteuid() == 0 ? user : []) + command
    process.executableURL = URL(fileURLWithPath: all[0])
    process.arguments = Array(all.dropFirst())
    process.currentDirectoryURL = URL(fileURLWithPath: "/")
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(text: "pg_ctl \(words)") }
  }

  /// The folder of `initdb` and `postgres`.
  private static func findPrograms() throws -> String {
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    let newest = versions.compactMap(Int.init).max()
    guard let newest else { throw Missing() }
    return "/usr/lib/postgresql/\(newest)/bin"
  }

  /// There is no server to start.
  package struct Missing: Error, CustomStringConvertible {
    package var description: String {
      "these tests need Debian's package postgresql: .ci/setup tests installs it"
    }
  }

  private func waitUntilReady(_ programs: String) throws {
    for _ in 0..<600 {
      let check = Process()
      check.executableURL = URL(fileURLWithPath: "\(programs)/pg_isready")
      check.arguments = ["-q", "-h", folder]
      try check.run()
      check.waitUntilExit()
      if check.terminationStatus == 0 { return }
      usleep(100_000)
    }
    throw Missing()
  }

  /// The address of a schema on the server.
  package func address(schema: String) -> String {
    "postgresql://postgres@/postgres?host=\(folder)#\(schema)"
  }

  /// The address of a schema that nobody uses yet.
  package func freshAddress() -> String { address(schema: "s\(UInt64.random(in: 0 ... .max))") }

  /// Not what Debian calls psql: that first looks which server is meant, four times as long as most statements take.
  fileprivate var psqlProgram: URL { URL(fileURLWithPath: "\(programs)/psql") }

  /// Runs SQL as another program does it, with psql.
  ///
  /// - Returns: its rows as text, columns divided by `|`.
  @discardableResult
  package func psql(_ sql: String, schema: String) throws -> String {
    let process = Process()
    process.executableURL = psqlProgram
    process.arguments = ["-h", folder, "-U", "postgres", "-qAtX", "-v", "ON_ERROR_STOP=1", "postgres"]
    // Not pipes: a program that another thread starts meanwhile would have their ends, too, and might wait for this one's caller.
    let files = ["sql", "out"].map {
      FileManager.default.temporaryDirectory.appending(path: "\(UUID()).\($0)")
    }
    defer { for file in files { try? FileManager.default.removeItem(at: file) } }
    try Data("SET search_path = \"\(schema)\";\n\(sql)\n".utf8).write(to: files[0])
    try Data().write(to: files[1])
    let (input, output) = try (FileHandle(forReadingFrom: files[0]), FileHandle(forWritingTo: files[1]))
    (process.standardInput, process.standardOutput, process.standardError) = (input, output, output)
    try process.run()
    process.waitUntilExit()
    try input.close()
    try output.close()
    let text = String(decoding: try Data(contentsOf: files[1]), as: UTF8.self)
    guard process.terminationStatus == 0 else { throw Failure(text: text) }
    return text.trimmingCharacters(in: .newlines)
  }

  /// A schema as SQL, as pg_dump gives it.
  package func dump(schema: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "\(programs)/pg_dump")
    process.arguments = ["-h", folder, "-U", "postgres", "-n", schema, "postgres"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(text: "pg_dump") }
    return text
  }

  /// What psql says.
  package struct Failure: Error, CustomStringConvertible {
    package let text: String
    package var description: String { text }
  }
}

/// Another program with a session of its own, which waits between its statements for as long as the test wants.
package final class OtherProgram {
  private let process = Process()
  private let input = Pipe()

  package init(on server: TestServer, schema: String) throws {
    process.executableURL = server.psqlProgram
    process.arguments = ["-h", server.folder, "-U", "postgres", "-qAtX", "-v", "ON_ERROR_STOP=1", "postgres"]
    // Its other end is not for programs that are started later.
    _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    try send("SET search_path = \"\(schema)\";")
  }

  /// Sends a statement, and does not wait for what becomes of it.
  package func send(_ sql: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(sql)\n".utf8))
  }

  /// Ends the program behind its statements.
  ///
  /// - Returns: whether all of them went well.
  package func end() throws -> Bool {
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
