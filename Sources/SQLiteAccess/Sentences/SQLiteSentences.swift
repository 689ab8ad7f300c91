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
        hint: "What was committed is safe. Make room and run the same command again: nothing is doubled.")
    case SQLITE_READONLY where result == ResultCode.SQLITE_READONLY_ROLLBACK.rawValue:
      self.init(
        .unsafeFile, "a rollback journal lies beside the store, and only a command that writes may use it",
        hint: "If the journal is the store's own, run `bolide import`; if somebody else made it, remove it.")
    case SQLITE_READONLY, SQLITE_PERM:
      self.init(
        .readOnly, "the store cannot be written", hint: "Check the owner of the file and of its folder.")
    case SQLITE_BUSY, SQLITE_LOCKED:
      self.init(
        .busy, "another program holds a lock on the store",
        hint: "Run the command again when that program has ended its transaction.")
    case SQLITE_INTERRUPT:
      self.init(.interrupted, "the statement was ended")
    case SQLITE_ERROR where text.utf8.starts(with: "unsafe use of".utf8):
      self = .untrustedSchema(text)
    case SQLITE_CANTOPEN: self = .notOpened("")
    case SQLITE_NOTADB:
      self.init(.notAStore, "the file is not an SQLite database", hint: "Name another path for the store.")
    // A byte of the header that no version writes.
    case SQLITE_CORRUPT,
      SQLITE_ERROR where text == "unsupported file format":
      // SQLite reports some failed reads so.
      self.init(
        .corrupt, "the store is damaged, or its disk could not be read (\(text))",
        hint:
          "Run `bolide verify`, and look for errors of the disk in the system's log. If damage stays, restore a backup "
          + "with `bolide restore`, or import anew.")
    case SQLITE_MISMATCH:
      self = .malformedNumber(text)
    case SQLITE_NOMEM:
      self.init(
        .inputOutput, "there is not enough memory",
        hint:
          "What was committed is safe. Run the same command again where there is more: nothing is doubled.")
    case SQLITE_IOERR, SQLITE_PROTOCOL:
      self.init(
        .inputOutput, "reading or writing the store failed (\(text))",
        hint:
          "What was committed is safe. Check the disk and the limit on a file's size, and run the same command "
          + "again: nothing is doubled."
      )
    case SQLITE_CONSTRAINT:
      self.init(
        .constraint, "a rule of the store was broken (\(text))",
        hint: "What was committed is safe. See what is wrong with `bolide verify`.")
    default:
      self.init(
        .other, Self.sqliteSays + text,
        hint: "What was committed is safe. See what is wrong with `bolide verify`.")
    }
  }

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
        hint: "Close some, or raise the limit on open files, and run the command again.")
    }
    if descriptor >= 0 { close(descriptor) }
    return StoreError(
      .cannotOpen, "the store cannot be opened or made",
      hint: "Check that its folder exists and can be written.")
  }

  /// What stands before SQLite's own words.
  package static let sqliteSays = "SQLite says: "

  static func untrustedSchema(_ text: String) -> StoreError {
    StoreError(
      .untrustedSchema, "a trigger of another program needs more than a store may do by itself (\(text))",
      hint: "If you trust the store as you trust a program, run the command with --trust-schema.")
  }

  /// - Parameter column: of one of Bolide's own tables.
  package static func malformedNumber(_ column: String) -> StoreError {
    StoreError(
      .malformed, "one of Bolide's own tables holds in '\(column)' what Bolide never writes",
      hint: "See what is wrong with `bolide verify`, and restore the store from a backup.")
  }
}
