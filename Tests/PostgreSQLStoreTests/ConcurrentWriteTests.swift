import Bolide
import Foundation
import StoreInterface
import TestServer
import Testing

/// An import that meets another writer's open transaction waits for it, and is applied to what that has left.
struct ConcurrentWriteTests {
  /// Imports on another thread, while a program holds a row until the import waits for it.
  private func importBeside(_ store: ServerStore, _ sql: String, isAtomic: Bool) throws -> ImportOutcome {
    let other = try OtherProgram(on: store.server, schema: store.schema)
    try store.hold(sql, by: other)
    let outcome = ImportOutcome()
    let thread = Thread {
      outcome.set(
        Result {
          try store.take(
            [#"{"id": 1, "magnitude": 7}"#, #"{"id": 2, "magnitude": 3, "place": "A"}"#], isAtomic: isAtomic
          ).progress.counts.updated
        })
    }
    thread.start()
    try store.waitUntil(
      "EXISTS (SELECT FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid) WHERE NOT l.granted AND a.query LIKE "
        + "'%FOR NO KEY UPDATE%' AND a.application_name LIKE 'bolide%')")
    try other.send("COMMIT;")
    #expect(try other.end())
    outcome.wait()
    return outcome
  }

  @Test(.timeLimit(.minutes(5)), arguments: [false, true])
  func `a row that somebody changes meanwhile is compared again, in a transaction of its own or a large one`(
    _ isAtomic: Bool
  ) throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 4, "code": "a", "place": "A"}"#])
    let token = try store.engine.newestToken()
    let outcome = try importBeside(
      store, #"UPDATE "Quake" SET code = 'b', magnitude = 5 WHERE id = 1;"#, isAtomic: isAtomic)
    #expect(try outcome.result?.get() == 1)
    #expect(try store.psql(#"SELECT code, magnitude FROM "Quake" WHERE id = 1"#) == "b|7")
    #expect(try store.psql(#"SELECT "count", total, largest FROM "Region""#) == "2|10|7")
    let changes = try store.changes(after: token)
    #expect(
      changes.contains("update Quake 1 code a magnitude 4.0")
        && changes.contains("update Quake 1 magnitude 5.0"))
  }
}

/// What became of an import on another thread.
final class ImportOutcome: Sendable {
  private let done = NSCondition()
  nonisolated(unsafe) private var stored: Result<Int, any Error>?

  var result: Result<Int, any Error>? { done.withLock { stored } }

  func set(_ result: Result<Int, any Error>) {
    done.withLock {
      stored = result
      done.broadcast()
    }
  }

  func wait() {
    done.withLock { while stored == nil { done.wait() } }
  }
}
