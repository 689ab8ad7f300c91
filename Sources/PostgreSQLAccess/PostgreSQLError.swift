package import StoreInterface

/// What the server, or libpq, reports.
package struct PostgreSQLError: Error, Sendable {
  /// PostgreSQL's code of five letters (its manual, appendix A); empty where the connection itself failed.
  package var state: String
  /// In the server's words.
  package var text: String

  package init(state: String, text: String) {
    self.state = state
    self.text = text.split(separator: "\n").first.map(String.init) ?? text
  }

  /// Whether the transaction may be tried again as it was: it met another one's.
  package var mayBeRepeated: Bool { ["40001", "40P01"].contains(state) }

  /// What is done was not the caller's wish: a cancelled statement.
  package var isCancellation: Bool { state == "57014" }

  /// The same as the store's error.
  ///
  /// - Parameter address: as it is shown to people.
  package func error(_ address: String) -> StoreError {
    var error: StoreError =
      switch state {
      case "": .unreachable(text, address)
      case "28P01", "28000": .refused(text, address)
      case "3D000": .noDatabase(address)
      case "42501": .noRight(text, address)
      case "25006": .standby(address)
      case "53100": .serverFull(address)
      case "55P03": .serverBusy(address)
      case "57P01", "57P02", "57P03", "57P05": .unreachable(text, address)
      case "57014": .statementCancelled(address)
      case let state where state.hasPrefix("08"): .unreachable(text, address)
      case let state where state.hasPrefix("53"): .said(.inputOutput, text, address)
      case let state where state.hasPrefix("23"): .said(.constraint, text, address)
      default: .said(.other, text, address)
      }
    error.engineText = text
    return error
  }
}

extension PostgreSQLAddress {
  /// Runs `body`, and tells of what the server says as the store's error.
  package func telling<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLError {
      throw error.error(shown)
    }
  }
}
