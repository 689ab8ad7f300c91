internal import GRDB
internal import GRDBSQLite
package import ImportModel
internal import SQLiteAccess
package import StoreInterface

/// The calls of SQLite's date functions in an expression, and what in them depends on more than the record.
///
/// `date('now')` gives another day tomorrow, and `datetime(at, 'localtime')` another time on another machine. What is
/// written so is found in the text; what a record brings into such a place is met by `guarding`.
package enum DateCalls {
  private typealias Token = PredicateTokens.Token

  /// The functions, and how many arguments stand before their time.
  private static let functions = [
    "date": 0, "time": 0, "datetime": 0, "julianday": 0, "unixepoch": 0, "strftime": 1, "timediff": 0,
  ]
  /// What means another time whenever it is read.
  private static let present = ["now", "subsec", "subsecond"]
  /// What moves a time by the zone of the machine.
  private static let zones = ["localtime", "utc"]

  private static let guardName = "bolide_fixed"

  /// One argument of a call.
  private struct Argument {
    let function: String
    /// Whether it is the time, or one of the two, and not what moves it.
    let isTime: Bool
    let tokens: Range<Int>
  }

  /// What in the text depends on more than the record; nil when nothing does.
  static func problem(_ expression: String) throws(StoreError) -> String? {
    let tokens = try PredicateTokens(expression).tokens
    for call in calls(tokens) {
      guard call.arguments.contains(where: \.isTime) else {
        return ExpressionCheck.presentTime(call.function)
      }
      for argument in call.arguments {
        func holds(_ words: [String]) -> Bool {
          tokens[argument.tokens].contains { token in
            guard case .literal(let text) = token else { return false }
            return words.contains { text.caseFolded == "'\($0)'" }
          }
        }
        if argument.isTime, holds(present) { return ExpressionCheck.presentTime(call.function) }
        if !argument.isTime, holds(zones) { return ExpressionCheck.machineZone(call.function) }
      }
    }
    return nil
  }

  /// What in a filter could take the present time from what a row holds; nil when nothing can.
  ///
  /// A filter runs in any program that writes the table, where nothing can guard it.
  package static func problem(inFilter filter: String, of entity: Entity) throws(StoreError) -> String? {
    let tokens = try PredicateTokens(filter).tokens
    return calls(tokens).flatMap(\.arguments).first { !isSafe(tokens[$0.tokens], entity) }
      .map { ExpressionCheck.timeOfAnyText($0.function) }
  }

  /// The expression with each argument that could bring such a word behind a function that refuses it.
  ///
  /// - Parameter entity: whose attributes the expression names; those of other types than text cannot.
  static func guarding(_ expression: String, of entity: Entity) throws(StoreError) -> String {
    let tokens = try PredicateTokens(expression).tokens
    var (before, after): ([Int: String], [Int: String]) = ([:], [:])
    for argument in calls(tokens).flatMap(\.arguments) where !isSafe(tokens[argument.tokens], entity) {
      let last = argument.tokens.upperBound - 1
      before[argument.tokens.lowerBound, default: ""] += "\(guardName)("
      after[last] = ", \(argument.isTime ? 1 : 0))" + (after[last] ?? "")
    }
    guard !before.isEmpty else { return expression }
    return tokens.indices.map { (before[$0] ?? "") + tokens[$0].sql + (after[$0] ?? "") }
      .joined(separator: " ")
  }

  private static func isSafe(_ argument: ArraySlice<Token>, _ entity: Entity) -> Bool {
    guard argument.count == 1, let token = argument.first else { return false }
    switch token {
    case .literal: return true
    case .word(let name), .name(let name):
      guard let attribute = entity.attributes.first(where: { $0.name.caseFolded == name.caseFolded }) else {
        return false
      }
      return ![.string, .json, .binary].contains(attribute.type)
    default: return false
    }
  }

  private static func calls(_ tokens: [Token]) -> [(function: String, arguments: [Argument])] {
    var calls: [(function: String, arguments: [Argument])] = []
    /// The open parentheses: the function's name, where its argument begins, and those before.
    var open: [(function: String?, start: Int, arguments: [Argument])] = []
    for (index, token) in tokens.enumerated() {
      guard case .symbol(let symbol) = token else { continue }
      if symbol == "(" {
        open.append((index > 0 ? function(tokens[index - 1]) : nil, index + 1, []))
      } else if symbol == "," || symbol == ")", var last = open.popLast() {
        if let function = last.function, last.start < index {
          let place = last.arguments.count
          let time = functions[function] ?? 0
          last.arguments.append(
            Argument(
              function: function, isTime: place == time || function == "timediff" && place < 2,
              tokens: last.start..<index))
        }
        last.start = index + 1
        if symbol == "," {
          open.append(last)
        } else if let function = last.function {
          calls.append((function, last.arguments))
        }
      }
    }
    return calls
  }

  private static func function(_ token: Token) -> String? {
    guard let name = token.name?.caseFolded, functions[name] != nil else { return nil }
    return name
  }

  /// Makes a connection know the function that `guarding` writes.
  static func addGuard(to db: Database) throws {
    try db.add(function: guardName, arguments: 2) { context, _, arguments in
      guard let value = arguments?[0] else { return sqlite3_result_null(context) }
      let type = sqlite3_value_type(value)
      if type == SQLITE_TEXT || type == SQLITE_BLOB, let text = sqlite3_value_text(value) {
        let text = UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self)
        let words = sqlite3_value_int(arguments?[1]) == 1 ? DateCalls.present : DateCalls.zones
        if words.contains(where: { sqlite3_stricmp(text, $0) == 0 }) {
          return sqlite3_result_error(context, ExpressionScan.changingTime, -1)
        }
      }
      sqlite3_result_value(context, value)
    }
  }
}
