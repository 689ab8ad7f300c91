import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide snapshot`
struct SnapshotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot",
    abstract: "Print all rows, and the token to continue from.",
    usage: "bolide snapshot <store> [<entity> ...] [--reader <name>] [--sqlite <file>] [-- <command> ...]",
    discussion: """
      The rows are those of one state of the store, while imports continue: a line with the token and the number of \
      rows per entity, a line per row, and a line with "end". A copy that lacks the last line is incomplete. Delete \
      from your copy whatever the snapshot lacks.
      """)

  @Argument(help: .store, completion: .file())
  var storePath: String

  @Argument(
    help: ArgumentHelp(
      "Only these entities. After --: a command that receives the snapshot on standard input.",
      valueName: "entity"))
  var words: [String] = []

  @Option(
    help: ArgumentHelp(
      "Move this named reader to the snapshot's token when the command after -- succeeds; added if it "
        + "does not exist.",
      valueName: "name"))
  var reader: String?

  @Option(
    name: .customLong("sqlite"),
    help: ArgumentHelp("Write a plain SQLite file instead; replaces an earlier one.", valueName: "file"))
  var file: String?

  /// The words before `--`. The parser takes no second list beside the first, and drops the `--` between them.
  private var entities: [String] { words.dropLast(command.count) }

  private var command: [String] {
    let arguments = CommandLine.arguments
    return arguments.firstIndex(of: "--").map { Array(arguments[($0 + 1)...]) } ?? []
  }

  func validate() throws {
    if reader != nil, command.isEmpty {
      throw ValidationError.readerWithoutCommand
    }
    if file != nil, !command.isEmpty {
      throw ValidationError.fileAndCommand
    }
  }

  func run() throws {
    try SignalWatch.run(if: !command.isEmpty) {
      let store = try StoreAddress.open(storePath)
      try store.assignOrNote()
      if let file {
        try store.writeSnapshot(of: entities, to: file)
        return
      }
      if reader != nil { try store.checkWritable() }
      let lock = try reader.map { try store.lock(reader: $0) }
      defer { withExtendedLifetime(lock) {} }
      try deliver(store)
    }
  }

  private func deliver(_ store: any StoreEngine) throws {
    let consumer = ConsumerProcess(command)
    var text = JSONText()
    var snapshot: Snapshot?
    try store.readSnapshot(of: entities) { begun in
      snapshot = begun
      text.write(begun)
    } row: { row in
      text.write(row)
      if text.bytes.count > 1 << 16 {
        try consumer.write(text.bytes)
        text.clear()
      }
    }
    guard let snapshot else { return }
    text.write(endOf: snapshot)
    try consumer.write(text.bytes)
    try consumer.finish()
    if let reader { try StoreCall.finishing { try store.begin(reader, at: snapshot.token) } }
  }
}

/// `bolide token`
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Print the token of the newest transaction.")

  @Argument(help: .store, completion: .file())
  var storePath: String

  func run() throws {
    do {
      let store = try StoreAddress.open(storePath)
      try store.assignOrNote()
      try StandardOutput.write(line: "\(store.newestToken())")
    } catch {
      throw Failure(error)
    }
  }
}

extension JSONText {
  /// `{"snapshot":true,"token":"…","at":"…","rows":{"Fireball":1000,"FireballGroup":38}}`, and `"pendingChanges":3` where
  /// rows may be newer than the token.
  fileprivate mutating func write(_ snapshot: Snapshot) {
    object {
      $0.member("snapshot", true)
      $0.member("token", snapshot.token.description)
      $0.member("at", snapshot.at)
      if snapshot.pendingChanges > 0 { $0.member("pendingChanges", Int64(snapshot.pendingChanges)) }
      $0.member(
        "rows", object: { rows in snapshot.counts.forEach { rows.member($0.entity, Int64($0.rows)) } })
    }
    endLine()
  }

  /// `{"entity":"Fireball","id":1,"key":{…},"values":{…}}`
  fileprivate mutating func write(_ row: Snapshot.Row) {
    object {
      $0.member("entity", row.entity)
      $0.member("id", row.id)
      $0.member("key", object: { key in row.key.forEach { key.member($0) } })
      $0.member("values", object: { values in row.values.forEach { values.member($0) } })
    }
    endLine()
  }

  /// `{"end":true,"token":"…","rows":1038}`
  fileprivate mutating func write(endOf snapshot: Snapshot) {
    object {
      $0.member("end", true)
      $0.member("token", snapshot.token.description)
      $0.member("rows", Int64(snapshot.counts.reduce(0) { $0 + $1.rows }))
    }
    endLine()
  }
}
