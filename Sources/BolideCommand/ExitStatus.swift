import ArgumentParser
import Bolide

/// The tool's answers to scripts: sysexits' numbers, and a few of its own.
enum ExitStatus: Int32, CaseIterable {
  case allLanded = 0
  case someRefused = 3
  case usage = 64
  case dataRefused = 65
  case noInput = 66
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

  var exitCode: ExitCode { ExitCode(rawValue) }

  var meaning: String {
    switch self {
    case .allLanded: "all landed"
    case .someRefused: "finished; some records were refused, within the limit"
    case .usage: "the command was called wrongly"
    case .dataRefused: "the data was refused, or more of its records than the limit"
    case .noInput: "there is no input, or not a byte of it"
    case .bug: "a mistake in this program"
    case .cannotWrite: "the store cannot be made or written"
    case .inputOutput: "reading or writing failed, or the disk is full"
    case .tryLater: "another import or program holds the store: try later"
    case .configuration: "the pipeline or the model is wrong"
    case .overdue: "a pipeline's last good run is older than its max-age (status)"
    case .tokenExpired: "the history after the token is gone"
    case .tokenDiverged: "the store's history took another way"
    case .tokenOfAnotherStore: "the token is another store's"
    case .tokenFromTheFuture: "the token is later than the store"
    }
  }

  /// The table in `--help`.
  static var table: String {
    let lines = allCases.map { status in
      let number = String(status.rawValue)
      return "  " + number + String(repeating: " ", count: 6 - number.count) + status.meaning
    }
    return (["EXIT STATUS:"] + lines + ["  128+n stopped by signal n"]).joined(separator: "\n")
  }

  init(_ error: ImportError) {
    switch error.kind {
    case .noInput: self = .noInput
    case .usage: self = .usage
    case .pipeline: self = .configuration
    case .badInput: self = .dataRefused
    case .inputOutput: self = .inputOutput
    case .store(let code): self = ExitStatus(code)
    case .cancelled: self = .tryLater
    }
  }

  init(_ code: StoreError.Code) {
    switch code {
    case .full, .inputOutput, .corrupt: self = .inputOutput
    case .readOnly, .cannotOpen, .notAStore, .newerFormat, .olderFormat, .unsafeFile, .storeGone:
      self = .cannotWrite
    case .busy, .locked, .walLimit, .interrupted: self = .tryLater
    case .modelChange, .expression, .foreignSchema, .untrustedSchema: self = .configuration
    case .constraint, .keyExists, .guarded, .malformed: self = .dataRefused
    case .notAToken, .badRequest, .unknownReader, .unsupported: self = .usage
    case .tokenExpired: self = .tokenExpired
    case .tokenDiverged: self = .tokenDiverged
    case .tokenOfAnotherStore: self = .tokenOfAnotherStore
    case .tokenFromTheFuture: self = .tokenFromTheFuture
    default: self = .bug
    }
  }
}
