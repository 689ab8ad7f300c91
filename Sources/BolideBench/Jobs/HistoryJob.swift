internal import Bolide

/// A reader that was away since the beginning: every change of the history, with its object's key.
enum HistoryJob {
  static func run(store path: String) throws -> JobOutcome {
    var keys = 0
    var promised = 0
    let outcome = try JobOutcome.measuring {
      let store = try StoreAddress(path).open()
      var changes = 0
      try store.readHistory(HistoryRequest()) { change in
        changes += 1
        // The values are read, not only counted.
        for property in change.key where property.value != .null { keys += 1 }
      } commit: { transaction in
        promised += transaction.changeCount
      }
      return changes
    }
    guard outcome.rows == promised, keys >= outcome.rows else {
      throw WrongResult("history gave \(outcome.rows) changes with \(keys) keys, and promised \(promised)")
    }
    return outcome
  }
}
