internal import Bolide
internal import Foundation
internal import GRDB
internal import PostgreSQLAccess
internal import Synchronization

/// Small transactions at random moments, as a service makes them that stores what comes to it.
package enum SmallCommits {
  /// Who writes.
  package enum Writer: String, Codable, Sendable, CaseIterable {
    /// One import after another into one open store.
    case imports
    /// Another program with plain SQL, which signs its transactions: unsigned ones may be told as one.
    case statements

    /// As tables call it.
    var title: String { self == .imports ? "imports" : "another program's SQL" }
  }

  /// Rows of a transaction.
  static let rows = 3

  /// How many transactions: fewer on a small feed, whose figures nobody wants.
  static func count(feedRows: Int) -> Int { min(200, max(20, feedRows / 500)) }

  /// The keys of one transaction's rows, later than all that the generator makes.
  static func keys(of commit: Int) -> [String] {
    (0..<rows).map { row in
      let second = commit * rows + row
      let parts = [second / 3600, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
      return "2100-01-01T\(parts.joined(separator: ":"))Z"
    }
  }

  /// Commits, and notes when each commit returned.
  static func run(_ writer: Writer, pipeline: String, store: String, count: Int) throws -> JobOutcome {
    var random = SplitMix64(seed: 1)
    let commit =
      try writer == .imports
      ? importing(pipeline, store) : PostgreSQLAddress(store).map(stating) ?? stating(store)
    var instants: [UInt64] = []
    var outcome = try JobOutcome.measuring {
      for number in 0..<count {
        usleep(UInt32(5_000 + random.next(below: 35_001)))
        instants.append(try commit(keys(of: number)))
      }
      return count
    }
    outcome.instants = instants
    return outcome
  }

  /// Nanoseconds of the clock that all processes of the machine share.
  static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  private static func importing(_ path: String, _ store: String) throws -> ([String]) throws -> UInt64 {
    let pipeline = try Pipeline(path: path)
    let store = try StoreAddress(store).open(for: pipeline, lockWait: 10)
    let returned = Mutex<UInt64?>(nil)
    return { keys in
      let records = keys.map { #"{"date":"\#($0)","energy":"1.5"}"# }.joined(separator: ",")
      var options = ImportOptions()
      // Called behind the commit; the import's own end comes later.
      options.progress = { _ in returned.withLock { $0 = now } }
      returned.withLock { $0 = nil }
      let report = try store.run(pipeline, on: [.bytes("[\(records)]".utf8)], options: options)
      guard report.progress.counts.inserted == keys.count, let instant = returned.withLock({ $0 }) else {
        throw WrongResult("a small import says \(report.progress.counts)")
      }
      return instant
    }
  }

  private static func stating(_ server: PostgreSQLAddress) throws -> ([String]) throws -> UInt64 {
    let connection = try PostgreSQLConnection(server)
    return { keys in
      try connection.inTransaction {
        for key in keys {
          try connection.run(
            #"INSERT INTO "Fireball"(date, energy) VALUES ($1::text::timestamptz, 1.5)"#, [.text(key)])
        }
      }
      return now
    }
  }

  private static func stating(_ store: String) throws -> ([String]) throws -> UInt64 {
    var configuration = GRDB.Configuration()
    configuration.busyMode = .timeout(10)
    let queue = try DatabaseQueue(path: store, configuration: configuration)
    return { keys in
      try queue.inDatabase { db in
        try db.inTransaction(.immediate) {
          try db.execute(sql: "INSERT INTO bolide_author(name) VALUES ('bench')")
          for key in keys {
            try db.execute(sql: "INSERT INTO Fireball(date, energy) VALUES (?, 1.5)", arguments: [key])
          }
          try db.execute(sql: "DELETE FROM bolide_author")
          return .commit
        }
      }
      return now
    }
  }
}
