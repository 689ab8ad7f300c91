import ArgumentParser
import Bolide
import CommandSupport
import Foundation

// What a command tells beside its results, in words.

/// What `bolide verify --rebuild` has repaired.
enum Repair {
  static let marked = line("the store was loaded from an SQL dump, and is marked as a store again")

  static func line(_ what: String) -> String { "repaired: \(what)" }
}

/// What is told beside the answer, on standard error.
enum Note {
  static func nullTotal(_ line: String) -> String { "Note: \(line)" }
  static func more(_ count: Int) -> String { "and \(count) more" }
  static func built(_ index: String) -> String {
    "Note: the index \(index) was missing, as the last import was killed; it has been built."
  }
  static func restored(_ problem: String) -> String { "Note: \(problem); it has been restored." }
  static let gap =
    "      Derived attributes were recomputed. History has a gap: readers start again from a snapshot."

  static func backedUp(_ file: String, _ token: HistoryToken) -> String {
    "\(file): backup of the store at token \(token)"
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
          ? "\(counted(changes, "change")) by other programs \(changes == 1 ? "is" : "are") not in history yet"
          : nil,
        values > 0 ? "\(counted(values, "derived value")) \(values == 1 ? "is" : "are") out of date" : nil,
      ].compactMap(\.self)
      let what = parts.isEmpty ? "derived values may be out of date" : parts.joined(separator: ", and ")
      if case .drift(let problem) = obstacle {
        return "Note: \(what): \(problem). Check the store with `bolide verify`."
      }
      return
        "Note: \(what): \(reason(obstacle)). The next command that writes, such as `bolide import`, "
        + "updates them."
    case .unsafeFile(let error): return "Note: \(error.message); the last token is unknown."
    case .unreadableFile(let path):
      return
        "Note: \(path): permission denied, so a store restored from a backup cannot be detected."
    case .standby(let seconds):
      return "Note: the server is a standby, up to \(Int(seconds.rounded(.up))) s behind its primary."
    }
  }

  private static func reason(_ obstacle: ReadingObstacle) -> String {
    switch obstacle {
    case .drift(let problem): problem
    case .readOnly: "the store cannot be written"
    case .busy: "another program holds the store's write lock"
    case .rowsLocked: "another program has locked the rows"
    case .trigger(let name): "the trigger \(name) of another program would run"
    case .expression(let what): "\(what) of another program would be evaluated"
    case .unsafeFile: "a file beside the store does not belong to it"
    }
  }

  static func expired(_ reader: String, _ pipeline: String) -> String {
    "\(pipeline): the reader '\(reader)' has expired: history that it had not read was pruned, and "
      + "it must start again from a snapshot"
  }

  static func held(by reader: String) -> String {
    "Note: history that the reader '\(reader)' has not read is kept. Advance or drop the reader to "
      + "prune it."
  }

  static func pruned(_ report: PruneReport) -> String {
    let verb = report.transactions == 1 ? "is" : "are"
    return
      "\(counted(report.transactions, "transaction")) with \(counted(report.changes, "change")) "
      + "\(verb) pruned from history"
  }

  static func unkept(_ count: Int64, _ pipeline: String, _ run: Int64) -> String {
    "Note: \(pipeline): run \(run) rejected \(count) more, which were not kept"
  }

  static func storeIsThere(_ store: String) -> String {
    "Note: \(store) exists, and this pipeline imports into it. To use another store, change `store`."
  }

  static func moreLikeIt(_ count: Int) -> String { " (and \(count) more like it)" }

  static func rejectsAreKept(in store: String) -> String {
    "List them: bolide rejects \(store.shellWord.printable). To import them again, once the pipeline fits: --replay"
  }

  static func moreRejected(_ count: Int, _ report: ImportReport) -> String {
    "… and \(count) more \(report.progress.children.isEmpty ? "records" : "records and children") were rejected"
  }

  static func overwritten(_ report: ImportReport) -> String {
    let verb = report.overwritten == 1 ? "has" : "have"
    return
      "\(report.pipeline): \(counted(report.overwritten, "record")) \(verb) the key of another "
      + "record and different values; only one counts. To choose, set `repeated-key`: last, first or "
      + "reject"
  }

  static func noneLeft(isTrial: Bool) -> String {
    isTrial
      ? "no object left to erase; an earlier erasure would be completed"
      : "no object left to erase; an earlier erasure is complete now: free pages and the write-ahead log are overwritten"
  }

  static func unclearRejects(_ count: Int, _ store: String) -> String {
    "Note: \(counted(count, "rejected record")) without a readable key, or with the key of a linked object, may contain erased "
      + "values. List: bolide rejects \(store.shellWord.printable) --format ndjson. Erase: bolide rejects \(store.shellWord.printable) --erase"
  }

  static func moreLeft(_ count: Int) -> String {
    "… and \(counted(count, "more row")) not reverted"
  }

  /// One line, however many they are; nil for none.
  static func absentFields(_ fields: [AbsentField], _ pipeline: String) -> String? {
    guard let last = fields.map(\.lastSeen).max() else { return nil }
    let (shown, rest) = (fields.prefix(8), fields.count - 8)
    func list(_ names: [String]) -> String {
      let names = rest > 0 ? names + ["\(rest) more"] : names
      return [names.dropLast().joined(separator: ", "), names.last ?? ""].filter { !$0.isEmpty }
        .joined(separator: " and ")
    }
    let (one, attributes) = (fields.count == 1, list(shown.map(\.attribute)))
    return
      "\(pipeline): no record has the \(one ? "field" : "fields") \(list(shown.map { "'\($0.field)'" })) of the "
      + "\(one ? "attribute" : "attributes") \(attributes); \(one ? "it was" : "they were") last in an input on \(last). "
      + "If the feed has renamed \(one ? "it" : "them"), set the new \(one ? "name" : "names") with `from:`; if "
      + "\(one ? "it is" : "they are") gone for good, accept that once: --accept on-absent-field"
  }

  static func newField(_ field: NewField, _ pipeline: String) -> String {
    let such = field.example.map { " such as \($0)" } ?? ""
    let found = "\(pipeline): the feed has a new field '\(field.name)', \(field.kind)\(such); "
    guard let attribute = field.attribute else { return found + "the pipeline does not use it" }
    return found
      + "from the next import on the new attribute \(attribute.name) (\(attribute.type.description)) holds it"
  }

  /// Behind the new fields that nothing holds.
  ///
  /// - Parameter addsFields: whether these are left out though fields are added: an access key, say.
  static func unusedFields(_ addsFields: Bool) -> String {
    "To import a new field, add an attribute to the pipeline"
      + (addsFields ? "." : ", or set `on-new-field: add`.")
  }
}

extension LeftRow.Reason {
  /// Behind "as".
  var words: String {
    switch self {
    case .changedSince: "it was changed afterwards"
    case .linked: "other objects are linked to it"
    case .taken: "another row has its key or another of its unique values"
    case .ownerGone: "an object that it was linked to is gone"
    case .erased: "it was erased"
    }
  }
}
