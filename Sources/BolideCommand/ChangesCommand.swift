import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide changes`
struct ChangesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "changes",
    abstract: "Print changes, one JSON object per line.",
    discussion: """
      The changes of a transaction come first, its commit line with the token last: a reader that has the token has \
      all of its changes. Pass the newest token to --since to continue from there. On a terminal, changes are printed \
      as a table.
      """)

  @Argument(help: .store, completion: .file())
  var storePath: String

  @Option(
    help: ArgumentHelp(
      "Start after this token or transaction number, or at this day or instant in UTC.",
      valueName: "token|number|date"))
  var since: String?

  @Option(
    help: ArgumentHelp(
      "End with this token's transaction or transaction number, or before this day or instant in UTC.",
      valueName: "token|number|date"))
  var until: String?

  /// Where to begin without a place.
  enum Origin: String, ExpressibleByArgument, CaseIterable {
    case oldest
  }

  @Option(
    help: ArgumentHelp(
      "Start at the oldest transaction that has not been pruned.",
      valueName: "oldest"))
  var from: Origin?

  @OptionGroup var filters: ChangeFilters

  @Option(
    help: ArgumentHelp(
      "Start at the position of this named reader; advance it when the command after -- succeeds.",
      valueName: "name"))
  var reader: String?

  @Flag(help: "Continue with new commits of any program, until a signal or until the output is closed.")
  var follow = false

  @Flag(help: "Print only the number of changes.")
  var count = false

  @Flag(help: "Print only the objects that changed, each once, in the order of their first change.")
  var ids = false

  @Flag(help: "Print only the commit lines: tokens, authors, times and numbers of changes.")
  var transactions = false

  @Option(help: "The output format. (default: table on a terminal, ndjson elsewhere)")
  var format: ChangeFormat?

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp(
      "Receives whole transactions on standard input, if there are any; exit status 0 acknowledges them.",
      valueName: "command"))
  var command: [String] = []

  func validate() throws {
    if reader != nil, since != nil {
      throw ValidationError.readerWithSince
    }
    if from != nil, since != nil || reader != nil { throw ValidationError.severalStarts }
    if [count, ids, transactions].count(where: \.self) > 1 { throw ValidationError.severalAnswers }
    if count || ids, !command.isEmpty {
      throw ValidationError.answerWithCommand(count ? "--count" : "--ids")
    }
    if ids, format != nil { throw ValidationError.idsWithFormat }
    if ids || transactions, filters.values || filters.previous { throw ValidationError.rowsWithoutChanges }
    if follow, count || ids || filters.limit != nil || until != nil {
      throw ValidationError.followWithEnd
    }
    if reader != nil, filters.limit != nil, !command.isEmpty {
      throw ValidationError.readerWithLimit
    }
  }

  func run() throws {
    try SignalWatch.run(if: follow || !command.isEmpty) {
      let store = try StoreAddress.open(storePath)
      try store.assignOrNote()
      if reader != nil, !command.isEmpty { try store.checkWritable() }
      let lock = try command.isEmpty ? nil : reader.map { try store.lock(reader: $0) }
      defer { withExtendedLifetime(lock) {} }
      if reader == nil, since == nil, from == nil { try store.checkBeginning() }
      let place = try reader.map { try store.place(ofReader: $0) }
      let start =
        try place.map { .token($0) } ?? since.map(HistoryRequest.Start.init(argument:)) ?? .beginning
      var request = filters.request(from: start)
      request.end = try until.map(HistoryRequest.Start.init(argument:))
      if count { return try StandardOutput.write(line: "\(store.countChanges(request))") }
      if ids { return try write(store.changedObjects(request)) }
      if follow {
        try goOn(store, request, from: place, lock)
        throw StandardOutput.Stopped()
      }
      _ = try deliver(store, request, from: place)
    }
  }

  /// `{"entity":"Fireball","id":1061}` for each.
  private func write(_ objects: [ObjectID]) throws {
    var text = JSONText()
    for object in objects {
      text.object {
        $0.member("entity", object.entity)
        $0.member("id", object.id)
      }
      text.endLine()
    }
    try StandardOutput.write(text.bytes)
  }

  /// Prints or hands over what there is, then what comes, until a signal.
  ///
  /// - Throws: `StandardOutput.Closed` when nobody reads any more, and `.Stopped` for a signal while something is printed.
  private func goOn(
    _ store: any StoreEngine, _ request: HistoryRequest, from place: HistoryToken?,
    _ lock: (any ConsumerLock)?
  ) throws {
    store.endWriting()
    var follower = try HistoryFollower(store)
    var (request, place, hasShown) = (request, place, false)
    while !StoreCall.isCancelled {
      if try follower.look() {
        // Whether what was told cannot be gone on from: a part of a transaction, or what a command has not acknowledged.
        var isWithin = false
        try follower.reading(unless: { isWithin }) {
          // With a lost connection the lock went, and somebody else may have moved the reader.
          if let reader, try lock?.renew() == true {
            let next = try store.place(ofReader: reader)
            (request.start, place) = (.token(next), next)
          }
          let delivered = try deliver(store, request, from: place, isContinued: hasShown) { whole in
            hasShown = true
            isWithin = whole == nil || !command.isEmpty
            if let whole, command.isEmpty { request.start = .token(whole) }
          }
          guard let last = delivered else { return }
          // Somebody may have moved the reader meanwhile.
          let next = try command.isEmpty ? last : reader.map { try store.place(ofReader: $0) } ?? last
          request.start = .token(next)
          if place != nil { place = next }
        }
        store.endWriting()
      }
      if command.isEmpty {
        guard StandardOutput.isOpen(after: HistoryFollower.pause) else { throw StandardOutput.Closed() }
      } else {
        Thread.sleep(forTimeInterval: HistoryFollower.pause / .seconds(1))
      }
    }
  }

  /// Prints what a request gives, or hands it to the command and acknowledges it for the reader.
  ///
  /// - Parameter telling: called when anything is printed or handed over: with the token of the transaction that ends with it; nil
  ///   within one.
  /// - Returns: the place after it; nil when there was nothing.
  private func deliver(
    _ store: any StoreEngine, _ request: HistoryRequest, from place: HistoryToken?, isContinued: Bool = false,
    telling: @escaping (HistoryToken?) -> Void = { _ in }
  ) throws -> HistoryToken? {
    let consumer = ConsumerProcess(command)
    var output = ChangeOutput(
      format ?? (command.isEmpty ? .standard : .ndjson), filters, isContinued: isContinued,
      columns: command.isEmpty ? terminalColumns(of: STDOUT_FILENO) : nil
    ) {
      telling(nil)
      try consumer.write($0)
    }
    var last: HistoryToken?
    try store.readHistory(request) {
      if !transactions { try output.write($0) }
    } commit: { transaction in
      last = transaction.token
      // A command is not run to be told that there is nothing for it.
      guard transaction.changeCount > 0 || command.isEmpty else { return }
      try output.write(transaction)
      telling(last)
    }
    try consumer.finish()
    // What was only printed is acknowledged by nobody.
    if !command.isEmpty, let reader, let place, let last {
      try StoreCall.finishing { try store.acknowledge(last, by: reader, from: place) }
    }
    return last
  }
}

/// Which changes are printed, and what of them.
struct ChangeFilters: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only changes by this author. Repeatable, as are --not-author, --entity, --kind and --attribute.",
      valueName: "name")
  )
  var author: [String] = []

  @Option(
    help: ArgumentHelp(
      "Exclude changes by this author; changes without an author are included.", valueName: "name"))
  var notAuthor: [String] = []

  @Option(help: ArgumentHelp("Only changes of this entity.", valueName: "name"))
  var entity: [String] = []

  @Option(
    help: ArgumentHelp("Only changes of this kind: insert, update, delete.", valueName: "kind"),
    transform: HistoryChange.Kind.init(argument:))
  var kind: [HistoryChange.Kind] = []

  @Option(
    help: ArgumentHelp(
      "Only inserts, deletes, and updates of this attribute or relationship: name or Entity.name.",
      valueName: "name"))
  var attribute: [String] = []

  @Flag(help: "Net changes: at most one per object.")
  var net = false

  @Flag(help: "Print the current row of each object, or null if it was deleted.")
  var values = false

  @Flag(help: "Print the previous values of updated and deleted objects.")
  var previous = false

  @Option(help: ArgumentHelp("Maximum number of changes; continue from the last token.", valueName: "n"))
  var limit: Int?

  func request(from start: HistoryRequest.Start) -> HistoryRequest {
    var request = HistoryRequest(from: start)
    request.authors = Set(author)
    request.excludedAuthors = Set(notAuthor)
    request.entities = Set(entity)
    request.kinds = Set(kind)
    request.attributes = Set(attribute)
    request.isNet = net
    request.includesValues = values
    request.limit = limit
    return request
  }
}

extension HistoryToken {
  /// - Throws: `ValidationError`, which the parser of arguments prints as a sentence.
  init(argument: String) throws {
    do {
      try self.init(parsing: argument)
    } catch {
      throw ValidationError([error.message, error.hint].compactMap(\.self).joined(separator: ". "))
    }
  }
}

extension HistoryRequest.Start {
  /// A token, a transaction's number, or a day or instant that there is.
  init(argument: String) throws {
    if let number = Int64(argument), number >= 0 {
      self = .transaction(number)
    } else if let parts = argument.wholeMatch(
      of: /(\d{4})-(\d\d)-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d)(?:\.\d{1,3})?)?)?)?Z?/)?.output
    {
      let day = DateComponents(
        calendar: Calendar(identifier: .iso8601), year: Int(parts.1), month: Int(parts.2), day: Int(parts.3),
        hour: parts.4.flatMap { Int($0) } ?? 0, minute: parts.5.flatMap { Int($0) } ?? 0,
        second: parts.6.flatMap { Int($0) } ?? 0)
      guard day.isValidDate else { throw StoreError.noSuchInstant(argument) }
      // Times are compared as text; without its Z a shorter one comes before all that begin like it.
      self = .date(argument.hasSuffix("Z") ? String(argument.dropLast()) : argument)
    } else {
      self = .token(try HistoryToken(parsing: argument))
    }
  }
}
