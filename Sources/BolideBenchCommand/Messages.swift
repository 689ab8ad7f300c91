import ArgumentParser
import BolideBench
import CommandSupport

// Every sentence of `bench` and `generate`, each with a test that holds it word for word.

extension ValidationError {
  static func feedRows(_ limit: Int) -> ValidationError { ValidationError("--rows is 0 to \(limit)") }
  static var tooMuchRevised: ValidationError {
    ValidationError("--revise, --rekey and --drop are 100 % together at most")
  }
  static var runs: ValidationError { ValidationError("--runs is at least 1") }
  static var feedWithoutPipeline: ValidationError { ValidationError("--feed and --pipeline go together") }
  static var rowsOfOwnFeed: ValidationError {
    ValidationError("--rows is for generated feeds; --feed has the rows that it has")
  }
  static func needsGeneratedFeed(_ scenario: Scenario) -> ValidationError {
    ValidationError("'\(scenario.rawValue)' needs a generated feed, and --feed names one of your own")
  }
  static func noServer(_ text: String) -> ValidationError {
    ValidationError("--store is the address of a server, such as postgresql:///feeds, and not '\(text)'")
  }
  static var ownFeedOnServer: ValidationError {
    ValidationError("--store is measured with generated feeds, and --feed names one of your own")
  }
  static func needsFile(_ scenario: Scenario) -> ValidationError {
    ValidationError("'\(scenario.rawValue)' is measured in files alone, not on a server")
  }
  static func needsServer(_ scenario: Scenario) -> ValidationError {
    ValidationError("'\(scenario.rawValue)' is measured on a server alone: name it with --store")
  }
  static func notRows(_ text: Substring) -> ValidationError {
    ValidationError("'\(text)' is not a number of rows such as 500000, 100k or 1m")
  }
}

extension Failure {
  static func noSuchFeed(_ path: String) -> Failure {
    Failure(
      .noInput, "\(path): no such file",
      hint: "Check the path; a relative path starts at the working directory.")
  }

  static func inScenario(_ scenario: Scenario, _ error: any Error) -> Failure {
    Failure(.bug, "\(scenario.rawValue): \(error)")
  }
}
