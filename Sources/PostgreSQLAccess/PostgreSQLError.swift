package import StoreInterface

/// What the server, or libpq, reports.
package struct PostgreSQLError: Error, Sendable {
  /// PostgreSQL's code of five letters (its manual, appendix A); empty where the connection itself failed.
  package var state: String
  /// In the server's words.
  package var text: String
  /// The server is a standby.
  package var isOfStandby = false

  package init(state: String, text: String) {
    self.state = state
    self.text = text.split(separator: "\n").first.map(String.init) ?? text
  }

  /// Of a server that did not let a session begin: libpq tells no code then.
  init(connecting text: String) {
    func tells(_ words: String...) -> Bool { words.contains(where: text.contains) }
    let state =
      tells("too many connections", "too many clients", "remaining connection slots")
      ? "53300"
      : text.contains("database") && text.contains("does not exist")
        ? "3D000" : tells("password", "authentication", "pg_hba.conf", "role ") ? "28000" : ""
    self.init(state: state, text: text)
  }

  /// The code of Bolide's own triggers for a row that another program's trigger keeps as it is.
  package static let rowsKept = "ZB001"

  /// Whether the session is gone: the connection failed, or the server has ended it.
  package var endsSession: Bool {
    state.isEmpty || state.hasPrefix("08")
      || ["57P01", "57P02", "57P03", "57P05", "25P03", "25P04"].contains(state)
  }

  /// Whether to connect may work a moment later.
  package var isPassing: Bool { endsSession || state == "53300" }

  /// Whether the transaction may be tried again as it was: it met another one's.
  package var mayBeRepeated: Bool { ["40001", "40P01"].contains(state) }

  /// Whether a lock was waited for as long as the transaction allows.
  package var isLockTimeout: Bool { state == "55P03" }

  /// Whether tables or values may be others than the statement expects.
  package var mayBeOfTables: Bool { state.hasPrefix("42") || state.hasPrefix("22") }

  /// Whether a value is there already that may be there once.
  package var isOfUniqueness: Bool { state == "23505" }

  /// Whether a row leads to one that is not there.
  package var isOfLinks: Bool { state == "23503" }

  /// Whether a value is too long for an index.
  package var isOfIndexSize: Bool { state == "54000" }

  /// Whether the transaction may only read, whoever asks: a standby's, or one of a user for whom that is the default.
  package var isReadOnly: Bool { state == "25006" }

  /// Whether the user lacks a right.
  package var isRefusal: Bool { state == "42501" }

  /// The same as the store's error.
  ///
  /// - Parameter address: as it is shown to people.
  package func error(_ address: String) -> StoreError {
    var error: StoreError =
      switch state {
      case _ where endsSession: .unreachable(text, address)
      case "28P01", "28000": .refused(text, address)
      case "3D000": .noDatabase(address)
      case "42501" where text.contains("row-level security"): .rowsHidden(text, address)
      case "42501": .noRight(text, address)
      // Whoever only reads meets no other writer: the primary's changes were in its way.
      case "40001" where isOfStandby, "40P01" where isOfStandby: .recoveryConflict(address)
      case "40001", "40P01": .metAnother(address)
      case "25006" where isOfStandby: .standby(address)
      case "25006": .readOnlyByDefault(address)
      case "53100": .serverFull(address)
      case "55P03": .serverBusy(address)
      case "53300": .noConnectionLeft(text, address)
      case "57014":
        text.contains("statement timeout") ? .statementTimeout(address) : .statementCancelled(address)
      case "42P01", "42703": .lacking(text, address)
      // Operators are functions, too.
      case "42883" where text.contains("bolide_"): .lacking(text, address)
      case let state where state.hasPrefix("53"): .said(.inputOutput, text, address)
      case Self.rowsKept: .rowsKept(saying: text).about(address)
      // A constraint, or what a trigger of another program raises.
      case let state where state.hasPrefix("23") || state == "P0001": .said(.constraint, text, address)
      case "22003": .outOfRange(text, address)
      case "22021" where text.contains("0x00"):
        StoreError(.constraint, at: address, StoreError.heldNull, hint: "Take it out of the text.")
      case "54000" where text.contains("index"):
        StoreError(
          .constraint, at: address, StoreError.longValue,
          hint: "It says: \(text). Shorten it, or leave the index out.")
      case "22021", "54000": .said(.constraint, text, address)
      // What stands in the way of something new, of a type, and of a function.
      case "42P07", "42710", "42P13": .nameTaken(text, address)
      case "42809" where text.contains("routine"): .nameTaken(text, address)
      default: .said(.other, text, address)
      }
    error.engineText = text
    return error
  }
}

extension PostgreSQLAddress {
  /// Runs `body`, and tells of what the server says as the store's error, of this address.
  package func telling<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLError {
      throw error.error(shown)
    } catch let error as StoreError {
      throw error.about(shown)
    }
  }
}
