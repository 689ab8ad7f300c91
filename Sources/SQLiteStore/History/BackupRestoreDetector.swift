package import GRDB
internal import ImportModel
internal import SQLiteAccess
package import StoreInterface

/// Notices that a store is not the one that handed out its last token: it was restored from a backup, a copy took its
/// place, or a power cut took commits back.
///
/// Readers that present a token are told by its nonce. A named reader's cursor came back with the store and would follow
/// the wrong history, so each of them is marked. Numbers that were handed out are never given out again.
package enum BackupRestoreDetector {
  /// Compares the store with what the file beside it remembers. Not inside a transaction.
  package static func run(_ db: Database) throws {
    // Read before the store is: a commit in between only makes the store newer.
    guard let memory = LastTokenFile(db), case .token(let seen) = try memory.read(), try isForeign(seen, db)
    else {
      return
    }
    var newest: HistoryToken?
    try db.inTransaction(.immediate) {
      // Another process may have been here in between.
      guard case .token(let last) = try memory.read(), try isForeign(last, db) else { return .commit }
      let place = try HistoryPositions(db)
      if last.number > place.newestNumber {
        try db.run(
          "INSERT INTO bolide_lost VALUES (?, ?, ?)", .integer(place.newestNumber + 1), .integer(last.number),
          .text(timestamp()))
        try db.run(
          """
          INSERT INTO sqlite_sequence(name, seq) SELECT 'bolide_transaction', 0
          WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'bolide_transaction')
          """)
        try db.run(
          "UPDATE sqlite_sequence SET seq = ? WHERE name = 'bolide_transaction'", .integer(last.number))
      } else {
        newest = try place.newest()
      }
      try db.run("UPDATE bolide_reader SET diverged = 1")
      return .commit
    }
    // The main file is another one's now.
    memory.writeCheckpointed(nil)
    // A lost number stays remembered: the same backup may be restored again.
    if let newest { memory.write(newest) }
  }

  /// Whether the store is not the one that handed out its last token, and nobody has noticed.
  static func isDue(_ db: Database) throws -> Bool {
    // Whoever needs the file says what is wrong with it.
    guard let memory = LastTokenFile(db), case .token(let last)? = try? memory.read() else { return false }
    return try isForeign(last, db)
  }

  /// Whether a token that was handed out here is no place of this history, and nobody has noticed.
  static func isForeign(_ token: HistoryToken, _ db: Database) throws -> Bool {
    let positions = try HistoryPositions(db)
    guard token.store == positions.store else { return false }
    if token.number > positions.newestNumber { return true }
    guard let nonce = try positions.nonce(of: token.number) else { return false }
    return nonce != token.nonce
  }
}

extension SQLiteEngine {
  /// Whether a transaction is in a store that nobody in this process has open: as its file and its log say it.
  package static func has(_ token: HistoryToken, at path: String) throws -> Bool {
    try SQLiteEngine(reading: path).reading {
      try HistoryPositions($0).nonce(of: token.number) == token.nonce
    }
  }
}
