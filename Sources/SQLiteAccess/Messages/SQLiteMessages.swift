internal import Foundation
internal import GRDB
internal import GRDBSQLite
package import StoreInterface

// What SQLite reports, as people read it.
extension StoreError {
  /// - Parameters:
  ///   - result: SQLite's extended result code.
  ///   - text: SQLite's own words; they name tables and columns, never values.
  package init(result: Int32, text: String) {
    // A trigger of another program may say anything.
    let text = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    switch result & 0xff {
    case SQLITE_FULL:
      self.init(
        .full, "the disk is full",
        hint: "Committed chunks are safe. Free some space and run the same command again: no row is "
          + "duplicated.")
    case SQLITE_READONLY where result == ResultCode.SQLITE_READONLY_ROLLBACK.rawValue:
      self.init(
        .unsafeFile, "there is a rollback journal beside the store, which only a command that writes can use",
        hint: "If the journal belongs to the store, import into the store; otherwise remove it.")
    case SQLITE_READONLY, SQLITE_PERM:
      self.init(
        .readOnly, "the store cannot be written",
        hint: "Check the owner and permissions of the file and its folder.")
    case SQLITE_BUSY, SQLITE_LOCKED:
      self.init(
        .busy, "another program holds a lock on the store",
        hint: "Run the command again when that program has finished its transaction.")
    case SQLITE_CONSTRAINT where StoreError.rowsKept(saying: text).isOfKeptRows:
      self = .rowsKept(saying: text)
    case SQLITE_INTERRUPT:
      self.init(.interrupted, "the statement was interrupted")
    case SQLITE_ERROR where text.utf8.starts(with: "unsafe use of".utf8):
      self = .untrustedSchema(text)
    case SQLITE_CANTOPEN: self = .notOpened("")
    case SQLITE_NOTADB:
      self.init(.notAStore, "the file is not an SQLite database", hint: "Use another path for the store.")
    // A byte of the header that no version writes.
    case SQLITE_CORRUPT,
      SQLITE_ERROR where text == "unsupported file format":
      // SQLite reports some failed reads so.
      self.init(
        .corrupt, "the store is damaged, or the disk cannot be read (\(text))",
        hint:
          "Check the system's log for disk errors. If the store is damaged, restore a backup, or "
          + "import into a new store. To see what is damaged, verify the store.", .verify)
    case SQLITE_MISMATCH:
      self = .malformedNumber(text)
    case SQLITE_NOMEM:
      self.init(
        .inputOutput, "out of memory",
        hint:
          "Committed chunks are safe. Run the same command again with more memory: no row is duplicated.")
    case SQLITE_IOERR, SQLITE_PROTOCOL:
      self.init(
        .inputOutput, "reading or writing the store failed (\(text))",
        hint:
          "Committed chunks are safe. Check the disk and the file size limit, and run the same "
          + "command again: no row is duplicated."
      )
    case SQLITE_CONSTRAINT:
      self.init(
        .constraint, "a constraint of the store failed (\(text))",
        hint: "Committed chunks are safe. To find the problem, verify the store.", .verify)
    default:
      self.init(
        .other, "SQLite reports: \(text)",
        hint: "Committed chunks are safe. To find the problem, verify the store.", .verify)
      engineText = text
    }
  }

  /// Whether a value is there already that may be there once.
  package var isOfUniqueness: Bool { code == .constraint && reason.contains("(UNIQUE constraint failed") }

  /// SQLite does not say why; the system does, when it is asked again.
  package static func notOpened(_ path: String) -> StoreError {
    let isThere = access(path, F_OK) == 0
    if isThere, access(path, R_OK) != 0 {
      return StoreError(
        .cannotOpen, "the store cannot be opened (\(String(cString: strerror(errno))))",
        hint: "Run the command as the store's owner, or let this user read it.")
    }
    let descriptor = dup(STDERR_FILENO)
    if descriptor < 0, errno == EMFILE || errno == ENFILE {
      return StoreError(
        .cannotOpen, "the store cannot be opened (\(String(cString: strerror(errno))))",
        hint: "Close some files, or raise the limit on open files, and run the command again.")
    }
    if descriptor >= 0 { close(descriptor) }
    return StoreError(
      .cannotOpen, "the store cannot be opened or created",
      hint: "Check that its folder exists and can be written.")
  }

  static func untrustedSchema(_ text: String) -> StoreError {
    StoreError(
      .untrustedSchema,
      "a trigger of another program uses a function or a table that is not allowed (\(text))",
      hint: "If you trust the store like a program, trust its schema.", .trustSchema)
  }

  /// - Parameter column: of one of Bolide's own tables.
  package static func malformedNumber(_ column: String) -> StoreError {
    StoreError(
      .malformed,
      "the column '\(column)' of one of Bolide's tables contains a value that Bolide never writes",
      hint: "Restore the store from a backup. To find the problem, verify the store.", .verify)
  }
}
