import ArgumentParser
import Bolide
import Foundation

/// What a command ends with when it did not do what was asked: sentences for people, a status for scripts.
package struct Failure: Error {
  package var status: ExitStatus
  /// A word for programs, such as `input-ends`.
  package var code: String
  package var message: String
  package var hint: String?
  /// The process's exit status, where that is no status of the command: after a signal.
  package var signalStatus: Int32?
  /// Whether the command has told it in its JSON output.
  package var isInOutput = false

  package init(_ status: ExitStatus, code: String? = nil, _ message: String, hint: String? = nil) {
    self.status = status
    self.code = code ?? status.code
    self.message = message
    self.hint = hint
  }

  /// Any error of the library.
  package init(_ error: any Error) {
    if let failure = error as? Failure {
      self = failure
    } else {
      let error = ImportError(error)
      self.init(
        ExitStatus(error), code: error.code, error.message,
        hint: error.remedy.map { $0.hint(error.hint, error.file) } ?? error.hint)
    }
  }

  /// `Error: the sentence.`, a line each, and under it what to do.
  package func printToStandardError() {
    var text = message.split(separator: "\n").map { sentence in
      "Error: \(String(sentence).printable)\(sentence.last.map { ".?!".contains($0) } ?? true ? "" : ".")\n"
    }.joined()
    for line in hint?.split(separator: "\n") ?? [] { text += "       \(String(line).printable)\n" }
    StandardError.write(text)
  }
}
