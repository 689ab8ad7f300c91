import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide missing`
struct MissingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "missing",
    abstract: "List rows that are no longer in a full feed.",
    discussion: """
      A pipeline with `feed: full` imports a whole catalogue each time. A row is missing if an earlier complete run of \
      the pipeline saw it and the latest one did not. Rows that the pipeline never imported are not listed. Missing \
      rows are kept until --delete or --merge is used.

      A source may correct a key: if the latest complete run inserted exactly one row whose other values all equal \
      those of a missing row, both are printed on one line.
      """)

  @Argument(help: .store, completion: .file())
  var storePath: String

  @Argument(
    help: ArgumentHelp(
      "The pipeline's name or file, if the store has several full feeds.", valueName: "pipeline"))
  var pipeline: String?

  @Flag(
    help: "Give missing rows that reappeared under another key the new key; object ids and links are kept.")
  var merge = false

  @Flag(help: "Delete the missing rows.")
  var delete = false

  @Option(
    name: .customLong("guard"),
    help: ArgumentHelp(
      "With --delete: delete nothing if a larger share of the rows is missing. (default: 5%)", valueName: "p%"
    ))
  var guardShare: Share?

  @Flag(name: .shortAndLong, help: "Print what was done even if standard error is not a terminal.")
  var verbose = false

  @Option(help: "The output format. (default: table on a terminal, ndjson elsewhere)")
  var format: ChangeFormat?

  @OptionGroup var writing: WritingArguments

  func validate() throws {
    if merge, delete { throw ValidationError.mergeAndDelete }
    if guardShare != nil, !delete { throw ValidationError.guardAlone }
  }

  func run() throws {
    do {
      let store = try StoreAddress.open(storePath, writing)
      let name = try pipelineName()
      if delete {
        let (gone, token) = try store.deleteMissing(of: name, noMoreThan: (guardShare?.percent ?? 5) / 100)
        return note("\(counted(gone.count, "row")) deleted", token)
      }
      if merge {
        let (merged, token) = try store.mergeMissing(of: name)
        return note("\(counted(merged.count, "row")) merged", token)
      }
      try list(store, name)
    } catch is StandardOutput.Closed {
      // Whoever reads has read enough.
    } catch {
      throw Failure(error)
    }
  }

  /// A pipeline that stands for the store also says which one is meant.
  private func pipelineName() throws -> String? {
    if let pipeline { return pipeline.namesPipeline ? try Pipeline(path: pipeline).name : pipeline }
    return storePath.namesPipeline ? try Pipeline(path: storePath).name : nil
  }

  private func note(_ what: String, _ token: HistoryToken?) {
    guard verbose || isatty(STDERR_FILENO) == 1 else { return }
    StandardError.write(what + (token.map { " · token \($0)" } ?? "") + "\n")
  }

  /// Prints the rows as they are found: they may be very many. A table is written a thousand rows at a time.
  private func list(_ store: any StoreEngine, _ pipeline: String?) throws {
    var text = JSONText()
    var rows: [[String]] = []
    let format = format ?? .standard
    func writeTable() throws {
      if !rows.isEmpty {
        text.append(TextTable.text([["ENTITY", "ID", "KEY", "IS NOW"]] + rows, numbers: ["ID"]))
      }
      rows.removeAll(keepingCapacity: true)
    }
    let missing = try store.readMissing(of: pipeline) { row in
      switch format {
      case .ndjson: text.write(row)
      case .table:
        let now = row.newcomer.map { "\($0.key.map(\.shown).joined(separator: ", ")), id \($0.id)" } ?? ""
        rows.append(
          [row.entity, "\(row.id)", row.key.map(\.shown).joined(separator: ", "), now].map(\.printable))
        if rows.count == 1000 { try writeTable() }
      }
      guard text.bytes.count > 1 << 16 else { return }
      try StandardOutput.write(text.bytes)
      text.clear()
    }
    if format == .table {
      try writeTable()
      text.write(
        line:
          "\(counted(missing.count, "row")) not in run \(missing.run), the last complete one, which saw \(missing.seen)",
        within: terminalColumns(of: STDOUT_FILENO))
    }
    try StandardOutput.write(text.bytes)
  }
}

extension JSONText {
  /// `{"entity":"Fireball","id":7,"key":{"date":"…"},"newcomer":{"id":1012,"key":{"date":"…"}}}`
  fileprivate mutating func write(_ row: MissingRow) {
    object { text in
      text.member("entity", row.entity)
      text.member("id", row.id)
      text.member("key", object: { key in row.key.forEach { key.member($0) } })
      if let newcomer = row.newcomer {
        text.member("newcomer") {
          $0.member("id", newcomer.id)
          $0.member("key", object: { key in newcomer.key.forEach { key.member($0) } })
        }
      }
    }
    endLine()
  }
}
