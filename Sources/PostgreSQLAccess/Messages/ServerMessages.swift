package import StoreInterface

// What is said of a server, and of the way to it.

extension StoreError {
  /// No libpq on this machine.
  package static func noLibPQ(_ address: String) -> StoreError {
    StoreError(
      .missingLibrary, at: address, "PostgreSQL's client library, libpq, is not on this machine",
      hint: "Install it: the Debian package is libpq5.")
  }

  static func unreachable(_ text: String, _ address: String) -> StoreError {
    StoreError(
      .unreachable, at: address, "no connection to the server: \(text)",
      hint: "What was committed stays. Run it again when the server is back: nothing is doubled.")
  }

  static func badAddress(_ text: String, _ address: String) -> StoreError {
    StoreError(
      .badRequest, at: address, "libpq does not understand the address: \(text)",
      hint: "PostgreSQL's manual lists what may stand in one: search for \"connection URIs\".")
  }

  static func refused(_ text: String, _ address: String) -> StoreError {
    StoreError(
      .cannotOpen, at: address, "the server does not let this user in",
      hint: "It says: \(text). A password may stand in ~/.pgpass or PGPASSWORD.")
  }

  static func noDatabase(_ address: String) -> StoreError {
    StoreError(
      .cannotOpen, at: address, "the server has no such database", hint: "Make one with createdb.")
  }

  static func noRight(_ text: String, _ address: String) -> StoreError {
    StoreError(
      .readOnly, at: address, "this user may not do that: \(text)",
      hint: text.contains("set parameter")
        ? "Take the setting away where it was made: ALTER ROLE … RESET, or in the address."
        : text.contains(" database ")
          ? "The owner of the database can grant it." : "The owner of the schema can grant it.")
  }

  static func rowsHidden(_ text: String, _ address: String) -> StoreError {
    StoreError(
      .readOnly, at: address, "row-level security hides rows from this user: \(text)",
      hint: "Use a user who owns the tables, or has BYPASSRLS: history has all rows.")
  }

  package static func standby(_ address: String) -> StoreError {
    StoreError(
      .readOnly, at: address, "the server is a standby: it can only be read",
      hint: "Write to the primary: target_session_attrs=read-write finds it.")
  }

  static func readOnlyByDefault(_ address: String) -> StoreError {
    StoreError(
      .readOnly, at: address, "this user's transactions are read-only",
      hint:
        "default_transaction_read_only is on for the user, the database or the server: set it off, or use another user."
    )
  }

  static func recoveryConflict(_ address: String) -> StoreError {
    StoreError(
      .busy, at: address, "the standby ended the reading, as its primary has changed what was being read",
      hint: "Try again. hot_standby_feedback or a longer max_standby_streaming_delay lets long readings end.")
  }

  static func metAnother(_ address: String) -> StoreError {
    StoreError(
      .busy, at: address, "another program changed the same rows at the same time",
      hint: "Run the same command again.")
  }

  package static func sharedSessions(_ address: String) -> StoreError {
    StoreError(
      .cannotOpen, at: address, "a pooler on the way to the server shares its sessions between transactions",
      hint: "Use the pooler's session mode, or the server's own address.")
  }

  static func noConnectionLeft(_ text: String, _ address: String) -> StoreError {
    StoreError(
      .busy, at: address, "the server has no connection left: \(text)",
      hint: "Try again when others have ended, or allow more: max_connections, CONNECTION LIMIT.")
  }

  static func statementTimeout(_ address: String) -> StoreError {
    StoreError(
      .interrupted, at: address, "the server ended a statement that took longer than its statement_timeout",
      hint:
        "Set a longer one for this user: ALTER ROLE … SET statement_timeout. An import may also take smaller chunks."
    )
  }

  /// - Parameter address: of the store.
  package static func lostCommits(_ address: String) -> StoreError {
    StoreError(
      .unreachable, at: address, "the server that answers now lacks what this import had committed",
      hint: "A standby may have taken over before it had it. Run the import again: nothing is doubled.")
  }

  static func serverFull(_ address: String) -> StoreError {
    StoreError(.full, at: address, "the server's disk is full")
  }

  static func serverBusy(_ address: String) -> StoreError {
    StoreError(.busy, at: address, "another program holds a lock", hint: "Try again when it has ended.")
  }

  static func statementCancelled(_ address: String) -> StoreError {
    StoreError(.interrupted, at: address, "the server ended a statement that it was told to end")
  }

  static func lacking(_ text: String, _ address: String) -> StoreError {
    otherSchema(text, hint: "Restore what another program has renamed or dropped.").about(address)
  }

  static func outOfRange(_ text: String, _ address: String) -> StoreError {
    StoreError(
      .constraint, at: address, "a number is out of range. PostgreSQL says: \(text)",
      hint: "Look for arithmetic in a predicate, or in the `where:` of a derived attribute.")
  }

  static func nameTaken(_ text: String, _ address: String) -> StoreError {
    StoreError(
      .foreignSchema, at: address, "something that is not Bolide's has a name that the store needs: \(text)",
      hint: "Give it another name, or the store another schema: it stands behind # in the address.")
  }

  /// Why the server does not take a text, or a value.
  package static let heldNull = "a text contains U+0000, which a PostgreSQL server does not store"
  package static let longValue = "a value is too long for an index of a PostgreSQL server"

  static func said(_ code: Code, _ text: String, _ address: String) -> StoreError {
    StoreError(code, at: address, "PostgreSQL says: \(text)")
  }

  package static func oldServer(_ version: Int, _ address: String) -> StoreError {
    StoreError(
      .cannotOpen, at: address, "the server is PostgreSQL \(version)",
      hint: "PostgreSQL 14 or later is needed.")
  }

  static func notUTF8(_ address: String) -> StoreError {
    StoreError(
      .cannotOpen, at: address, "the database is not encoded as UTF8",
      hint: "Make one with createdb --encoding UTF8 --template template0.")
  }
}
