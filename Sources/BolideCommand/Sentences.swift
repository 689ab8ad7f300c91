import ArgumentParser
import Bolide
import Foundation
import BolideBench

// Every sentence of the tool's own stands here, and each has a test that holds it word for word. What a report, a status
// or a table shows stands with it.

// MARK: Options and arguments

extension ValidationError {
  static func unknownCommand(_ name: String, among names: [String]) -> ValidationError {
    ValidationError("unknown command '\(name.printable)'" + Suggestion.question(for: name, among: names))
  }

  // import
  static var chunkRows: ValidationError { ValidationError("--chunk-rows is at least 1") }
  static var maxRecords: ValidationError { ValidationError("--max-records is at least 1") }
  static var inputOfReplay: ValidationError {
    ValidationError("--replay tries what the store keeps: leave the input out")
  }
  static var standardInputTwice: ValidationError { ValidationError("- can be named once") }
  static func notALimit(_ text: String) -> ValidationError {
    ValidationError("'\(text)' is neither a number of records nor a share such as 2%")
  }

  // changes
  static var readerWithSince: ValidationError {
    ValidationError("--reader begins where the reader is; leave out --since")
  }
  static var countWithCommand: ValidationError {
    ValidationError("--count is printed, not handed to a command; leave out one of them")
  }
  static var followWithEnd: ValidationError {
    ValidationError("--follow has no end to count or to limit to; leave out --count and --limit")
  }
  static var readerWithLimit: ValidationError {
    ValidationError("a reader's command gets whole transactions; leave out --limit")
  }
  static var severalStarts: ValidationError {
    ValidationError("say one of --since, --from and --reader: each says where to begin")
  }

  static func notACreation(_ text: String) -> ValidationError {
    ValidationError("'\(text)' is not when a store may be made: if-new, never or always")
  }

  static func notAKind(_ text: String) -> ValidationError {
    ValidationError("'\(text)' is none of insert, update, delete")
  }

  // fetch
  static var countWithForm: ValidationError {
    ValidationError("--count prints a number; leave out --format, --with and --only")
  }
  static var bindWithoutWhere: ValidationError {
    ValidationError("--bind gives values to --where; name both")
  }

  static func notAttached(_ text: String) -> ValidationError {
    ValidationError("'\(text)' says no store and its path; write --attach comments.sqlite=PATH")
  }

  // missing
  static var mergeAndDelete: ValidationError {
    ValidationError("say one of --merge and --delete; merge first")
  }
  static var guardAlone: ValidationError { ValidationError("--guard goes with --delete") }

  // delete, link
  static var whereAndAll: ValidationError { ValidationError("say --where or --all, not both") }
  static var noObjects: ValidationError {
    ValidationError("say which objects: --where EXPRESSION, or --all")
  }
  static var severalTargets: ValidationError {
    ValidationError("say --to, --remove or --to-none, and one of them only")
  }
  static var noTarget: ValidationError {
    ValidationError("say where to: --to NAME=VALUE, --remove NAME=VALUE, or --to-none")
  }
  static func notAKeyPart(_ text: String) -> ValidationError {
    ValidationError("'\(text)' is no part of a key; write NAME=VALUE")
  }

  // readers
  static func readerName(_ action: ReadersCommand.Action) -> ValidationError {
    ValidationError(action == .list ? "'list' takes no name" : "'\(action.rawValue)' needs a reader's name")
  }
  static func readerToken(_ action: ReadersCommand.Action) -> ValidationError {
    ValidationError(
      action == .ack ? "'ack' needs a token" : "'\(action.rawValue)' takes no token; see --from")
  }
  static var readerWithoutFrom: ValidationError {
    ValidationError("'add' needs --from: now, beginning, or a token")
  }
  static func readerWithFrom(_ action: ReadersCommand.Action) -> ValidationError {
    ValidationError("'\(action.rawValue)' takes no --from")
  }

  // snapshot
  static var readerWithoutCommand: ValidationError {
    ValidationError(
      "--reader needs a command behind --; by hand, `bolide readers STORE reset NAME --from TOKEN` does it "
        + "afterwards")
  }
  static var fileAndCommand: ValidationError {
    ValidationError("--sqlite writes a file, and a command wants lines; leave out one of them")
  }

  // prune
  static var severalEnds: ValidationError {
    ValidationError("say one of --before, --older-than and --keep-transactions")
  }
  static var keepTransactions: ValidationError { ValidationError("--keep-transactions is at least 0") }
  static func notAnAge(_ text: String) -> ValidationError {
    ValidationError("'\(text)' is not a time such as 30d: a number and s, m, h, d, w or y, 10000y at most")
  }

  // status and schema
  static var twoForms: ValidationError {
    ValidationError("--json and --format prometheus are two forms: name one")
  }
  static var noSchemaNamed: ValidationError {
    ValidationError("name a store or a pipeline, or say --pipeline-format")
  }
  static var markdownAlone: ValidationError { ValidationError("--markdown goes with --pipeline-format") }

  // generate and bench
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
  static func notRows(_ text: Substring) -> ValidationError {
    ValidationError("'\(text)' is not a number of rows such as 500000, 100k or 1m")
  }
}

// MARK: Failures

extension Failure {
  /// A pipeline that names no store, where a store is needed.
  static func noStore(in pipeline: String) -> Failure {
    Failure(
      .usage, "\(pipeline): the pipeline names no store",
      hint: "Say `store:` in the pipeline, or name the store itself.")
  }

  /// The same of an import, which has an option for it.
  static func noStoreToImport(in pipeline: String) -> Failure {
    Failure(
      .usage, "\(pipeline): the pipeline names no store",
      hint: "Say `store:` in the pipeline, or --store on the command line.")
  }

  static func tooManyRefused(_ report: ImportReport, in store: String) -> Failure {
    Failure(.dataRefused, report.refusal, hint: "List them with `bolide rejects \(store)`.")
  }

  static func noSuchFeed(_ path: String) -> Failure {
    Failure(
      .noInput, "\(path): no such file",
      hint: "Check the path; a relative path starts at the working directory.")
  }

  static var noArguments: Failure {
    Failure(
      .inputOutput, "the command line cannot be read: /proc is not there",
      hint: "Mount it where the tool runs.")
  }

  static func inScenario(_ scenario: Scenario, _ error: any Error) -> Failure {
    Failure(.bug, "\(scenario.rawValue): \(error)")
  }

  /// - Parameter place: where it was to go.
  static func cannotWrite(_ place: String, _ reason: String) -> Failure {
    Failure(
      .inputOutput, "\(place) cannot be written (\(reason))",
      hint: "See where it goes, and run the same command again.")
  }

  static func manyInCSV(_ name: String) -> Failure {
    Failure(
      .usage, "csv has one line an object, and '\(name)' may find many",
      hint: "Use --format ndjson, or fetch what it finds by itself.")
  }

  /// - Parameter error: the system's number for why.
  static func cannotStart(_ command: String, _ error: Int32) -> Failure {
    let hint =
      switch error {
      case ENOEXEC: "A script begins with #! and its interpreter."
      case EMFILE, ENFILE, EAGAIN, ENOMEM:
        "Raise the limits on open files and processes, or end some, and run the same command again."
      default: "Check that the file is there and may be run."
      }
    let reason = unsafe String(cString: strerror(error))
    return Failure(.inputOutput, "'\(command)' cannot be started (\(reason))", hint: hint)
  }

  /// It ends with 127, as a shell does.
  static func notFound(_ command: String) -> Failure {
    Failure(
      .inputOutput, "there is no command '\(command)'",
      hint: "A name with a / is a path; any other is looked for in the folders of PATH.")
  }
}

extension ImportReport {
  /// Too many records were refused, in one sentence.
  var refusal: String {
    let counts = progress.total
    let undone = counts.rolledBack > 0 ? ", and nothing is in the store" : ""
    let what = progress.children.isEmpty ? "records" : "records and children"
    return "\(pipeline): \(counts.rejected) of \(counts.read) \(what) were refused\(undone)"
  }
}

// MARK: Notes

/// What `bolide verify --rebuild` has repaired.
enum Repair {
  static let marked = line("the store came through SQL text, and is marked as a store again")

  static func line(_ what: String) -> String { "repaired: \(what)" }
}

/// What is told beside the answer, on standard error.
enum Note {
  static func nullTotal(_ line: String) -> String { "Note: \(line)" }
  static func more(_ count: Int) -> String { "and \(count) more" }
  static func restored(_ problem: String) -> String { "Note: \(problem); it was restored." }
  static let gap =
    "      Derived attributes were computed anew. Readers start again from a snapshot: history has a gap."

  static func backedUp(_ file: String, _ token: HistoryToken) -> String {
    "\(file): the store at token \(token)"
  }

  static func restored(_ path: String, to token: HistoryToken, readers: Int) -> String {
    let again =
      readers == 0 ? "" : "; \(counted(readers, "named reader")) \(readers == 1 ? "starts" : "start") again"
    return "\(path): restored to token \(token)\(again)"
  }

  static func reading(_ note: ReadingNote) -> String {
    switch note {
    case .pending(let changes, let values, let obstacle):
      let parts = [
        changes > 0
          ? "\(counted(changes, "change")) of other programs \(changes == 1 ? "is" : "are") in no transaction"
          : nil,
        values > 0 ? "\(counted(values, "derived value")) \(values == 1 ? "is" : "are") out of date" : nil,
      ].compactMap(\.self)
      let what = parts.isEmpty ? "derived values may be out of date" : parts.joined(separator: ", and ")
      if case .drift(let problem) = obstacle {
        return "Note: \(what): \(problem). A command that needs it says what to do."
      }
      return
        "Note: \(what): \(reason(obstacle)). The next command that writes, such as `bolide import`, sees to it."
    case .unsafeFile(let error): return "Note: \(error.message); the last token handed out is not known."
    case .unreadableFile(let path):
      return
        "Note: \(path): this user may not read it, so a store that was restored from a backup is not noticed."
    }
  }

  private static func reason(_ obstacle: ReadingObstacle) -> String {
    switch obstacle {
    case .drift(let problem): problem
    case .readOnly: "the store cannot be written"
    case .busy: "another program holds the store's write lock"
    case .trigger(let name): "the trigger \(name) is another program's, and would run"
    case .expression(let what): "\(what) is another program's, and would be computed"
    case .unsafeFile: "what lies beside the store is not the store's"
    }
  }

  static func expired(_ reader: String, _ pipeline: String) -> String {
    "\(pipeline): the reader '\(reader)' has expired: history that it had not seen is gone, and it starts again from a snapshot"
  }

  static func held(by reader: String) -> String {
    "Note: the reader '\(reader)' has not seen all of it, so the rest stays. "
      + "It goes when the reader moves on or is dropped."
  }

  static func pruned(_ report: PruneReport) -> String {
    let verb = report.transactions == 1 ? "is" : "are"
    return
      "\(counted(report.transactions, "transaction")) with \(counted(report.changes, "change")) \(verb) gone "
      + "from history"
  }

  static func unkept(_ count: Int64, _ pipeline: String, _ run: Int64) -> String {
    "Note: \(pipeline): run \(run) refused \(count) more, and keeps nothing of them"
  }

  static func storeIsThere(_ store: String) -> String {
    "\(store) is here already, and an import by this draft goes into it: name another store unless that is meant"
  }

  static func moreRefused(_ count: Int, _ report: ImportReport) -> String {
    "… and \(count) more \(report.progress.children.isEmpty ? "records" : "records and children") were refused"
  }

  static func overwritten(_ report: ImportReport) -> String {
    let verb = report.overwritten == 1 ? "has" : "have"
    return
      "\(report.pipeline): \(counted(report.overwritten, "record")) \(verb) the key of another, and other values; one counts. "
      + "Say which with `repeated-key`: last, first or reject"
  }

  static func newField(_ field: NewField, _ pipeline: String) -> String {
    let such = field.example.map { " such as \($0)" } ?? ""
    return
      "\(pipeline): the feed has a new field '\(field.name)', \(field.kind)\(such); the pipeline does not use it"
  }
}
