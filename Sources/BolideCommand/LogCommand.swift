import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide log`
struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show who changed an object, and what.",
    usage: "bolide log <store> <entity> (<key> ... | --id <n>) [<options>]",
    discussion: """
      Lists the changes of one object, the oldest first: when, by whom, in which run, and each value before and after. A \
      deleted object is found by the key that it had. The key is a value, or name=value for each part of it:

        bolide log STORE Quake us7000abcd
        bolide log STORE Approach asteroid=12 at=2026-01-02T03:04:05Z body=Earth
      """)

  @OptionGroup var arguments: ObjectArguments

  @Flag(help: "Show changes of derived attributes too.")
  var derived = false

  @Option(help: "The output format. (default: table on a terminal, ndjson elsewhere)")
  var format: ChangeFormat?

  func run() throws {
    do {
      let changes = try StoreAddress.open(arguments.storePath).log(
        of: arguments.entity, arguments.object)
      var text = JSONText()
      let columns = terminalColumns(of: STDOUT_FILENO)
      for change in changes where derived || !change.isDerived {
        switch format ?? .standard {
        case .ndjson: text.write(change)
        case .table: change.lines.forEach { text.write(line: $0, within: columns, indent: 4) }
        }
      }
      try StandardOutput.write(text.bytes)
    } catch is StandardOutput.Closed {
      // Whoever reads has read enough.
    } catch {
      throw Failure(error)
    }
  }
}

extension ObjectChange {
  /// `2026-05-12T06:00:03.118Z  update by fireballs, run 42, tx 18`, and a line a value.
  fileprivate var lines: [String] {
    let who = [author ?? "another program", run.map { "run \($0)" }, "tx \(transaction)"].compactMap { $0 }
    let head = "\(at)  \(kind.rawValue) of \(id) by \(who.joined(separator: ", "))"
    return [head] + (isErased ? ["  (values were erased)"] : [])
      + differences.map { difference in
        let (old, new) = (difference.property(difference.old), difference.property(difference.new))
        return switch kind {
        case .insert: "  \(difference.name): \(new.shown)"
        case .delete: "  \(difference.name) was \(old.shown)"
        case .update: "  \(difference.name): \(old.shown) → \(new.shown)"
        }
      }
  }
}

extension ObjectChange.Difference {
  fileprivate func property(_ value: Value) -> HistoryChange.Property {
    HistoryChange.Property(name: name, type: type, value: value)
  }
}

extension JSONText {
  /// `{"tx":18,"at":"…","author":"cron","run":42,"kind":"update","id":7,"changes":{"vel":{"old":19,"new":19.1}}}`
  fileprivate mutating func write(_ change: ObjectChange) {
    object { text in
      text.member("tx", change.transaction)
      text.member("at", change.at)
      text.member("author", change.author)
      text.member("run", change.run)
      text.member("kind", change.kind.rawValue)
      text.member("id", change.id)
      if change.isDerived { text.member("derived", true) }
      if change.isErased { text.member("erased", true) }
      text.member("changes") { text in
        for difference in change.differences {
          text.member(difference.name) { text in
            var (old, new) = (difference.property(difference.old), difference.property(difference.new))
            (old.name, new.name) = ("old", "new")
            if change.kind != .insert { text.member(old) }
            if change.kind != .delete { text.member(new) }
          }
        }
      }
    }
    endLine()
  }
}
