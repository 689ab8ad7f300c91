internal import Foundation
internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  /// Copies the store, history and all, as it is at one moment into a file, while others write.
  ///
  /// The file is a store. It takes the place of an earlier state of this one in one step, and of nothing else.
  /// - Returns: its newest token.
  /// - Throws: `StoreError` where something else is there, or the file cannot be written.
  /// - Complexity: O(store), in time and in room on the disk.
  package func backUp(to file: String) throws -> HistoryToken {
    try checkBackupPlace(file)
    let facts = FileFacts(path)
    let part = try UnfinishedFile(for: file, mode: facts?.mode ?? 0o600, owner: facts)
    try copy(to: part.path)
    let token = try SQLiteEngine(reading: part.path).reading { try HistoryPositions($0).newest() }
    _ = try part.place(at: file, replacing: true)
    return token
  }

  /// Makes a store what it was when a backup of it was made, also for programs that have it open.
  ///
  /// A new line of history begins: the numbers that were given out since are lost, and named readers start again from a
  /// snapshot. Where there is no store, one is made.
  /// - Parameter lockWait: how long to wait for an import, in seconds.
  /// - Returns: the newest token now, and how many named readers have to start again.
  /// - Throws: `StoreError` where the file is no store, is damaged, or is another store's.
  /// - Complexity: O(store).
  package static func restore(
    _ file: String, to path: String, lockWait: Double = 600
  ) throws -> (token: HistoryToken, readers: Int) {
    guard !StoreLocation.areOne(file, path) else { throw StoreError.ontoItself(path) }
    let there = FileFacts(path)
    guard there?.isRegular != false else { throw StoreError.noFile(path) }
    let isNew = there == nil
    let backup = try whole(file)
    if isNew {
      let target = StoreLocation.destination(of: path)
      try Journals.checkNone(at: target)
      let part = try UnfinishedFile(for: target, mode: FileFacts(file)?.mode ?? 0o600)
      try backup.copy(to: part.path)
      guard try part.place(at: target, replacing: false) else {
        throw StoreError.cannotPlace(path, String(cString: strerror(EEXIST)))
      }
    }
    let lock = try StoreLock(store: path, pipeline: "bolide restore", wait: lockWait)
    defer { withExtendedLifetime(lock) {} }
    let target = try Self.open(path, LockTimeout(seconds: lockWait), false)
    return try naming(path) {
      try target.inDatabase { db in
        let memory = LastTokenFile(db)
        if !isNew {
          // Should this end in between, the next command sees by these that the store is another one.
          if let last = try newest(db, as: backup, path) { memory?.write(last) }
          memory?.writeCheckpointed(nil)
          try backup.reading { try $0.backup(to: db) }
        }
        try BackupRestoreDetector.run(db)
        var result: (token: HistoryToken, readers: Int)?
        try db.inTransaction(.immediate) {
          try db.run("UPDATE bolide_reader SET diverged = 1")
          result = (
            try HistoryPositions(db).newest(), Int(try db.integer("SELECT count(*) FROM bolide_reader"))
          )
          return .commit
        }
        WriteAheadLog(store: path, limit: 0).empty(db)
        guard let result else { throw StoreError.noName }
        return result
      }
    }
  }

  /// Opens a backup that is not damaged.
  private static func whole(_ file: String) throws -> SQLiteEngine {
    do {
      let backup = try SQLiteEngine(reading: file)
      if try backup.reading({ try $0.integrityProblems(limit: 1) }).isEmpty { return backup }
    } catch let error as StoreError where error.code == .corrupt {}
    throw StoreError.damagedBackup(file)
  }

  /// The last token of the store that is about to be overwritten; nil for an empty file.
  ///
  /// - Throws: `StoreError` where it is not the store that the backup was made of, or differs in what only a new file takes.
  private static func newest(_ db: Database, as backup: SQLiteEngine, _ path: String) throws -> HistoryToken?
  {
    if try db.value("SELECT count(*) FROM sqlite_schema") == .integer(0) { return nil }
    try checkFormat(db, path)
    let places = try HistoryPositions(db)
    let (other, pages) = try backup.reading {
      (try HistoryPositions($0).store, try $0.integer("PRAGMA page_size"))
    }
    guard other == places.store else { throw StoreError.backupOfAnother(backup.path, path) }
    guard try db.integer("PRAGMA page_size") == pages else { throw StoreError.otherPages(backup.path, path) }
    let newest = try places.newest()
    // Numbers may have been given out and taken back by an earlier restore.
    guard let memory = LastTokenFile(db), case .token(let last) = try memory.read(),
      last.number > newest.number
    else { return newest }
    return last
  }

  /// A backup takes the place of an earlier state of its store, or of an empty file: nothing is lost that is not here.
  private func checkBackupPlace(_ file: String) throws {
    guard !StoreLocation.areOne(file, path) else { throw StoreError.ontoItself(path) }
    guard let facts = FileFacts(file) else { return }
    guard facts.isRegular else { throw StoreError.backupOverFile(file) }
    if StoreLocation.isEmptyFile(file) { return }
    // What cannot be read as one is none.
    let there = try? SQLiteEngine(reading: file).reading { try HistoryPositions($0).newest() }
    guard let there,
      try reading({ db in
        let places = try HistoryPositions(db)
        guard there.store == places.store, there.number <= places.newestNumber else { return false }
        let nonce = try places.nonce(of: there.number)
        return nonce == there.nonce || (nonce == nil && there.number <= places.floor)
      })
    else { throw StoreError.backupOverFile(file) }
  }
}
