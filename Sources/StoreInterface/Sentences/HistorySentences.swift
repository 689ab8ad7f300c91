import ImportModel

// What is said of tokens, of requests to history, and of readers.

extension StoreError {
  // MARK: Tokens

  static func notAToken(_ text: String) -> StoreError {
    StoreError(
      .notAToken, "'\(text)' is not a token",
      hint: "A token looks like b1-k3v9qd-18-x7mw2p; an import's report and `bolide changes` print them.")
  }

  package static func noSuchInstant(_ text: String) -> StoreError {
    StoreError(
      .badRequest, "'\(text)' is no day or instant that there is", hint: "It looks like 2026-05-12T06:00:03Z."
    )
  }

  package static func tokenOfAnotherStore(_ token: HistoryToken, _ path: String) -> StoreError {
    StoreError(
      .tokenOfAnotherStore, "\(path): the token \(token) is another store's",
      hint: "Name the store that gave the token, or start from a snapshot: bolide snapshot \(path)")
  }

  package static func tokenFromTheFuture(_ token: HistoryToken, _ path: String) -> StoreError {
    StoreError(
      .tokenFromTheFuture, "\(path): the token \(token) is later than this store's history",
      hint:
        "The store may have been restored from a backup. Start again from a snapshot: bolide snapshot \(path)"
    )
  }

  package static func tokenDiverged(_ token: HistoryToken, _ path: String) -> StoreError {
    StoreError(
      .tokenDiverged, "\(path): this store's history took another way before the token \(token)",
      hint: "The store was restored or copied. Start again from a snapshot: bolide snapshot \(path)")
  }

  /// - Parameter missed: how many transactions later history starts.
  package static func tokenExpired(_ token: HistoryToken, missed: Int64, _ path: String) -> StoreError {
    StoreError(
      .tokenExpired,
      "\(path): the history after the token \(token) is gone: it now starts \(counted(missed, "transaction")) later",
      hint: "Start again from a snapshot: bolide snapshot \(path)")
  }

  package static func gap(after token: HistoryToken, _ path: String) -> StoreError {
    StoreError(
      .tokenExpired,
      "\(path): the history after the token \(token) has a gap: changes were made that no trigger has seen",
      hint: "Start again from a snapshot: bolide snapshot \(path)")
  }

  /// - Parameter end: when the last transaction was made that is gone.
  package static func pruned(since date: String, through end: String, _ path: String) -> StoreError {
    StoreError(
      .tokenExpired, "\(path): the history from \(date) on is not all there: it was pruned up to \(end)",
      hint: "Name a later date, or start from a snapshot: bolide snapshot \(path)")
  }

  package static func cannotFollow(_ path: String) -> StoreError {
    StoreError(
      .readOnly, "\(path): who cannot write the store and its folder cannot wait for changes",
      hint: "Ask for them now and then: bolide changes \(path) --since TOKEN")
  }

  package static func vanished(_ path: String) -> StoreError {
    StoreError(
      .cannotOpen, "\(path): the store was deleted or has another name now",
      hint:
        "Begin again when it is back, with the newest token: it tells whether the store leads on from there.")
  }

  package static func replaced(_ path: String) -> StoreError {
    StoreError(
      .cannotOpen, "\(path): another file has taken the store's place",
      hint: "Begin again with the newest token: it tells whether the new file leads on from there.")
  }

  // MARK: Requests

  static func noSuchProperty(_ name: String, _ path: String) -> StoreError {
    badRequest(
      "the store has no attribute or relationship '\(name)'", "See what it has: bolide schema \(path)", path)
  }

  static func limitTooSmall(_ path: String) -> StoreError {
    badRequest("a limit is at least 1", "Ask for one change or more, or leave out the limit.", path)
  }

  static func netOfAuthors(_ path: String) -> StoreError {
    badRequest(
      "net changes are those of all authors", "Leave out the authors, or ask for every change.", path)
  }

  static func netInPages(_ path: String) -> StoreError {
    badRequest("net changes have no pages", "Leave out the limit, or ask for every change.", path)
  }

  static func netInside(_ token: HistoryToken, _ path: String) -> StoreError {
    badRequest(
      "net changes begin between transactions, and \(token) is inside one",
      "Read on without net changes to the transaction's end.", path)
  }

  package static func endsInside(_ token: HistoryToken, _ path: String) -> StoreError {
    badRequest(
      "a request ends between transactions, and \(token) is inside one",
      "Read on to the transaction's end, and give that token.", path)
  }

  package static func endsBeforeStart(_ token: HistoryToken, _ path: String) -> StoreError {
    badRequest("the request ends with \(token), before it begins", "Name the older place first.", path)
  }

  package static func doesNotLeadOn(_ token: HistoryToken, from pin: HistoryToken, _ path: String)
    -> StoreError
  {
    badRequest(
      "the token \(token) does not lead on from \(pin)",
      "A query generation goes forward, from transaction to transaction.", path)
  }

  private static func badRequest(_ message: String, _ hint: String, _ path: String) -> StoreError {
    StoreError(.badRequest, "\(path): \(message)", hint: hint)
  }

  // MARK: Readers

  package static func noSuchReader(_ name: String, _ path: String) -> StoreError {
    StoreError(
      .unknownReader, "\(path): there is no reader '\(name)'",
      hint: "A new reader begins with a snapshot: bolide snapshot \(path) --reader \(name) -- COMMAND")
  }

  package static func prunedBeginning(_ last: Int64, _ path: String) -> StoreError {
    StoreError(
      .tokenExpired,
      "\(path): history does not go back to its beginning; transactions up to \(last) were pruned",
      hint: "Read what is kept with --from oldest, or start from a snapshot: bolide snapshot \(path)")
  }

  package static func readerAtWork(_ name: String, _ path: String) -> StoreError {
    StoreError(
      .locked, "\(path): another consumer of the reader '\(name)' is at work",
      hint: "Each consumer needs a reader of its own; or run the command again when the other has ended.")
  }

  package static func readerExists(_ name: String, _ path: String) -> StoreError {
    badRequest(
      "there is a reader '\(name)' already", "Begin again with it: bolide readers \(path) reset \(name)", path
    )
  }

  package static func badReaderName(_ path: String) -> StoreError {
    badRequest(
      "a reader's name has 1 to 100 characters that can be printed", "Give it another name.", path)
  }

  package static func readerInside(_ token: HistoryToken, _ path: String) -> StoreError {
    badRequest(
      "the token \(token) is inside a transaction, and readers stand between them",
      "Read on to the transaction's end, and give that token.", path)
  }

  package static func readerDiverged(_ name: String, _ path: String) -> StoreError {
    StoreError(
      .tokenDiverged,
      "\(path): the store was restored, and what the reader '\(name)' has seen is not all there",
      hint: readerHint(name, path))
  }

  /// An answer about a reader's token, in the reader's words.
  package func about(reader name: String, at token: HistoryToken, _ path: String) -> StoreError {
    StoreError(
      code, message.replacing("the token \(token)", with: "the place of the reader '\(name)'"),
      hint: Self.readerHint(name, path))
  }

  private static func readerHint(_ name: String, _ path: String) -> String {
    "Start again from a snapshot: bolide snapshot \(path) --reader \(name) -- COMMAND"
  }
}

/// `1 transaction`, `1204 transactions`.
package func counted(_ count: some BinaryInteger, _ noun: String) -> String {
  count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}
