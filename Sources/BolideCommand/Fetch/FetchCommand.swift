import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide fetch`
struct FetchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Query an entity's objects.",
    usage: "bolide fetch <store> <entity> [--where <expression>] [<options>]",
    discussion: """
      All objects are read from one state of the store, while imports continue. A path follows to-one relationships, \
      as in group.year; a relationship by itself is the object id of its destination.

        bolide fetch STORE Fireball --where 'group.year = 2013' --sort -energy
        bolide fetch STORE Fireball --only date,energy,group.year --format csv
        bolide fetch STORE Fireball --where 'date > ?' --bind "$day" --count
        bolide fetch STORE Fireball --group-by group.year --aggregate 'count, sum(energy)'
        bolide fetch STORE Recipe --with comments --attach comments.sqlite=PATH

      The table format fits the terminal: long texts are cut and end in …, and null is blank. The formats ndjson and \
      csv contain every value in full; in csv, null is an empty field and an empty text is "".
      """)

  @OptionGroup var list: ListArguments

  @Option(
    help: ArgumentHelp(
      "Include, with all properties, the destination of a to-one relationship or the result of a "
        + "fetched property.",
      valueName: "name"))
  var with: [String] = []

  @Option(
    help: ArgumentHelp("Only objects for which this fetched property is empty.", valueName: "name"))
  var dangling: String?

  @Option(
    help: ArgumentHelp(
      "The path of a store that fetched properties refer to; overrides the model.",
      valueName: "store=path"),
    transform: AttachedStore.init)
  var attach: [AttachedStore] = []

  @Flag(help: "Each combination of the values of --only once.")
  var distinct = false

  @Option(
    help: ArgumentHelp(
      "Group the objects by these properties and print the groups: names or paths.", valueName: "name,name"))
  var groupBy: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      What to compute of each group, or of all objects: count, or count, sum, min, max or average of an attribute; \
      "as NAME" sets the name.
      """,
      valueName: "function(name)"),
    transform: ObjectQuery.Aggregate.list)
  var aggregate: [[ObjectQuery.Aggregate]] = []

  @Flag(help: "Print only the number of objects, or of groups.")
  var count = false

  @Option(
    help: ArgumentHelp("Query the state at this token.", valueName: "token"),
    transform: HistoryToken.init(argument:))
  var at: HistoryToken?

  @Option(help: "The output format. (default: table on a terminal, ndjson elsewhere)")
  var format: FetchFormat?

  func validate() throws {
    if count, format != nil || !with.isEmpty || !list.only.isEmpty && !distinct {
      throw ValidationError.countWithForm
    }
  }

  func run() throws {
    do {
      let store = try StoreAddress.open(list.storePath)
      if at == nil {
        try store.assignOrNote(readsHistory: false)
      } else {
        try store.readingNote.map(Note.reading).map(printNote)
      }
      if count { return try StandardOutput.write(line: "\(store.readCount(request, at: at))") }
      var output = FetchOutput(format ?? .standard)
      try store.readCells(request, at: at) {
        try output.begin($0)
      } row: {
        try output.write($0)
      }
      try output.end()
    } catch is StandardOutput.Closed {
      // Whoever reads has read enough.
    } catch {
      throw Failure(error)
    }
  }

  private var request: ObjectQuery {
    var request = list.request
    request.related = with.names
    request.dangling = dangling
    request.isDistinct = distinct
    request.groups = groupBy.names
    request.aggregates = aggregate.flatMap(\.self)
    for store in attach { request.stores[store.name] = store.path }
    return request
  }
}

/// `--attach STORE=PATH`
struct AttachedStore {
  let name: String
  let path: String

  init(_ text: String) throws {
    guard let (name, path) = text.halves, !name.isEmpty, !path.isEmpty else {
      throw ValidationError.notAttached(text)
    }
    (self.name, self.path) = (name, path)
  }
}

extension ObjectQuery.Aggregate {
  /// `count, sum(NAME), max(NAME) as NAME`
  static func list(_ text: String) throws -> [Self] { try [text].names.map(Self.init(argument:)) }

  private init(argument text: String) throws {
    // A path has no spaces and no parentheses.
    let form = /(\w+)\s*(?:\(\s*([^\s()]+)\s*\))?(?:\s+(?:as|AS)\s+(.+))?/
    guard let match = text.wholeMatch(of: form) else { throw ValidationError.notAnAggregate(text) }
    guard let function = Derivation.Function(rawValue: match.1.lowercased()) else {
      throw ValidationError.noAggregate(String(match.1))
    }
    let property = match.2.map(String.init)
    self.init(
      function, of: function == .count && property == "*" ? nil : property, as: match.3.map(String.init))
  }
}

extension String {
  /// What stands before and behind the first `=`; nil where there is none. A mark that combines with it is the value's.
  var halves: (name: String, value: String)? {
    let parts = utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    return parts.count == 2 ? (parts[0], parts[1]) : nil
  }
}
