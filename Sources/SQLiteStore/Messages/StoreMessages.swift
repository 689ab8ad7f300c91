internal import Foundation
internal import GRDBSQLite
internal import SQLiteAccess
package import StoreInterface

// The sentences of this module's errors stand in this folder, and each has a test that holds it word for word. Here: the
// file, its lock and its log.

extension StoreError {
  // MARK: Opening

  static func noSuchStore(_ path: String) -> StoreError {
    StoreError(.cannotOpen, at: path, "no such store", hint: "Check the path, or import first.")
  }

  static func importing(into path: String) -> StoreError {
    StoreError(
      .busy, at: path, "an import into it is at work", hint: "Wait for the import's end, and close it again.")
  }

  static func storeGone(_ path: String, _ last: HistoryToken) -> StoreError {
    StoreError(
      .storeGone, at: path, "the store is missing; the file beside it contains its last token \(last)",
      hint: "Mount or restore it, or create a new store.", .createStore)
  }

  package static func noFile(_ path: String) -> StoreError {
    StoreError(
      .cannotOpen, at: path.isEmpty ? nil : path,
      path.isEmpty ? "the store's path is empty" : "a store must be a regular file",
      hint: "Use a file, or try the import without keeping it.", .trial)
  }

  /// - Parameter reason: what the system says.
  static func noMemory(_ folder: String, _ reason: String) -> StoreError {
    StoreError(
      .cannotOpen, at: folder, "the folder for a temporary store cannot be created (\(reason))",
      hint: "Set TMPDIR to a writable folder with free space.")
  }

  static func notAStore(_ path: String) -> StoreError {
    StoreError(
      .notAStore, at: path, "the file is an SQLite database, but not a Bolide store",
      hint: "Use another path for the store.")
  }

  static func unmarked(_ path: String) -> StoreError {
    StoreError(
      .notAStore, at: path,
      "the store was loaded from an SQL dump, which lacks the mark of a Bolide store",
      hint: "If it is your own store, mark it again.", .rebuild)
  }

  static func newerFormat(_ path: String) -> StoreError {
    StoreError(
      .newerFormat, at: path, "the store was written by a newer version of Bolide",
      hint: "Use that version or a newer one.")
  }

  static func olderFormat(_ format: Int64, _ path: String) -> StoreError {
    StoreError(
      .olderFormat, at: path,
      "the store has format \(format), of a version before the first release, and this one reads \(StoreSchema.format)",
      hint: "Import into a new file; readers start again from a snapshot.")
  }

  /// A pipeline stands for its store, and names none.
  package static func noStore(in pipeline: String) -> StoreError {
    StoreError(
      .cannotOpen, at: pipeline, "the pipeline names no store", hint: "Pass the path of the store instead.")
  }

  // MARK: Files of unknown origin

  static func unsafeFile(_ path: String, _ problem: FileFacts.Problem) -> StoreError {
    let what =
      switch problem {
      case .link: "is a symbolic link"
      case .special: "is not a regular file"
      case .severalNames: "has several hard links"
      case .foreign: "belongs to another user"
      }
    return StoreError(
      .unsafeFile, at: path, "the file beside the store \(what)",
      hint: "Nothing was written. Find out which program created it, remove it, and run the command again.")
  }

  static func journalOfSeveral(_ path: String) -> StoreError {
    StoreError(
      .unsafeFile, at: path,
      "the rollback journal beside the store names another file, which SQLite would delete",
      hint: "Bolide never creates such a journal. Find out which program did, and remove the journal.")
  }

  static func logOfAnother(_ path: String) -> StoreError {
    StoreError(
      .unsafeFile, at: path,
      "the store was replaced by an older file, and the log beside it belongs to the newer one",
      hint: "To keep the older file, remove \(path)-wal and \(path)-shm; to keep the newer one, put it back.")
  }

  static func logWithoutStore(_ path: String, _ ending: String) -> StoreError {
    StoreError(
      .unsafeFile, at: path, "there is no store, but \(path)\(ending), which would be copied into a new one",
      hint: "Put back the store that it belongs to, or remove it and lose its content.")
  }

  static func foreignSchema(_ problem: String) -> StoreError {
    otherSchema(
      problem,
      hint: "Do not use a store that you do not trust. Restore your own store from a backup, or import "
        + "into a new one.")
  }

  /// - Parameters:
  ///   - rename: the statement that would put it right, if a name was changed.
  ///   - isMendable: whether it can be made anew, empty.
  static func drifted(_ problem: String, rename: String?, isMendable: Bool) -> StoreError {
    var error = foreignSchema(problem)
    if let rename {
      error.hint = "If another program has renamed it, rename it back: \(rename)"
    } else {
      error.hint =
        isMendable
        ? "Restore what another program has dropped, or create it again, empty."
        : "Restore the store from a backup; or drop the table and create it again, empty."
      error.remedy = .rebuild
    }
    return error
  }

  static func triggersMissing(_ problem: String, _ path: String) -> StoreError {
    StoreError(
      .tokenExpired, at: path, "history may have a gap: \(problem), and this command cannot restore it",
      hint: "Open the store with write access once, and start again from a snapshot.",
      .snapshot(reader: nil))
  }

  // MARK: Lock and log

  /// - Parameter holder: the pipeline at work, where the lock file says so.
  static func noLockFile(_ path: String, _ reason: String) -> StoreError {
    StoreError(
      .readOnly, at: path, "the lock file cannot be created (\(reason))",
      hint: "Check the owner of the store's folder.")
  }

  /// - Parameter reason: what the system says.
  static func cannotLock(_ path: String, _ reason: String) -> StoreError {
    StoreError(
      .inputOutput, at: path, "the store cannot be locked (\(reason))",
      hint: "Nothing was done. A store needs a file system that supports file locks.")
  }

  /// - Parameter programs: those that have the log open, as far as the system tells.
  static func walLimit(megabytes: Int64, _ programs: String?) -> StoreError {
    let who = programs.map { "; \($0) has it open" } ?? ""
    return StoreError(
      .walLimit,
      "the write-ahead log has grown to \(String(megabytes)) MiB, and a reader prevents its "
        + "checkpoint\(who)",
      hint:
        "Committed chunks are safe. End the long read, or raise `wal-limit`, and run the same "
        + "command again."
    )
  }

  /// What was deleted stands in the log for as long as a reader needs it.
  static func erasedButLogged(_ store: String) -> StoreError {
    StoreError(
      .busy, at: store,
      "the rejected records are erased, but a reader prevents erasing them from the "
        + "write-ahead log",
      hint: "Run the same command again when the long read has ended.")
  }

  // MARK: Backups

  package static func ontoItself(_ path: String) -> StoreError {
    StoreError(
      .badRequest, at: path, "the backup and the store are the same file", hint: "Use two different files.")
  }

  package static func backupOverFile(_ file: String) -> StoreError {
    StoreError(
      .badRequest, at: file,
      "the file is not an earlier state of the store, and the backup would overwrite it",
      hint: "Use another file, or remove this one first.")
  }

  package static func damagedBackup(_ file: String) -> StoreError {
    StoreError(
      .corrupt, at: file, "the backup is damaged, and nothing was restored",
      hint: "Use an older backup, or list the problems of this one.", .verify)
  }

  package static func backupOfAnother(_ file: String, _ path: String) -> StoreError {
    StoreError(
      .badRequest, at: path, "\(file) is a backup of another store",
      hint: "Use the store that was backed up, or a path where no store exists.")
  }

  package static func otherPages(_ file: String, _ path: String) -> StoreError {
    StoreError(
      .badRequest, at: path, "the page size differs from that of \(file)",
      hint: "End all programs that use the store, move it and its -wal and -shm files away, and restore "
        + "again.")
  }

  // MARK: Snapshots

  package static func snapshotOverStore(_ file: String) -> StoreError {
    StoreError(
      .badRequest, at: file, "the file is a store, and the snapshot would overwrite it",
      hint: "Use another file for the snapshot.")
  }

  package static func snapshotOverFile(_ file: String) -> StoreError {
    StoreError(
      .badRequest, at: file, "the file is not a snapshot, and the snapshot would overwrite it",
      hint: "Use another file, or remove this one first.")
  }

  /// - Parameter error: the system's number.
  static func cannotMake(_ file: String, _ error: Int32) -> StoreError {
    switch error {
    case ENOSPC, EDQUOT: StoreError(result: SQLITE_FULL, text: "").about(file)
    default:
      StoreError(
        .cannotOpen, at: file, "the file cannot be created (\(String(cString: strerror(error))))",
        hint: "Check that its folder exists and can be written.")
    }
  }

  package static func cannotPlace(_ file: String, _ reason: String) -> StoreError {
    StoreError(
      .readOnly, at: file, "the file cannot be replaced (\(reason))",
      hint: "Check the owner of its folder, or use another file.")
  }

  static func neverQuiet(_ path: String) -> StoreError {
    StoreError(
      .busy, at: path, "other programs write continuously", hint: "Run the command again at a quieter time.")
  }

  static func writtenMeanwhile(_ path: String) -> StoreError {
    StoreError(
      .busy, at: path, "another program changed the store while it was read as read-only",
      hint: "Run the command again.")
  }

  // MARK: Damage

  package static let noName = damaged("the store has no identifier")
  static let noModel = damaged("the store has no model")
  static let unreadableModel = damaged("the store's model cannot be read")
  static func unsoundModel(_ problem: String) -> StoreError {
    // Names in it may have any length.
    foreignSchema("its model is invalid: \(problem.count > 400 ? problem.prefix(400) + "…" : problem[...])")
  }

  static let noNumber = damaged("the store has no number for a name of its model")

  private static func damaged(_ message: String) -> StoreError {
    StoreError(.corrupt, message, hint: "Restore it from a backup.")
  }
}
