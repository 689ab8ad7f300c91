internal import Foundation
internal import GRDBSQLite
internal import SQLiteAccess
package import StoreInterface

// The sentences of this module's errors stand in this folder, and each has a test that holds it word for word. Here: the
// file, its lock and its log.

extension StoreError {
  // MARK: Opening

  static func noSuchStore(_ path: String) -> StoreError {
    StoreError(.cannotOpen, "\(path): there is no such store", hint: "Check the path, or import first.")
  }

  static func storeGone(_ path: String, _ last: HistoryToken) -> StoreError {
    StoreError(
      .storeGone, "\(path): the store is gone; the file beside it remembers its token \(last)",
      hint: "Mount it, put it back or restore it. To begin anew all the same: bolide import --create always")
  }

  static func notToBeMade(_ path: String) -> StoreError {
    StoreError(
      .storeGone, "\(path): there is no store, and `create: never` forbids to make one",
      hint: "Mount it, put it back or restore it. To make it once: bolide import --create always")
  }

  static func noFile(_ path: String) -> StoreError {
    StoreError(
      .cannotOpen, path.isEmpty ? "the store's path is empty" : "\(path): a store is a file",
      hint: "Name a file; `bolide import --dry-run` tries an import and keeps nothing.")
  }

  /// - Parameter reason: what the system says.
  static func noMemory(_ folder: String, _ reason: String) -> StoreError {
    StoreError(
      .cannotOpen, "\(folder): the folder for a store cannot be made (\(reason))",
      hint: "Set TMPDIR to a folder that can be written and has room.")
  }

  static func notAStore(_ path: String) -> StoreError {
    StoreError(
      .notAStore, "\(path): the file is an SQLite database, but not a store of Bolide's",
      hint: "Name another path for the store.")
  }

  static func unmarked(_ path: String) -> StoreError {
    StoreError(
      .notAStore,
      "\(path): the store came through SQL text, such as .dump writes, and nothing marks it as a store any more",
      hint: "If it is your own, mark it again: bolide verify \(path) --rebuild")
  }

  static func newerFormat(_ path: String) -> StoreError {
    StoreError(
      .newerFormat, "\(path): the store was written by a newer version of Bolide",
      hint: "Use that version, or a newer one.")
  }

  static func olderFormat(_ format: Int64, _ path: String) -> StoreError {
    StoreError(
      .olderFormat,
      "\(path): the store has format \(format), of a version before the first release, and this one reads \(StoreSchema.format)",
      hint: "Import anew into another file; whoever reads its history begins with a snapshot.")
  }

  /// A pipeline stands for its store, and names none.
  package static func noStore(in pipeline: String) -> StoreError {
    StoreError(.cannotOpen, "\(pipeline): the pipeline names no store", hint: "Name the store itself.")
  }

  // MARK: Files of unknown origin

  static func unsafeFile(_ path: String, _ problem: FileFacts.Problem) -> StoreError {
    let what =
      switch problem {
      case .link: "is a symbolic link"
      case .special: "is not a regular file"
      case .severalNames: "has a second name: it is a hard link"
      case .foreign: "belongs to another user"
      }
    return StoreError(
      .unsafeFile, "\(path): the file beside the store \(what)",
      hint: "Nothing was written. Find out who made it, remove it, and run the command again.")
  }

  static func journalOfSeveral(_ path: String) -> StoreError {
    StoreError(
      .unsafeFile,
      "\(path): the rollback journal beside the store names a further file, which SQLite would delete",
      hint: "Bolide's stores never have such a journal. Find out who made it, and remove it.")
  }

  static func logOfAnother(_ path: String) -> StoreError {
    StoreError(
      .unsafeFile,
      "\(path): an older file has taken the store's place, and the log beside it is the newer one's",
      hint: "To keep the older file, remove \(path)-wal and \(path)-shm; to keep the newer one, put it back.")
  }

  static func logWithoutStore(_ path: String, _ ending: String) -> StoreError {
    StoreError(
      .unsafeFile, "\(path): there is no store, but \(path)\(ending), which would be copied into a new one",
      hint: "Put the store back that it belongs to; or remove it, and what is in it is lost.")
  }

  static func foreignSchema(_ problem: String) -> StoreError {
    StoreError(
      .foreignSchema, "this is not the schema that Bolide made: \(problem)",
      hint: "Do not use a store that you cannot trust. Restore your own from a backup, or import anew.")
  }

  /// - Parameters:
  ///   - rename: the statement that would put it right, if a name was changed.
  ///   - isMendable: whether it can be made anew, empty.
  static func drifted(_ problem: String, rename: String?, isMendable: Bool) -> StoreError {
    var error = foreignSchema(problem)
    error.hint =
      if let rename {
        "If another program has renamed it, put it right: \(rename)"
      } else if isMendable {
        "Put back what another program has taken away, or have it made anew, empty: bolide verify STORE --rebuild"
      } else {
        "Restore the store from a backup; or drop the table, and have it made anew, empty: bolide verify STORE --rebuild"
      }
    return error
  }

  static func triggersMissing(_ problem: String, _ path: String) -> StoreError {
    StoreError(
      .tokenExpired, "\(path): history may have a gap: \(problem), and this command cannot restore it",
      hint: "Run a command that writes, such as `bolide import`, and start again from a snapshot.")
  }

  // MARK: Lock and log

  /// - Parameter holder: the pipeline at work, where the lock file says so.
  static func locked(_ store: String, by holder: LockHolder?) -> StoreError {
    let who = holder.map { "the pipeline \($0.pipeline) (process \($0.process), since \($0.since))" }
    return StoreError(
      .locked, "\(store): \(who ?? "another import") is at work on this store",
      hint: "Run the command again when it has ended.")
  }

  static func noLockFile(_ path: String, _ reason: String) -> StoreError {
    StoreError(
      .readOnly, "\(path): the lock file cannot be made (\(reason))",
      hint: "Check the owner of the store's folder.")
  }

  /// - Parameter reason: what the system says.
  static func cannotLock(_ path: String, _ reason: String) -> StoreError {
    StoreError(
      .inputOutput, "\(path): the lock cannot be taken (\(reason))",
      hint: "Nothing was done. A store needs a file system that locks files; see whether this one does.")
  }

  /// - Parameter programs: those that have the log open, as far as the system tells.
  static func walLimit(megabytes: Int64, _ programs: String?) -> StoreError {
    let who = programs.map { "; \($0) has it open" } ?? ""
    return StoreError(
      .walLimit,
      "the write-ahead log has grown to \(String(megabytes)) MiB, and a reader keeps it from being emptied\(who)",
      hint:
        "What was committed is safe. End the long read, or raise --wal-limit, and run the same command again."
    )
  }

  /// What was deleted stands in the log for as long as a reader needs it.
  static func erasedButLogged(_ store: String) -> StoreError {
    StoreError(
      .busy,
      "\(store): the refused records are erased, but a reader keeps their bytes in the write-ahead log",
      hint: "Run the same command again when the long read has ended.")
  }

  // MARK: Backups

  package static func ontoItself(_ path: String) -> StoreError {
    StoreError(.badRequest, "\(path): the backup and the store are one file", hint: "Name two files.")
  }

  package static func backupOverFile(_ file: String) -> StoreError {
    StoreError(
      .badRequest, "\(file): the file is no earlier state of the store, and a backup would take its place",
      hint: "Name another file, or remove this one first.")
  }

  package static func damagedBackup(_ file: String) -> StoreError {
    StoreError(
      .corrupt, "\(file): the backup is damaged, and nothing was restored",
      hint: "Use an older one. `bolide verify` says what is wrong with this one.")
  }

  package static func backupOfAnother(_ file: String, _ path: String) -> StoreError {
    StoreError(
      .badRequest, "\(path): \(file) is a backup of another store",
      hint: "Name the store that it was made of, or a path where there is none yet.")
  }

  package static func otherPages(_ file: String, _ path: String) -> StoreError {
    StoreError(
      .badRequest, "\(path): the pages of \(file) have another size",
      hint: "End all programs that use the store, move it away with what lies beside it, and restore again.")
  }

  // MARK: Snapshots

  package static func snapshotOverStore(_ file: String) -> StoreError {
    StoreError(
      .badRequest, "\(file): the file is a store, and a snapshot would take its place",
      hint: "Name another file for the snapshot.")
  }

  package static func snapshotOverFile(_ file: String) -> StoreError {
    StoreError(
      .badRequest, "\(file): the file is no snapshot, and one would take its place",
      hint: "Name another file, or remove this one first.")
  }

  /// - Parameter error: the system's number.
  static func cannotMake(_ file: String, _ error: Int32) -> StoreError {
    switch error {
    case ENOSPC, EDQUOT: StoreError(result: SQLITE_FULL, text: "").about(file)
    default:
      StoreError(
        .cannotOpen, "\(file): the file cannot be made (\(String(cString: strerror(error))))",
        hint: "Check that its folder exists and can be written.")
    }
  }

  package static func cannotPlace(_ file: String, _ reason: String) -> StoreError {
    StoreError(
      .readOnly, "\(file): the file cannot be put in place (\(reason))",
      hint: "Check the owner of its folder, or name another file.")
  }

  static func neverQuiet(_ path: String) -> StoreError {
    StoreError(
      .busy, "\(path): other programs write all the time", hint: "Run the command again in a quieter moment.")
  }

  static func writtenMeanwhile(_ path: String) -> StoreError {
    StoreError(
      .busy, "\(path): somebody has written the store while it was read as one that nobody can write",
      hint: "Run the command again.")
  }

  // MARK: Damage

  package static let noName = damaged("the store does not know its own name")
  static let noModel = damaged("the store has no model")
  static let unreadableModel = damaged("the store's model cannot be read")
  static func unsoundModel(_ problem: String) -> StoreError {
    // Names in it may have any length.
    foreignSchema("its model is not sound: \(problem.count > 400 ? problem.prefix(400) + "…" : problem[...])")
  }

  static let noNumber = damaged("the store has no number for a name of its model")

  private static func damaged(_ message: String) -> StoreError {
    StoreError(.corrupt, message, hint: "Restore it from a backup.")
  }
}
