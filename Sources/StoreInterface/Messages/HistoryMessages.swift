import ImportModel

// What is said of tokens, of requests to history, and of readers.

extension StoreError {
  // MARK: Tokens

  static func notAToken(_ text: String) -> StoreError {
    StoreError(
      .notAToken, "'\(text)' is not a token",
      hint: "A token looks like b1-k3v9qd-18-x7mw2p; reports of imports and ends of transactions contain one."
    )
  }

  package static func noSuchInstant(_ text: String) -> StoreError {
    StoreError(
      .badRequest, "'\(text)' is not a valid day or instant", hint: "Write it as 2026-05-12T06:00:03Z."
    )
  }

  // MARK: Positions
  // Of a token, or of the named reader that has it.

  package static func tokenOfAnotherStore(_ token: HistoryToken, of reader: String? = nil, _ path: String)
    -> StoreError
  {
    StoreError(
      .tokenOfAnotherStore, at: path, "\(position(token, reader)) belongs to another store",
      hint: again(reader, orElse: "Use the token's own store, or start from a snapshot."),
      .snapshot(reader: reader))
  }

  package static func tokenFromTheFuture(_ token: HistoryToken, of reader: String? = nil, _ path: String)
    -> StoreError
  {
    StoreError(
      .tokenFromTheFuture, at: path, "\(position(token, reader)) is newer than this store's history",
      hint: again(
        reader, orElse: "The store may have been restored from a backup. Start again from a snapshot."),
      .snapshot(reader: reader))
  }

  package static func tokenDiverged(_ token: HistoryToken, of reader: String? = nil, _ path: String)
    -> StoreError
  {
    StoreError(
      .tokenDiverged, at: path, "this store's history diverged before \(position(token, reader))",
      hint: again(reader, orElse: "The store was restored or copied. Start again from a snapshot."),
      .snapshot(reader: reader))
  }

  /// - Parameter missed: how many transactions later history starts.
  package static func tokenExpired(
    _ token: HistoryToken, of reader: String? = nil, missed: Int64, _ path: String
  ) -> StoreError {
    StoreError(
      .tokenExpired, at: path,
      "the history after \(position(token, reader)) was pruned: it now starts "
        + "\(counted(missed, "transaction")) later",
      hint: startAgain, .snapshot(reader: reader))
  }

  package static func gap(after token: HistoryToken, of reader: String? = nil, _ path: String) -> StoreError {
    StoreError(
      .tokenExpired, at: path,
      "the history after \(position(token, reader)) has a gap: some changes are not in it",
      hint: startAgain, .snapshot(reader: reader))
  }

  private static func position(_ token: HistoryToken, _ reader: String?) -> String {
    reader.map { "the position of the reader '\($0)'" } ?? "the token \(token)"
  }

  private static let startAgain = "Start again from a snapshot."

  private static func again(_ reader: String?, orElse advice: String) -> String {
    reader == nil ? advice : startAgain
  }

  /// - Parameter end: when the last transaction was made that is gone.
  package static func pruned(since date: String, through end: String, _ path: String) -> StoreError {
    StoreError(
      .tokenExpired, at: path, "the history since \(date) is incomplete: it was pruned up to \(end)",
      hint: "Use a later date, or start from a snapshot.", .snapshot(reader: nil))
  }

  package static func cannotFollow(_ path: String) -> StoreError {
    StoreError(
      .readOnly, at: path, "following changes requires write access to the store and its folder",
      hint: "Poll instead.", .poll)
  }

  package static func vanished(_ path: String) -> StoreError {
    StoreError(
      .cannotOpen, at: path, "the store was deleted or renamed",
      hint:
        "When the store is back, continue from the newest token; the token is rejected if its "
        + "history is lost.")
  }

  package static func replaced(_ path: String) -> StoreError {
    StoreError(
      .cannotOpen, at: path, "the store was replaced by another file",
      hint: "Continue from the newest token; the token is rejected if the new file's history lacks it.")
  }

  // MARK: Requests

  static func noSuchProperty(_ name: String, _ path: String) -> StoreError {
    badRequest(
      "the store has no attribute or relationship '\(name)'",
      "List what the store has.", path, .schema)
  }

  static func limitTooSmall(_ path: String) -> StoreError {
    badRequest("the limit must be at least 1", "Use a limit of 1 or more, or none.", path)
  }

  static func netOfAuthors(_ path: String) -> StoreError {
    badRequest(
      "net changes cannot be filtered by author", "Remove the author filter, or read every change.", path)
  }

  static func netInPages(_ path: String) -> StoreError {
    badRequest("net changes cannot be limited", "Remove the limit, or read every change.", path)
  }

  static func netInside(_ token: HistoryToken, _ path: String) -> StoreError {
    badRequest(
      "net changes start between transactions, and \(token) is inside one",
      "Read every change up to the end of the transaction first.", path)
  }

  package static func endsInside(_ token: HistoryToken, _ path: String) -> StoreError {
    badRequest(
      "a request ends between transactions, and \(token) is inside one",
      "Use the token at the end of the transaction.", path)
  }

  package static func endsBeforeStart(_ token: HistoryToken, _ path: String) -> StoreError {
    badRequest("the request ends at \(token), before its start", "Use the older token as the start.", path)
  }

  package static func doesNotLeadOn(_ token: HistoryToken, from pin: HistoryToken, _ path: String)
    -> StoreError
  {
    badRequest(
      "the token \(token) is not after \(pin)",
      "A query generation only advances, from transaction to transaction.", path)
  }

  private static func badRequest(
    _ message: String, _ hint: String, _ path: String, _ remedy: Remedy? = nil
  ) -> StoreError {
    StoreError(.badRequest, at: path, message, hint: hint, remedy)
  }

  // MARK: Readers

  package static func noSuchReader(_ name: String, _ path: String) -> StoreError {
    StoreError(
      .unknownReader, at: path, "there is no reader '\(name)'",
      hint: "A new reader starts with a snapshot.", .snapshot(reader: name))
  }

  package static func prunedBeginning(_ last: Int64, _ path: String) -> StoreError {
    StoreError(
      .tokenExpired, at: path,
      "the beginning of history is missing: transactions up to \(last) were pruned",
      hint: "Start at the oldest transaction, or from a snapshot.", .oldest)
  }

  package static func readerAtWork(_ name: String, _ path: String) -> StoreError {
    StoreError(
      .locked, at: path, "another consumer of the reader '\(name)' is running",
      hint: "Use one reader per consumer, or run the command again when the other consumer has ended.")
  }

  package static func readerExists(_ name: String, _ path: String) -> StoreError {
    badRequest(
      "the reader '\(name)' exists already", "Move the reader instead.", path, .resetReader(name))
  }

  package static func badReaderName(_ path: String) -> StoreError {
    badRequest(
      "a reader's name has 1 to 100 printable characters", "Choose another name.", path)
  }

  package static func readerInside(_ token: HistoryToken, _ path: String) -> StoreError {
    badRequest(
      "the token \(token) is inside a transaction; a reader's position is between transactions",
      "Use the token at the end of the transaction.", path)
  }

  package static func readerDiverged(_ name: String, _ path: String) -> StoreError {
    StoreError(
      .tokenDiverged, at: path,
      "the store was restored from a backup that lacks changes that the reader '\(name)' has read",
      hint: startAgain, .snapshot(reader: name))
  }
}

/// `1 transaction`, `1204 transactions`.
package func counted(_ count: some BinaryInteger, _ noun: String) -> String {
  count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}
