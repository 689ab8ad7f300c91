import ArgumentParser
import Bolide
import CommandSupport
import Foundation

// Every sentence of the tool's own stands here, and each has a test that holds it word for word. What a report, a status
// or a table shows stands with it.

// MARK: Options and arguments

extension ValidationError {
  // import
  static var chunkRows: ValidationError { ValidationError("--chunk-rows must be at least 1") }
  static var maxRecords: ValidationError { ValidationError("--max-records must be at least 1") }
  static var minRecords: ValidationError { ValidationError("--min-records must be at least 1") }
  static var inputOfReplay: ValidationError {
    ValidationError("--replay imports the kept records: remove the input")
  }
  static var sortedStop: ValidationError {
    ValidationError(
      "--sort and --stop-on-reject cannot be combined: sorted records are not imported in the order of the input"
    )
  }
  static var standardInputTwice: ValidationError { ValidationError("- can be given only once") }
  static func notALimit(_ text: String) -> ValidationError {
    ValidationError("'\(text)' is neither a number of records nor a share such as 2%")
  }

  // changes
  static var readerWithSince: ValidationError {
    ValidationError("--reader and --since cannot be combined: the reader's position is the start")
  }
  static func answerWithCommand(_ option: String) -> ValidationError {
    ValidationError("\(option) and a command cannot be combined")
  }
  static var severalAnswers: ValidationError {
    ValidationError("--count, --ids and --transactions cannot be combined")
  }
  static var idsWithFormat: ValidationError {
    ValidationError("--ids cannot be combined with --format")
  }
  static var rowsWithoutChanges: ValidationError {
    ValidationError("--values and --previous cannot be combined with --ids or --transactions")
  }
  static var followWithEnd: ValidationError {
    ValidationError("--follow cannot be combined with --count, --ids, --limit or --until")
  }
  static var readerWithLimit: ValidationError {
    ValidationError(
      "--reader with a command cannot be combined with --limit: the command receives whole transactions")
  }
  static var severalStarts: ValidationError {
    ValidationError("--since, --from and --reader cannot be combined: each sets the start")
  }

  static func notOne(of words: String, _ text: String) -> ValidationError {
    ValidationError("'\(text)' is not one of \(words)")
  }

  // runs and log
  static var noRuns: ValidationError {
    ValidationError("--limit must be at least 1")
  }
  static var keyOrID: ValidationError {
    ValidationError("use either the object's key or --id")
  }

  // revert
  static var runOrToken: ValidationError {
    ValidationError("use either --run or --to")
  }
  static var forceWithToken: ValidationError {
    ValidationError("--force requires --run: --to restores all rows")
  }

  // fetch
  static var countWithForm: ValidationError {
    ValidationError("--count cannot be combined with --format, --with or --only")
  }
  static var bindWithoutWhere: ValidationError {
    ValidationError("--bind requires --where")
  }

  static func notAnAggregate(_ text: String) -> ValidationError {
    ValidationError("'\(text)' is not an aggregate; write count, sum(NAME) or sum(NAME) as NAME")
  }
  static func noAggregate(_ name: String) -> ValidationError {
    let known = Derivation.Function.allCases.map(\.rawValue).joined(separator: ", ")
    return ValidationError("there is no aggregate '\(name)'; the aggregates are \(known)")
  }

  static func notAttached(_ text: String) -> ValidationError {
    ValidationError("'\(text)' is not a store and its path; write --attach comments.sqlite=PATH")
  }

  // missing
  static var mergeAndDelete: ValidationError {
    ValidationError("--merge and --delete cannot be combined; merge first")
  }
  static var guardAlone: ValidationError { ValidationError("--guard requires --delete") }

  // delete, link
  static var whereAndAll: ValidationError { ValidationError("--where and --all cannot be combined") }
  static var wholeCopyWithoutAll: ValidationError {
    ValidationError("name an entity, or copy --all of a store to a server")
  }
  static var noObjects: ValidationError {
    ValidationError("select the objects: --where EXPRESSION, or --all")
  }
  static var severalTargets: ValidationError {
    ValidationError("--to, --remove and --to-none cannot be combined")
  }
  static var noTarget: ValidationError {
    ValidationError("set the link: --to NAME=VALUE, --remove NAME=VALUE, or --to-none")
  }
  static func notAKeyPart(_ text: String) -> ValidationError {
    ValidationError("'\(text)' is not of the form NAME=VALUE")
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
      "--reader requires a command after --; or move the reader afterwards: `bolide readers STORE "
        + "reset NAME --from TOKEN`")
  }
  static var fileAndCommand: ValidationError {
    ValidationError("--sqlite and a command cannot be combined")
  }

  // prune
  static var severalEnds: ValidationError {
    ValidationError("use one of --before, --older-than and --keep-transactions")
  }
  static var keepTransactions: ValidationError { ValidationError("--keep-transactions must be at least 0") }
  static func notAnAge(_ text: String) -> ValidationError {
    ValidationError("'\(text)' is not a time such as 30d: a number and s, m, h, d, w or y, at most 10000y")
  }

  // status and schema
  static var twoForms: ValidationError {
    ValidationError("--json and --format prometheus cannot be combined")
  }
  static var noSchemaNamed: ValidationError {
    ValidationError("name a store or a pipeline, or use --pipeline-format")
  }
  static var markdownAlone: ValidationError { ValidationError("--markdown requires --pipeline-format") }
}

// MARK: Failures

extension Failure {
  /// A pipeline that names no store, where a store is needed.
  static func noStore(in pipeline: String) -> Failure {
    Failure(
      .usage, "\(pipeline): the pipeline names no store",
      hint: "Set `store:` in the pipeline, or pass the path of the store instead.")
  }

  /// The same of an import, which has an option for it.
  static func noStoreToImport(in pipeline: String) -> Failure {
    Failure(
      .usage, "\(pipeline): the pipeline names no store",
      hint: "Set `store:` in the pipeline, or use --store.")
  }

  /// - Parameter pipeline: one whose feed is not full.
  static func missingOfWindow(_ pipeline: String) -> Failure {
    Failure(
      .usage, "\(pipeline): --max-missing requires a full feed",
      hint: "If each input is the whole catalogue, set `feed: full` in the pipeline.")
  }

  static func tooManyRejected(_ report: ImportReport, in store: String) -> Failure {
    Failure(.dataRejected, report.rejection, hint: "List them with `bolide rejects \(store.shellWord)`.")
  }

  /// - Parameter entity: one that was asked for by name.
  static func noMap(_ entity: String) -> Failure {
    Failure(
      .usage, "there is no map of '\(entity)': no such entity has objects, a latitude and a longitude",
      hint: "Name another entity, or leave --map out.")
  }

  static func noMeasure(_ attribute: String) -> Failure {
    Failure(
      .usage,
      "there is no map with '\(attribute)': its entity has no such numeric attribute, or there is no map",
      hint: "Name another attribute, or choose the entity with --map.")
  }

  static func noPage(_ path: String, _ reason: String) -> Failure {
    Failure(.inputOutput, "\(path): the page cannot be written: \(reason)")
  }

  static func manyInCSV(_ name: String) -> Failure {
    Failure(
      .usage, "csv has one line per object, and '\(name)' may have many",
      hint: "Use --format ndjson, or fetch its objects separately.")
  }

  /// - Parameter error: the system's number for why.
  static func cannotStart(_ command: String, _ error: Int32) -> Failure {
    let hint =
      switch error {
      case ENOEXEC: "A script starts with #! and its interpreter."
      default: "Check that the file exists, is executable, and that the limit on processes is not reached."
      }
    let reason = unsafe String(cString: strerror(error))
    return Failure(.inputOutput, "'\(command)' cannot be started (\(reason))", hint: hint)
  }

  /// It ends with 127, as a shell does.
  static func notFound(_ command: String) -> Failure {
    Failure(
      .inputOutput, "there is no command '\(command)'",
      hint: "A name that contains / is a path; any other name is searched for in PATH.")
  }
}

extension ImportReport {
  /// Too many records were rejected, in one sentence.
  var rejection: String {
    let counts = progress.total
    let undone = counts.rolledBack > 0 ? ", and nothing is in the store" : ""
    let what = progress.children.isEmpty ? "records" : "records and children"
    let were = counts.rejected == 1 ? "was" : "were"
    return "\(pipeline): \(counts.rejected) of \(counts.read) \(what) \(were) rejected\(undone)"
  }
}

extension MigrationStep {
  /// The step, with the option that would drop what is in its way or left.
  var line: String {
    guard let drop else { return description }
    return switch kind {
    case .stays: "\(description); --drop \(drop) would drop it"
    case .conflict: "\(description); --drop \(drop) would delete its values and add it again, empty"
    case .change, .drop: description
    }
  }
}
