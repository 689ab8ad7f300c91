import ArgumentParser
import Bolide
import Foundation

/// `bolide changes`
struct ChangesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "changes",
    abstract: "Prints what changed, one JSON object a line.",
    discussion: """
      A transaction's changes come first and its commit line with the token last: whoever holds the token has the \
      changes. Give the newest token back with --since to go on from there.
      """)

  @Argument(help: ArgumentHelp("The store's file, or a pipeline that names it.", valueName: "store"))
  var storePath: String

  @Option(help: ArgumentHelp("Begin after this token's transaction.", valueName: "token"))
  var since: String?

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    do {
      let store = try Store.opening(storePath)
      let token = try since.map { try HistoryToken(parsing: $0) }
      try seal(store)
      try printHistory(of: store, after: token)
    } catch is StandardOutput.Closed {
      // Whoever reads has read enough.
    } catch {
      throw Failure(error)
    }
  }

  /// Changes of other programs become a transaction; where the store cannot be written, they wait.
  private func seal(_ store: Store) throws {
    do {
      try store.seal()
    } catch let error as StoreError where error.code == .readOnly {
      FileHandle.standardError.write(
        Data("Note: other programs' newest changes are not shown: the store cannot be written.\n".utf8))
    }
  }

  private func printHistory(of store: Store, after token: HistoryToken?) throws {
    var text = JSONText()
    try store.readHistory(after: token) { change in
      text.write(change)
      if text.bytes.count > 1 << 16 { try flush(&text) }
    } commit: { transaction in
      text.write(transaction)
      try flush(&text)
    }
  }

  private func flush(_ text: inout JSONText) throws {
    try StandardOutput.write(text.bytes)
    text.clear()
  }
}

extension JSONText {
  /// `{"tx":18,"kind":"insert","entity":"Fireball","id":1061,"key":{"date":"…"}}`
  mutating func write(_ change: HistoryChange) {
    object { text in
      text.member("tx", change.transaction)
      text.member("kind", change.kind.rawValue)
      text.member("entity", change.entity)
      text.member("id", change.id)
      text.member("key", object: { key in change.key.forEach { key.member($0) } })
      if change.kind == .update { text.member("changed", strings: change.previous.map(\.name)) }
      if change.isDerived { text.member("derived", true) }
    }
    endLine()
  }

  /// `{"tx":18,"commit":true,"token":"…","at":"…","author":"cron","pipeline":"fireballs","run":42,"changes":2}`
  mutating func write(_ transaction: HistoryTransaction) {
    object { text in
      text.member("tx", transaction.number)
      text.member("commit", true)
      text.member("token", transaction.token.description)
      text.member("at", transaction.at)
      text.member("author", transaction.author)
      text.member("pipeline", transaction.pipeline)
      if let run = transaction.run { text.member("run", run) } else { text.member("run", nil as String?) }
      text.member("changes", Int64(transaction.changeCount))
    }
    endLine()
  }
}
