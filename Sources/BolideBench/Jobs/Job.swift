internal import Foundation

/// One measured piece of work. Each is done in a process of its own, by the tool itself.
package enum Job: Codable, Sendable {
  /// Parses one of the made-up inputs, fed in pieces.
  case parse(ParseInput.Kind, rows: Int)
  /// Imports an input; `-` is standard input.
  case importing(pipeline: String, input: String, store: String, connections: Int = 1)
  /// Writes the typed rows of an input with nothing but SQLite.
  case floor(pipeline: String, input: String, file: String, shape: FloorShape, chunkRows: Int)
  /// Reads an input so far and no farther.
  case reading(pipeline: String, input: String, depth: ReadingDepth)
  /// Reads all of a store's history.
  case history(store: String)
  /// Writes with plain SQL.
  case statement(file: String, sql: String)
  /// Makes a pipeline's model a store's; so many rows have something new.
  case migrating(pipeline: String, store: String, rows: Int)
  /// Follows a store while a process started with `tool` makes small transactions.
  case following(
    SmallCommits.Writer, pipeline: String, store: String, tool: String, count: Int)
  /// Makes small transactions, and notes when each was committed.
  case committing(SmallCommits.Writer, pipeline: String, store: String, count: Int)

  /// Does the work in this process.
  ///
  /// - Throws: what the work throws, and `WrongResult`.
  package func run() throws -> JobOutcome {
    switch self {
    case .parse(let kind, let rows): try ParseJob.run(kind, rows: rows)
    case .importing(let pipeline, let input, let store, let connections):
      try ImportJob.run(pipeline: pipeline, input: input, store: store, connections: connections)
    case .floor(let pipeline, let input, let file, let shape, let chunkRows):
      try FloorJob.run(
        pipeline: pipeline, input: input, file: file, shape: shape, chunkRows: chunkRows)
    case .reading(let pipeline, let input, let depth):
      try ReadingJob.run(pipeline: pipeline, input: input, depth: depth)
    case .history(let store): try HistoryJob.run(store: store)
    case .statement(let file, let sql): try StatementJob.run(file: file, sql: sql)
    case .migrating(let pipeline, let store, let rows):
      try MigrationJob.run(pipeline: pipeline, store: store, rows: rows)
    case .following(let writer, let pipeline, let store, let tool, let count):
      try FollowJob.run(writer, pipeline: pipeline, store: store, tool: tool, count: count)
    case .committing(let writer, let pipeline, let store, let count):
      try SmallCommits.run(writer, pipeline: pipeline, store: store, count: count)
    }
  }

  /// Does the work that `text` describes, and says as JSON how it went.
  package static func run(json text: String) throws -> String {
    let job = try JSONDecoder().decode(Job.self, from: Data(text.utf8))
    return String(decoding: try JSONEncoder().encode(try job.run()), as: UTF8.self)
  }
}

/// What one run of a job took, and what came of it.
package struct JobOutcome: Codable, Sendable {
  /// Seconds of the work itself, from opening its files to closing them.
  package var seconds: Double
  /// Seconds from the start of the process to its end.
  package var processSeconds = 0.0
  /// Seconds of processor time, of all threads.
  package var processorSeconds: Double?
  /// The most memory that the process held at a time, in bytes.
  package var peakBytes: Int?
  /// Bytes handed to the system to be written.
  package var writtenBytes: Int?
  /// Records, rows or changes.
  package var rows: Int
  /// Bytes of input, inflated; 0 where there are none.
  package var bytes = 0
  /// Of an import: how the records fared.
  package var counts: [String: Int] = [:]
  /// Seconds by stage, for the jobs that know.
  package var stages: [String: Double] = [:]
  /// Of a follower: how late it had each transaction.
  package var follow: FollowTimes?
  /// Of a writer of small transactions: when each was committed, in nanoseconds of the machine's clock.
  var instants: [UInt64]?
}

/// A result that the measured work did not come to: nothing is shown for it.
package struct WrongResult: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
