import Foundation

/// pgbouncer before a test's server, on a Unix socket in a folder of its own, until it is let go.
///
/// Debian's package `pgbouncer` has it, which `.ci/setup tests` installs.
package final class TestPooler {
  /// When a client gives its session back.
  package enum Mode: String {
    case session, transaction
  }

  private let folder: String
  private let process = Process()

  /// - Parameter sessions: so many of the server's are shared at most.
  package init(_ mode: Mode, before server: TestServer, sessions: Int = 20) throws {
    folder = "/tmp/bolide-pooler-\(UInt32.random(in: 0 ... .max))"
    let settings = """
      [databases]
      * = host=\(server.folder) user=postgres
      [pgbouncer]
      unix_socket_dir = \(folder)
      listen_port = 6432
      auth_type = any
      pool_mode = \(mode.rawValue)
      default_pool_size = \(sessions)
      """
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // It refuses to run as root.
    process.arguments = [
      "-c",
      """
      mkdir -m 700 "$1" && cd "$1" && printf '%s\\n' "$2" > pgbouncer.ini || exit 1
      user=
      if [ "$(id -u)" = 0 ]; then chown -R postgres "$1"; user="setpriv --reuid=postgres --regid=postgres --clear-groups"; fi
      exec $user /usr/sbin/pgbouncer -q pgbouncer.ini
      """, "sh", folder, settings,
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    for _ in 0..<600 where !FileManager.default.fileExists(atPath: "\(folder)/.s.PGSQL.6432") {
      guard process.isRunning else { throw Missing() }
      usleep(50_000)
    }
  }

  /// The address of a schema on the server behind it.
  package func address(schema: String) -> String {
    "postgresql://postgres@/postgres?host=\(folder)&port=6432#\(schema)"
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// There is no pooler to start.
  package struct Missing: Error, CustomStringConvertible {
    package var description: String {
      "these tests need Debian's package pgbouncer: .ci/setup tests installs it"
    }
  }
}
