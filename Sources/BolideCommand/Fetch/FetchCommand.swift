import ArgumentParser
import Bolide
import Foundation

/// `bolide fetch`
struct FetchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Prints an entity's objects: which, in what order, and what of them.",
    usage: "bolide fetch <store> <entity> [--where <expression>] [<options>]",
    discussion: """
      All come from one state of the store, while imports go on. A path leads over to-one relationships, as in \
      group.year; a relationship by itself is the object id it leads to.

        bolide fetch STORE Fireball --where 'group.year = 2013' --sort -energy
        bolide fetch STORE Fireball --only date,energy,group.year --format csv
        bolide fetch STORE Fireball --where 'date > ?' --bind "$day" --count
        bolide fetch STORE Recipe --with comments --attach comments.sqlite=PATH

      A table is for people: it fits the terminal, texts that are too wide end in …, and null is blank. ndjson and csv \
      have every value in full; in csv null is an empty field and an empty text is "".
      """)

  @Argument(help: ArgumentHelp("The store's file, or a pipeline that names it.", valueName: "store"))
  var storePath: String

  @Argument(help: "The entity.")
  var entity: String

  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp(
      "An SQL expression over attributes, relationships and paths that holds for what is printed.",
      valueName: "expression"))
  var predicate: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The text for the expression's next ?; beside a number's attribute it counts as a number.",
      valueName: "value"))
  var bind: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "What to sort by, with - for the largest first. Null comes before every value. Without it, by object id.",
      valueName: "name,-name"))
  var sort: [String] = []

  @Option(help: ArgumentHelp("At most so many objects.", valueName: "n"))
  var limit: Int?

  @Option(help: ArgumentHelp("Pass over so many objects first.", valueName: "n"))
  var offset = 0

  @Option(
    help: ArgumentHelp(
      "Bring along, with all properties, the object that a to-one relationship leads to or what a fetched property finds.",
      valueName: "name"))
  var with: [String] = []

  @Option(
    help: ArgumentHelp("Only objects for which this fetched property finds nothing.", valueName: "name"))
  var dangling: String?

  @Option(
    help: ArgumentHelp(
      "Where a store is that fetched properties lead to, in place of where the model says.",
      valueName: "store=path"),
    transform: AttachedStore.init)
  var attach: [AttachedStore] = []

  @Option(help: ArgumentHelp("Only these properties, as names or paths.", valueName: "name,name"))
  var only: [String] = []

  @Flag(help: "Print how many objects there are, and nothing else.")
  var count = false

  @Option(
    help: ArgumentHelp("The state at this token of the past.", valueName: "token"),
    transform: HistoryToken.init(argument:))
  var at: HistoryToken?

  @Option(help: "How objects are printed. (default: table on a terminal, ndjson elsewhere)")
  var format: FetchFormat?

  func validate() throws {
    if count, format != nil || !with.isEmpty || !only.isEmpty {
      throw ValidationError.countWithForm
    }
    if predicate == nil, !bind.isEmpty { throw ValidationError.bindWithoutWhere }
  }

  func run() throws {
    do {
      let store = try StoreAddress.open(storePath)
      if at == nil {
        try store.sealOrNote(readsHistory: false)
      } else {
        store.unsafeFileNote.map(Note.reading).map(printNote)
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
    func list(_ texts: [String]) -> [String] {
      texts.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
    var request = ObjectQuery(entity, where: predicate, bind.map(Value.text), limit: limit)
    request.offset = offset
    request.sort = list(sort).map { key in
      key.hasPrefix("-") ? .init(String(key.dropFirst()), ascending: false) : .init(key)
    }
    request.properties = list(only)
    request.related = list(with)
    request.dangling = dangling
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

extension String {
  /// What stands before and behind the first `=`; nil where there is none. A mark that combines with it is the value's.
  var halves: (name: String, value: String)? {
    let parts = utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    return parts.count == 2 ? (parts[0], parts[1]) : nil
  }
}
