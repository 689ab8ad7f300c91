import ArgumentParser
import Bolide
import Foundation

/// Which objects of which entity, in what order, and what of them; the same for `fetch` and `diff`.
struct ListArguments: ParsableArguments {
  @Argument(help: .store, completion: .file())
  var storePath: String

  @Argument(help: "The entity.")
  var entity: String

  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp(
      """
      A predicate: an SQL expression over attributes, relationships and paths; any(…), all(…), none(…) and count(…) ask \
      about to-many relationships.
      """,
      valueName: "expression"))
  var predicate: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The value of the predicate's next ?. Compared as a number with numeric attributes.",
      valueName: "value"))
  var bind: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Sort keys; prefix with - for descending order. Null is less than any value. (default: object id)",
      valueName: "name,-name"))
  var sort: [String] = []

  @Option(help: ArgumentHelp("Maximum number of objects.", valueName: "n"))
  var limit: Int?

  @Option(help: ArgumentHelp("Number of objects to skip.", valueName: "n"))
  var offset = 0

  @Option(help: ArgumentHelp("Only these properties: names or paths.", valueName: "name,name"))
  var only: [String] = []

  func validate() throws {
    if predicate == nil, !bind.isEmpty { throw ValidationError.bindWithoutWhere }
  }

  var request: ObjectQuery {
    var request = ObjectQuery(
      entity, where: predicate.map { .init(text: $0) }, bind.map(Value.text), limit: limit)
    request.offset = offset
    request.sort = sort.names.map { key in
      key.hasPrefix("-") ? .init(String(key.dropFirst()), ascending: false) : .init(key)
    }
    request.properties = only.names
    return request
  }
}

extension [String] {
  /// The names of a repeatable option that takes several at once: `NAME,NAME`.
  var names: [String] {
    flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }
}
