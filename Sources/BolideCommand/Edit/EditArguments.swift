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

  @OptionGroup var output: EditOutput

  @OptionGroup var writing: WritingArguments

  func validate() throws {
    guard (predicate == nil) == all else {
      throw all ? ValidationError.whereAndAll : ValidationError.noObjects
    }
    if predicate == nil, !bind.isEmpty { throw ValidationError.bindWithoutWhere }
  }

  func request(_ entity: String) -> ObjectQuery {
    ObjectQuery(entity, where: predicate.map { .init(text: $0) }, bind.map(Value.text))
  }

  var options: EditOptions { EditOptions(author: author, isTrial: isTrial) }

  func show(_ report: EditReport) throws { try output.show(report, isTrial: isTrial) }
}

/// How an edit is told.
struct EditOutput: ParsableArguments {
  @Flag(help: "Print the report to standard output as one JSON object.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print the report even if standard error is not a terminal.")
  var verbose = false

  /// So many rows that were left are told where nobody asks for them.
  private static let shownRows = 10

  /// Tells what an erasure did, or would do.
  func show(_ report: EraseReport, _ store: String, isTrial: Bool) throws {
    if json { return try StandardOutput.write(line: report.json) }
    if isTrial {
      for line in report.lines(isTrial: true) { try StandardOutput.write(line: line.printable) }
    } else if verbose || isatty(STDERR_FILENO) == 1 || report.objects.isEmpty {
      tell(report.lines(isTrial: false), report.edit.token)
    }
    if report.unclearRejects > 0 { printNote(Note.unclearRejects(report.unclearRejects, store)) }
  }

  private func tell(_ lines: [String], _ token: HistoryToken?) {
    let token = token.map { " · token \($0)" } ?? ""
    StandardError.write(lines.joined(separator: "; ") + token + "\n")
  }

  /// Tells what a copy did, or would do.
  func show(_ report: CopyReport, isTrial: Bool) throws {
    if json { return try StandardOutput.write(line: report.json) }
    if isTrial {
      for line in report.lines { try StandardOutput.write(line: line.printable) }
    } else if verbose || isatty(STDERR_FILENO) == 1 {
      tell(report.lines, report.token)
    }
  }

  /// Tells what an edit did. What it would do is what was asked for, so that goes to standard output.
  func show(_ report: EditReport, left: [LeftRow] = [], isTrial: Bool) throws {
    if json { return try StandardOutput.write(line: report.json(left)) }
    if isTrial {
      for line in report.lines + left.map(\.line) { try StandardOutput.write(line: line.printable) }
      return
    }
    for row in left.prefix(Self.shownRows) { StandardError.write(row.line.printable + "\n") }
    if left.count > Self.shownRows { StandardError.write(Note.moreLeft(left.count - Self.shownRows) + "\n") }
    if verbose || isatty(STDERR_FILENO) == 1 || !left.isEmpty {
      tell(report.lines, report.token)
    }
  }
}

extension LeftRow {
  /// `Quake 12 (id q1): not reverted, as it was changed since`
  fileprivate var line: String {
    let key = key.isEmpty ? "" : " (\(key.map(\.shown).joined(separator: ", ")))"
    return "\(entity) \(id)\(key): not reverted, as \(reason.words)"
  }
}

extension EditReport {
  /// `Fireball: 12 deleted`, `FireballGroup: 3 updated`
  fileprivate var lines: [String] { counts.isEmpty ? ["nothing changes"] : counts.map(\.line) }
}

extension EditReport.Count {
  fileprivate var line: String {
    let parts = [("inserted", inserted), ("updated", updated), ("deleted", deleted)]
    return "\(entity): " + parts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
  }
}

extension CopyReport {
  /// `Fireball: 12 inserted, 3 updated, 20 unchanged`
  fileprivate var lines: [String] {
    if counts.isEmpty { return ["nothing is copied"] }
    return counts.map { count in
      let parts = [
        (count.inserted, "inserted"), (count.updated, "updated"), (count.unchanged, "unchanged"),
      ]
      return "\(count.entity): " + parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
  }

  /// `{"outcome":"ok","exitStatus":0,"entities":{"Fireball":{"inserted":12,"updated":3,"unchanged":20}},"token":"…"}`
  fileprivate var json: String {
    var text = JSONText()
    text.object {
      $0.write(outcome: "ok", ExitStatus.allLanded.rawValue)
      $0.member("entities") { text in
        for count in counts {
          text.member(count.entity) {
            $0.member("inserted", Int64(count.inserted))
            $0.member("updated", Int64(count.updated))
            $0.member("unchanged", Int64(count.unchanged))
          }
        }
      }
      $0.member("token", token?.description)
    }
    return text.string
  }
}

extension EraseReport {
  /// `Person: 1 erased`, `Group: 1 updated`, `2 rejected records erased`
  fileprivate func lines(isTrial: Bool) -> [String] {
    if objects.isEmpty { return [Note.noneLeft(isTrial: isTrial)] }
    // What was deleted now and is no link is among the erased.
    let others = edit.counts.compactMap { count -> String? in
      var count = count
      if objects.contains(where: { $0.entity == count.entity }) { count.deleted = 0 }
      return count.inserted + count.updated + count.deleted > 0 ? count.line : nil
    }
    return objects.map { "\($0.entity): \($0.objects) erased" } + others
      + (copies > 0 ? ["\(counted(copies, "copied value")) erased from the history of other objects"] : [])
      + (rejects > 0 ? ["\(counted(rejects, "rejected record")) erased"] : [])
  }

  /// `{"outcome":"ok","exitStatus":0,"entities":{…},"erased":{"Person":1},"copies":0,"rejects":2,"unclearRejects":0,"token":"…"}`
  fileprivate var json: String {
    var text = JSONText()
    text.object {
      $0.write(outcome: "ok", ExitStatus.allLanded.rawValue)
      $0.member(entities: edit.counts)
      $0.member("erased", object: { text in objects.forEach { text.member($0.entity, Int64($0.objects)) } })
      $0.member("copies", Int64(copies))
      $0.member("rejects", Int64(rejects))
      $0.member("unclearRejects", Int64(unclearRejects))
      $0.member("token", edit.token?.description)
    }
    return text.string
  }
}

extension JSONText {
  fileprivate mutating func member(entities counts: [EditReport.Count]) {
    member("entities") { text in
      for count in counts {
        text.member(count.entity) {
          $0.member("inserted", Int64(count.inserted))
          $0.member("updated", Int64(count.updated))
          $0.member("deleted", Int64(count.deleted))
        }
      }
    }
  }
}

extension EditReport {
  /// `{"entities":{"Fireball":{"inserted":0,"updated":0,"deleted":12}},"token":"…"}`
  ///
  /// - Parameter left: the rows that stay as they are, of a revert.
  fileprivate func json(_ left: [LeftRow]) -> String {
    var text = JSONText()
    text.object {
      $0.write(outcome: "ok", (left.isEmpty ? ExitStatus.allLanded : .someRejected).rawValue)
      $0.member(entities: counts)
      if !left.isEmpty {
        $0.member("left", objects: left) { text, row in
          text.member("entity", row.entity)
          text.member("id", row.id)
          text.member("key", object: { key in row.key.forEach { key.member($0) } })
          text.member("reason", row.reason.rawValue)
        }
      }
      $0.member("token", token?.description)
    }
    return text.string
  }
}
