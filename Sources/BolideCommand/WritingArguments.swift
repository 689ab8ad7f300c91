import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// What every command that writes a store takes.
struct WritingArguments: ParsableArguments {
  @Flag(
    name: .customLong("trust-schema"),
    help: """
      Allow triggers of other programs in the store to use virtual tables, such as a full-text index, and unsafe \
      functions. Only for a store that you trust like a program.
      """)
  var trustsSchema = false
}

extension StoreAddress {
  /// Opens the store that a path names, or the store of the pipeline that it names, to be written.
  static func open(_ path: String, _ writing: WritingArguments) throws -> any StoreEngine {
    try open(path, trustsSchema: writing.trustsSchema)
  }
}

extension StoreEngine {
  /// Does for other programs' changes what a command that reads may do, and tells of what it may not on standard error.
  ///
  /// - Parameter readsHistory: whether the answer is about history.
  func assignOrNote(readsHistory: Bool = true) throws {
    try assignPendingChanges(readsHistory: readsHistory).map(Note.reading).forEach(printNote)
  }
}

/// Prints a line beside the answer.
func printNote(_ line: String) {
  StandardError.write("\(line.printable)\n")
}
