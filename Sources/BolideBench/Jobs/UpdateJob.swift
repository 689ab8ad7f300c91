internal import GRDB

/// Another program that changes a summed value of every row, in one statement.
enum UpdateJob {
  static func run(store path: String) throws -> JobOutcome {
    try JobOutcome.measuring {
      let queue = try DatabaseQueue(path: path)
      return try queue.write { db in
        try db.execute(sql: "UPDATE Fireball SET impactEnergy = impactEnergy * 1.01 + 0.1")
        return db.changesCount
      }
    }
  }
}
