import ArgumentParser
import Bolide

// The sentences of both programs, each with a test that holds it word for word.

extension ValidationError {
  static func unknownCommand(_ name: String, among names: [String]) -> ValidationError {
    ValidationError("unknown command '\(name.printable)'" + Suggestion.question(for: name, among: names))
  }
}

extension Failure {
  static var noArguments: Failure {
    Failure(
      .inputOutput, "the command line cannot be read: /proc is not there",
      hint: "Mount it where the tool runs.")
  }

  /// - Parameter place: where it was to go.
  static func cannotWrite(_ place: String, _ reason: String) -> Failure {
    Failure(
      .inputOutput, "\(place) cannot be written (\(reason))",
      hint: "Check its destination, and run the same command again.")
  }

  /// - Parameter path: where the program of `bench` and `generate` should be.
  package static func noCompanion(_ path: String) -> Failure {
    Failure(
      .inputOutput, "\(path): no such program; `bolide bench` and `bolide generate` require it",
      hint: "Build it with `swift build -c release --product bolide-bench`, or put it beside bolide.")
  }
}
