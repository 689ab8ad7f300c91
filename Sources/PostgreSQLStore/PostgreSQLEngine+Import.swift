package import ImportModel
internal import ModelMerging
internal import PostgreSQLAccess
package import StoreInterface
package import TypedRows

extension PostgreSQLEngine {
  package func beginImport(
    _ pipeline: Pipeline, input: String, settings: ImportSettings,
    sameJSON: @escaping ChunkLayout.TextEquality, isCancelled: @escaping @Sendable () -> Bool
  ) throws -> any ImportSession {
    return try address.telling {
      let lock = pipelineLocks.lock(of: pipeline.name)
      let session = try lock?.session ?? take(isCancelled)
      session.isCancelled = isCancelled
      let word = randomWord(length: 6)
      return try surviving(session) {
        try lock?.take()
        try StoreOrigin.check(session)
        // A trial has one session.
        let others = try (1..<(session.isTrial ? 1 : settings.connections)).map { _ in
          let other = try take(isCancelled)
          try AdvisoryLock.name(other, "pipeline", pipeline.name)
          return other
        }
        return try PostgreSQLImport(
          self, session, lock, others, pipeline, input: input, stopsOnReject: settings.stopsOnReject,
          word: word, sameJSON: sameJSON)
      }
    }
  }

  package func fit(_ pipeline: Pipeline) throws {
    try restoring { try $0.fit(pipeline, lockWait: lockWait) }
  }

  package func checkFit(_ pipeline: Pipeline) throws {
    try reading { connection, _ in
      _ = try SchemaFit(connection: connection, address: address).update(for: pipeline)
    }
  }

  package func fieldMemory(of pipeline: Pipeline) throws -> FieldMemory {
    try session(repeats: true) { connection in
      let stored = try StoredModel(connection, address)
      return try FieldLog(connection: connection, pipeline: pipeline.name).memory(
        stored.record.names(of: pipeline.entity))
    }
  }

  package func replayableRejects(
    _ pipeline: Pipeline, before run: Int64, after last: KeptReject?, limit: Int
  ) throws -> (kept: [KeptReject], hasMore: Bool) {
    try session(repeats: true) {
      try RejectLog.replayable($0, pipeline, before: run, after: last, limit: limit)
    }
  }

  package func keptRejectCount(pipeline name: String) throws -> Int {
    try session(repeats: true) {
      Int(try $0.run("SELECT count(*) FROM bolide_reject WHERE pipeline = $1", [.text(name)]).integer(0, 0))
    }
  }
}
