internal import ImportInput
package import ImportModel
internal import StoreInterface

// Why an input gives no draft of a pipeline, in words.

extension ImportError {
  package static func noRecords(_ input: String) -> ImportError {
    unusable("\(input): there are no records in it")
  }

  package static func envelopeAlone(_ input: String) -> ImportError {
    unusable("\(input): there are no records in it, an envelope alone")
  }

  package static func noRecordsInAny(_ inputs: [String]) -> ImportError {
    unusable("\(inputs[0]) and \((inputs.count - 1).grouped) more: there are no records in them")
  }

  /// - Parameters:
  ///   - found: what the input has, in the words in which a draft says it.
  ///   - expected: what the other one has.
  package static func unlikeOthers(
    _ input: String, has found: String, other: String, has expected: String
  ) -> ImportError {
    ImportError(
      .badInput, code: "unlike-others", "\(input): found \(found), but \(other) has \(expected)",
      hint: "Use inputs of one shape: one pipeline reads them all in the same way.")
  }

  package static func noObjects(_ input: String, among count: Int) -> ImportError {
    unusable("\(input): none of its \(count.grouped) values is an object")
  }

  package static func noSuchField(_ input: String, _ name: String, among names: [String]) -> ImportError {
    ImportError(
      .usage, code: "no-such-field",
      "\(input): its records have no field '\(name)'"
        + Suggestion.ending(for: name, among: names, plural: "the attributes are"),
      hint: "Name an attribute of the draft, or the field that it is read from.")
  }

  package static func noKeys(_ input: String) -> ImportError {
    unusable("\(input): its records have no keys to read from")
  }

  package static func noDraft(_ input: String, _ error: PipelineError) -> ImportError {
    ImportError(
      .store(.modelChange), code: "no-draft",
      "\(input): the pipeline drafted from this input is invalid: \(error.problems.first?.message ?? "")",
      hint: "Write the pipeline by hand, with fewer attributes or other names.")
  }

  private static func unusable(_ message: String) -> ImportError {
    ImportError(
      .badInput, code: "no-records", message,
      hint: "Use an input with records: names and types are taken from them.")
  }
}
