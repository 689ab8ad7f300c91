import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// Which objects an edit takes, and how it is told; the same for `delete` and `link`.
struct EditArguments: ParsableArguments {
  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp(
      "A predicate that selects the objects, as for `bolide fetch`.",
      valueName: "expression"))
  var predicate: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("The value of the predicate's next ?.", valueName: "value"))
  var bind: [String] = []

  @Flag(help: "Select all objects of the entity.")
  var all = false

  @Flag(name: .customLong("dry-run"), help: "Report what would change, and change nothing.")
  var isTrial = false

  @Option(help: ArgumentHelp("Author of the changes in history.", valueName: "name"))
  var author = "bolide"

  @Flag(help: "Print the report to standard output as one JSON object.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print the report even if standard error is not a terminal.")
  var verbose = false

  @OptionGroup var writing: WritingArguments

  func validate() throws {
    guard (predicate == nil) == all else {
      throw all ? ValidationError.whereAndAll : ValidationError.noObjects
    }
    if predicate == nil, !bind.isEmpty { throw ValidationError.bindWithoutWhere }
  }

  func request(_ entity: String) -> ObjectQuery {
    ObjectQuery(entity, where: predicate, bind.map(Value.text))
  }

  var options: EditOptions { EditOptions(author: author, isTrial: isTrial) }

  /// Tells what an edit did. What it would do is what was asked for, so that goes to standard output.
  func show(_ report: EditReport) throws {
    if json {
      try StandardOutput.write(line: report.json)
    } else if isTrial {
      for line in report.lines { try StandardOutput.write(line: line) }
    } else if verbose || isatty(STDERR_FILENO) == 1 {
      let token = report.token.map { " · token \($0)" } ?? ""
      StandardError.write(report.lines.joined(separator: "; ") + token + "\n")
    }
  }
}

extension EditReport {
  /// `Fireball: 12 deleted`, `FireballGroup: 3 updated`
  fileprivate var lines: [String] {
    if counts.isEmpty { return ["nothing changes"] }
    return counts.map { count in
      let parts = [("inserted", count.inserted), ("updated", count.updated), ("deleted", count.deleted)]
      return "\(count.entity): " + parts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
    }
  }

  /// `{"entities":{"Fireball":{"inserted":0,"updated":0,"deleted":12}},"token":"…"}`
  fileprivate var json: String {
    var text = JSONText()
    text.object {
      $0.member("entities") { text in
        for count in counts {
          text.member(count.entity) {
            $0.member("inserted", Int64(count.inserted))
            $0.member("updated", Int64(count.updated))
            $0.member("deleted", Int64(count.deleted))
          }
        }
      }
      $0.member("token", token?.description)
    }
    return text.string
  }
}
