package import ArgumentParser
package import Bolide

/// The tool's answers to scripts: sysexits' numbers, and a few of its own.
package enum ExitStatus: Int32, CaseIterable {
  case allLanded = 0
  case someRejected = 3
  case usage = 64
  case dataRejected = 65
  case noInput = 66
  case noServer = 69
  case bug = 70
  case cannotWrite = 73
  case inputOutput = 74
  case tryLater = 75
  case configuration = 78
  case overdue = 79
  case tokenExpired = 80
  case tokenDiverged = 81
  case tokenOfAnotherStore = 82
  case tokenFromTheFuture = 83

  package var exitCode: ExitCode { ExitCode(rawValue) }

  /// A word for programs, where an error has none of its own: `data-rejected`.
  package var code: String {
    "\(self)".reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : "\($1)" }
  }

  package var meaning: String {
    switch self {
    case .allLanded: "success: every record was imported"
    case .someRejected: "success; some records were rejected, or rows not reverted"
    case .usage: "usage error: unknown or conflicting arguments"
    case .dataRejected: "invalid data, or more rejected records than --max-rejects"
    case .noInput: "the input does not exist or is empty"
    case .noServer: "the server that holds the store does not answer"
    case .bug: "internal error: please report it"
    case .cannotWrite: "the store cannot be created or written"
    case .inputOutput: "I/O error, or the disk is full"
    case .tryLater: "the store is locked by another program: try again later"
    case .configuration: "invalid pipeline or model"
    case .overdue: "status: a pipeline, a reader or an erasure needs attention"
    case .tokenExpired: "the history after the token has been pruned"
    case .tokenDiverged: "the token belongs to a diverged history (a restored or copied store)"
    case .tokenOfAnotherStore: "the token belongs to another store"
    case .tokenFromTheFuture: "the token is newer than the store"
    }
  }

  /// The table in `--help`.
  package static var table: String {
    let lines = allCases.map { status in
      let number = String(status.rawValue)
      return "  " + number + String(repeating: " ", count: 6 - number.count) + status.meaning
    }
    return (["EXIT STATUS:"] + lines + ["  128+n stopped by signal n"]).joined(separator: "\n")
  }

  package init(_ error: ImportError) {
    switch error.kind {
    case .noInput: self = .noInput
    case .usage: self = .usage
    case .pipeline: self = .configuration
    case .badInput: self = .dataRejected
    case .inputOutput: self = .inputOutput
    case .store(let code): self = ExitStatus(code)
    case .cancelled: self = .tryLater
    }
  }

  package init(_ code: StoreError.Code) {
    switch code {
    case .full, .inputOutput, .corrupt: self = .inputOutput
    case .readOnly, .cannotOpen, .notAStore, .newerFormat, .olderFormat, .unsafeFile, .storeGone:
      self = .cannotWrite
    case .busy, .locked, .walLimit, .interrupted: self = .tryLater
    case .unreachable: self = .noServer
    case .missingLibrary, .modelChange, .expression, .foreignSchema, .untrustedSchema: self = .configuration
    case .constraint, .keyExists, .guarded, .malformed: self = .dataRejected
    case .notAToken, .badRequest, .unknownReader, .typeMismatch, .unsupported: self = .usage
    case .tokenExpired: self = .tokenExpired
    case .tokenDiverged: self = .tokenDiverged
    case .tokenOfAnotherStore: self = .tokenOfAnotherStore
    case .tokenFromTheFuture: self = .tokenFromTheFuture
    default: self = .bug
    }
  }
}
