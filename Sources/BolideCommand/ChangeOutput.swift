import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// How changes are printed.
enum ChangeFormat: String, ExpressibleByArgument, CaseIterable {
  /// Columns for people.
  case table
  /// A JSON object a line.
  case ndjson

  /// What standard output wants: people a table, programs JSON.
  static var standard: ChangeFormat { isatty(STDOUT_FILENO) == 1 ? .table : .ndjson }
}

/// Prints changes and commits in large pieces; a commit is printed at once.
struct ChangeOutput {
  private let format: ChangeFormat
  private let showsValues: Bool
  private let showsPrevious: Bool
  /// The window's width; nil where there is none.
  private let columns: Int?
  private let write: ([UInt8]) throws -> Void
  private var text = JSONText()
  private var hasHeader: Bool

  /// - Parameters:
  ///   - isContinued: whether a table's head stands above already.
  ///   - columns: the width of the window that it is shown in; nil where there is none.
  init(
    _ format: ChangeFormat, _ filters: ChangeFilters, isContinued: Bool, columns: Int?,
    to write: @escaping ([UInt8]) throws -> Void
  ) {
    self.format = format
    self.columns = columns
    showsValues = filters.values
    showsPrevious = filters.previous
    self.write = write
    hasHeader = isContinued
  }

  mutating func write(_ change: HistoryChange) throws {
    switch format {
    case .ndjson: text.write(change, values: showsValues, previous: showsPrevious)
    case .table:
      writeHeader()
      writeTable(change.tableLine(values: showsValues, previous: showsPrevious))
    }
    if text.bytes.count > 1 << 16 { try flush() }
  }

  mutating func write(_ transaction: HistoryTransaction) throws {
    switch format {
    case .ndjson: text.write(transaction)
    case .table:
      writeHeader()
      writeTable(transaction.tableLine)
    }
    try flush()
  }

  private mutating func writeHeader() {
    guard !hasHeader else { return }
    hasHeader = true
    writeTable(tableColumns("tx", "what", "entity", "id", "key", "changed"))
  }

  private mutating func writeTable(_ line: String) {
    text.write(line: line, within: columns, indent: Self.indent)
  }

  /// Where the second column begins, and each line that goes on.
  private static let indent = 8

  private mutating func flush() throws {
    try write(text.bytes)
    text.clear()
  }
}

extension JSONText {
  /// `{"tx":18,"kind":"insert","entity":"Fireball","id":1061,"key":{"date":"…"}}`
  mutating func write(_ change: HistoryChange, values: Bool, previous: Bool) {
    object { text in
      text.member("tx", change.transaction)
      text.member("kind", change.kind.rawValue)
      text.member("entity", change.entity)
      text.member("id", change.id)
      text.member("key", object: { key in change.key.forEach { key.member($0) } })
      if change.kind == .update { text.member("changed", strings: change.previous.map(\.name)) }
      if change.isDerived { text.member("derived", true) }
      if let erased = change.erased { text.member("erased", erased.rawValue) }
      if values {
        if let row = change.values {
          text.member("values", object: { values in row.forEach { values.member($0) } })
        } else {
          text.member("values", nil as String?)
        }
      }
      if previous, change.kind != .insert {
        text.member("previous", object: { text in change.previous.forEach { text.member($0) } })
      }
    }
    endLine()
  }

  /// `{"tx":18,"commit":true,"token":"…","at":"…","author":"cron","pipeline":"fireballs","run":42,"changes":2}`
  mutating func write(_ transaction: HistoryTransaction) {
    object { text in
      text.member("tx", transaction.number)
      text.member("commit", transaction.isWhole)
      text.member("token", transaction.token.description)
      text.member("at", transaction.at)
      text.member("author", transaction.author)
      text.member("pipeline", transaction.pipeline)
      text.member("run", transaction.run)
      if !transaction.widened.isEmpty {
        text.member("widened", objects: transaction.widened) { text, widened in
          text.member("entity", widened.entity)
          text.member("attribute", widened.attribute)
          text.member("was", widened.was)
          text.member("type", widened.type)
        }
      }
      text.member("changes", Int64(transaction.changeCount))
    }
    endLine()
  }
}

// MARK: A table

/// A line of the table; the last column is as wide as it is.
private func tableColumns(
  _ transaction: String, _ kind: String, _ entity: String, _ id: String, _ key: String, _ changed: String
) -> String {
  let cells = [
    transaction.indented(to: 6) + " ", kind.padded(to: 7), entity.padded(to: 15), id.indented(to: 8) + " ",
    key.padded(to: 25), changed,
  ]
  return cells.joined(separator: " ").trimmedAtEnd
}

extension HistoryChange {
  fileprivate func tableLine(values showsValues: Bool, previous showsPrevious: Bool) -> String {
    var parts: [String] = []
    if kind == .update || showsPrevious {
      parts += previous.map { showsPrevious ? "\($0.name) was \($0.shown)" : $0.name }
    }
    if isDerived, let last = parts.popLast() { parts.append("\(last) (derived)") }
    if let erased { parts.append(erased == .object ? "(erased)" : "(values erased)") }
    if showsValues {
      parts.append(
        values.map { "now " + $0.map { "\($0.name) \($0.shown)" }.joined(separator: ", ") } ?? "now gone")
    }
    return tableColumns(
      "\(transaction)", kind.rawValue, entity, "\(id)", key.map(\.shown).joined(separator: ", "),
      parts.joined(separator: ", "))
  }
}

extension HistoryTransaction {
  fileprivate var tableLine: String {
    let who = [author ?? "another program", run.map { "run \($0)" }].compactMap { $0 }.joined(separator: ", ")
    return tableColumns("\(number)", isWhole ? "commit" : "page", "", "", "", "")
      + "  \(counted(changeCount, "change")) at \(at) by \(who), token \(token)"
      + widened.map { ", widens \($0.entity).\($0.attribute) from \($0.was) to \($0.type)" }.joined()
  }
}

extension HistoryChange.Property {
  /// The value on one line, with nothing in it that a terminal obeys.
  var shown: String {
    var text = JSONText()
    text.object { $0.member(self) }
    // `{"name":value}` without its ends.
    return String(text.string.dropFirst(name.count + 4).dropLast())
  }
}
