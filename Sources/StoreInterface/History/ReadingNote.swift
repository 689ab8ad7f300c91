/// What a command that reads could not do first, for people.
package enum ReadingNote: Sendable, Hashable {
  /// What other programs have written waits for a command that writes.
  case pending(changes: Int64, values: Int64, ReadingObstacle)
  /// Something else stands in the place of the file beside the store.
  case unsafeFile(StoreError)
  /// The file beside the store is not this user's to read: a restored store would not be noticed.
  case unreadableFile(String)
  /// The server that was asked is a standby. What its primary has committed may come there later, by so many seconds at most.
  case standby(secondsBehind: Double)
}

/// Why a command that reads does not write.
package enum ReadingObstacle: Sendable, Hashable {
  /// The store or its folder cannot be written.
  case readOnly
  /// Another program holds the write lock.
  case busy
  /// Another program has locked rows.
  case rowsLocked
  /// Another program's trigger would run.
  case trigger(String)
  /// Another program's expression would be computed.
  case expression(String)
  /// Another program has dropped or renamed what Bolide made.
  case drift(String)
  /// What stands beside the store is not the store's.
  case unsafeFile
}

extension ReadingNote {
  /// Whether everything that was committed can be read nevertheless.
  package var isComplete: Bool {
    if case .pending = self { false } else { true }
  }

  /// A word for it, for logs.
  package var word: String {
    switch self {
    case .pending(_, _, .readOnly): "read-only"
    case .pending(_, _, .busy), .pending(_, _, .rowsLocked): "busy"
    case .pending(_, _, .trigger): "trigger"
    case .pending(_, _, .expression): "expression"
    case .pending(_, _, .drift): "drift"
    case .pending(_, _, .unsafeFile), .unsafeFile: "unsafe-file"
    case .unreadableFile: "unreadable-file"
    case .standby: "standby"
    }
  }

  /// Whether it is worth trying again soon.
  package var isPassing: Bool {
    switch self {
    case .pending(_, _, .busy), .pending(_, _, .rowsLocked): true
    default: false
    }
  }
}
