import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide readers`
struct ReadersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readers",
    abstract: "List, add, move and delete a store's named readers.",
    discussion: """
      The position of a named reader is stored. `bolide changes STORE --reader NAME -- COMMAND` passes what is new \
      since that position to COMMAND; only the success of that command, or `ack`, advances the reader. History is not \
      pruned past a live reader.

        add NAME --from now|beginning|TOKEN   add a reader
        ack NAME TOKEN                        advance a reader to a token
        reset NAME [--from …]                 move a reader (default: beginning)
        drop NAME                             delete a reader
      """)

  /// What is done.
  enum Action: String, ExpressibleByArgument, CaseIterable {
    case list, add, ack, reset, drop
  }

  @Argument(help: .store, completion: .file())
  var storePath: String

  @Argument(help: "The action.")
  var action: Action = .list

  @Argument(help: "The reader's name.")
  var name: String?

  @Argument(help: "The token that the reader has read up to.")
  var token: String?

  @Option(help: ArgumentHelp("The position of the reader.", valueName: "now|beginning|token"))
  var from: String?

  @Option(help: "The output format. (default: table on a terminal, ndjson elsewhere)")
  var format: ChangeFormat?

  @OptionGroup var writing: WritingArguments

  func validate() throws {
    guard (name == nil) == (action == .list) else {
      throw ValidationError.readerName(action)
    }
    guard (token == nil) == (action != .ack) else {
      throw ValidationError.readerToken(action)
    }
    if action == .add, from == nil {
      throw ValidationError.readerWithoutFrom
    }
    if from != nil, action != .add, action != .reset {
      throw ValidationError.readerWithFrom(action)
    }
  }

  func run() throws {
    do {
      let store = try StoreAddress.open(storePath, writing)
      let start: Reader.Start =
        switch from {
        case nil, "beginning": .beginning
        case "now": .now
        case .some(let text): .token(try HistoryToken(parsing: text))
        }
      let name = name ?? ""
      switch action {
      case .list: try list(store.namedReaders())
      case .add: try store.addReader(name, from: start)
      case .ack: try store.acknowledge(HistoryToken(parsing: token ?? ""), by: name)
      case .reset: try store.resetReader(name, to: start)
      case .drop: try store.dropReader(name)
      }
    } catch is StandardOutput.Closed {
      // Whoever reads has read enough.
    } catch {
      throw Failure(error)
    }
  }

  private func list(_ readers: [Reader]) throws {
    var text = JSONText()
    switch format ?? .standard {
    case .ndjson:
      for reader in readers { text.write(reader) }
    case .table:
      guard !readers.isEmpty else { return }
      let rows = readers.map { reader in
        [
          reader.name, reader.state.rawValue,
          "\(counted(reader.transactionsBehind, "transaction")), \(counted(reader.changesBehind, "change"))",
          "\(Int(reader.secondsBehind)) s", "\(reader.token)",
        ].map(\.printable)
      }
      text.append(TextTable.text([["READER", "STATE", "BEHIND", "FOR", "PLACE"]] + rows))
    }
    try StandardOutput.write(text.bytes)
  }
}

extension JSONText {
  /// `{"reader":"map","state":"live","token":"…","transactions":3,"changes":17,"seconds":12.5,"moved":"…"}`
  fileprivate mutating func write(_ reader: Reader) {
    object { $0.write(members: reader) }
    endLine()
  }

  /// A reader's members, here and in a store's status.
  mutating func write(members reader: Reader) {
    member("reader", reader.name)
    member("state", reader.state.rawValue)
    member("token", reader.token.description)
    member("transactions", Int64(reader.transactionsBehind))
    member("changes", Int64(reader.changesBehind))
    member("seconds", (reader.secondsBehind * 1000).rounded() / 1000)
    member("moved", reader.moved)
  }
}
