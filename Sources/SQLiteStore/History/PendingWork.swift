internal import GRDB
internal import ImportModel
internal import ModelMerging
internal import SQLiteAccess
package import StoreInterface

/// What other programs have left to Bolide's next command: changes that are in no transaction, derived attributes, lost
/// triggers, a restored file.
struct PendingWork {
  /// Changes that are in no transaction yet.
  let changes: Int64
  private let hasChanges: Bool
  /// Derived values that wait to be computed.
  let values: Int64
  /// Triggers that are missing or not as Bolide made them.
  let triggers: [String]
  /// Where the tables are not those of the model.
  let drift: SchemaDrift
  /// Whether objects have to be written, and not only what Bolide keeps of them.
  let writesTables: Bool
  /// Whether the store is not the one that handed out its last token.
  private let isRestored: Bool
  /// What of another program's would run if objects were written; nil also where none is written.
  let foreignCode: ReadingObstacle?

  /// - Parameter last: the last token that was handed out; nil where nobody remembers.
  init(_ db: Database, last: HistoryToken?) throws {
    let model = try ModelRecord(db).model
    drift = try SchemaDrift(db, model)
    changes = try ChangeNumbers.pending(db)
    hasChanges = try SQLiteEngine.hasPendingChanges(db)
    values = try db.integer("SELECT count(*) FROM bolide_dirty")
    triggers = try model.entities.isEmpty ? [] : TriggerMaintenance.problems(db, model: model).triggers
    // Another version of Bolide has written texts in another spelling.
    let isFolded = try db.value("SELECT folding FROM bolide_store") == .integer(TextFolding.version)
    isRestored = try last.map { try BackupRestoreDetector.isForeign($0, db) } ?? false
    let writesTables = values > 0 || !triggers.isEmpty || !isFolded
    self.writesTables = writesTables
    foreignCode =
      if !writesTables {
        nil
      } else if let trigger = try Triggers.foreign(db, model: model) {
        .trigger(trigger)
      } else {
        try ForeignExpressions.first(db, model: model).map { .expression($0) }
      }
  }

  /// Whether what is committed can be read before it is done.
  var canWait: Bool { triggers.isEmpty && !isRestored }

  /// Whether there is none.
  var isEmpty: Bool { !hasChanges && !writesTables && !isRestored }
}

extension SQLiteEngine {
  /// What stands in the place of the file beside the store, if it is not the store's: for who needs nothing of it.
  package var readingNote: ReadingNote? {
    do {
      _ = try LastTokenFile(store: path).read()
      return nil
    } catch {
      return .unsafeFile(error)
    }
  }

  /// Does what other programs have left, if there is any and a command that reads may do it: it needs a store that can be
  /// written, and runs nothing of another program's.
  ///
  /// - Parameters:
  ///   - readsHistory: whether the answer is about history. Then nothing may hide a gap.
  ///   - seconds: how long to wait for another program's write lock before what is committed is read as it is. A call of
  ///     the library does not wait.
  /// - Returns: what could not be done; empty where all is as if this command had written everything itself.
  /// - Throws: `StoreError.unsafeFile`, `.foreignSchema` where the tables are not those of the model, and `.triggersMissing`
  ///   where history has a gap that cannot be written down; all only for an answer about history.
  @discardableResult
  package func assignPendingChanges(readsHistory: Bool, waiting seconds: Double) throws
    -> [ReadingNote]
  {
    var notes: [ReadingNote] = []
    var last: HistoryToken?
    do {
      switch try LastTokenFile(store: path).read() {
      case .token(let token): last = token
      case .unreadable(let file): notes.append(.unreadableFile(file))
      case .nothing: break
      }
    } catch {
      if readsHistory { throw error }
      notes.append(.unsafeFile(error))
    }
    let work = try reading { try PendingWork($0, last: last) }
    if readsHistory { try naming { try work.drift.check() } }
    if work.isEmpty { return notes }
    let obstacle: ReadingObstacle
    if let problem = work.drift.problems.first {
      obstacle = .drift(problem)
    } else if case .unsafeFile? = notes.first {
      obstacle = .unsafeFile
    } else if let code = work.foreignCode {
      obstacle = code
    } else {
      do {
        // A call of the library waits only for what keeps it from reading.
        let isPatient = StoreCall.current?.isPatient ?? true
        try assignPending(waiting: isPatient ? seconds : work.canWait ? 0 : nil)
        return notes
      } catch let error as StoreError where error.code == .readOnly {
        obstacle = .readOnly
      } catch let error as StoreError where error.code == .busy && work.canWait {
        obstacle = .busy
      }
    }
    if readsHistory, let problem = work.triggers.first { throw StoreError.triggersMissing(problem, path) }
    if work.changes > 0 || work.writesTables {
      notes.append(.pending(changes: work.changes, values: work.values, obstacle))
    }
    return notes
  }
}
