import ArgumentParser
import Bolide
import CommandSupport

/// `bolide diff`
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Print how a fetch's list changed between two tokens.",
    usage: "bolide diff <store> <entity> --since <token> [--until <token>] [<options>]",
    discussion: """
      Compares what bolide fetch prints at two tokens, and prints a JSON object per line: first the objects that left \
      the list (delete), by their places in the older list; then those that came (insert), changed their order (move) \
      or have other values (update), by their places in the newer list. Places count from 0: "from" in the older list, \
      "to" in the newer one. As few objects as possible move.

      To turn the older list into the newer one, remove the objects at "from" of every delete and move, places counted \
      before the first removal; then in the order of the lines insert each insert and move at "to", and replace the \
      object at "to" of each update.

      With --sections, "from" and "to" are [section, place in it], and lines of kind delete-section and insert-section \
      tell which sections went and came; remove and insert sections between removing and inserting objects.

        bolide diff STORE Fireball --since "$seen" --sort -energy --limit 20
        bolide diff STORE Fireball --since "$seen" --sections group.year --sort -energy
      """)

  @OptionGroup var list: ListArguments

  @Option(
    help: ArgumentHelp("The token of the older list.", valueName: "token"),
    transform: HistoryToken.init(argument:))
  var since: HistoryToken

  @Option(
    help: ArgumentHelp("The token of the newer list. (default: the newest token)", valueName: "token"),
    transform: HistoryToken.init(argument:))
  var until: HistoryToken?

  @Option(
    help: ArgumentHelp(
      "Divide the list into sections of equal values; the list is sorted by this name or path first.",
      valueName: "name"))
  var sections: String?

  func run() throws {
    do {
      let store = try StoreAddress.open(list.storePath)
      if until == nil {
        try store.assignOrNote()
      } else {
        try store.readingNote.map(Note.reading).map(printNote)
      }
      var request = list.request
      request.section = sections
      let newer = try until ?? store.newestToken()
      var output = try DiffOutput(store.difference(of: request, from: since, to: newer))
      try store.readCells(request, at: since) {
        output.begin($0)
      } row: {
        try output.write(old: $0)
      }
      try output.writeSections()
      try store.readCells(request, at: newer) {
        output.begin($0)
      } row: {
        try output.write(new: $0)
      }
      try output.end()
    } catch is StandardOutput.Closed {
      // Whoever reads has read enough.
    } catch {
      throw Failure(error)
    }
  }
}

/// Prints what happened to a list in large pieces, while first the older list and then the newer one is read.
private struct DiffOutput {
  private static let values = JSONText.key("values")

  /// The places in the older list of the objects that left it.
  private var removed: Set<Int> = []
  /// The objects that came into the newer list, or moved within it from a place in the older list, by their places.
  private var inserted: [Int: Int?] = [:]
  /// What is changed of the objects that are in both, by their places in the newer list.
  private var changed: [Int: [String]] = [:]
  private let updated: Set<Int64>
  private let sections: FetchDifference.Sections?
  /// Where the updated objects were.
  private var places: [Int64: Int] = [:]

  private var rows: (layout: RowLayout, json: FetchJSON)?
  private var place = 0
  private var text = JSONText()

  init(_ difference: FetchDifference) {
    sections = difference.sections
    updated = Set(difference.updates.map(\.object.id))
    for update in difference.updates { changed[update.offset] = update.changed }
    for change in difference.objects {
      switch change {
      case .remove(let offset, _, nil): removed.insert(offset)
      // A move is one line, in its new place.
      case .remove: break
      case .insert(let offset, _, let origin): inserted.updateValue(origin, forKey: offset)
      }
    }
  }

  mutating func begin(_ layout: RowLayout) {
    (rows, place) = ((layout, FetchJSON(layout)), 0)
  }

  /// `{"kind":"delete","from":3,"id":7,"values":{…}}`
  mutating func write(old row: any FetchedRow) throws {
    defer { place += 1 }
    if removed.contains(place) {
      try line("delete", from: place, to: nil, changed: nil, row)
    } else if let id = id(row), updated.contains(id) {
      places[id] = place
    }
  }

  /// `{"kind":"delete-section","from":3,"section":2013}`, `{"kind":"insert-section","to":0,"section":2026}`
  mutating func writeSections() throws {
    guard let sections else { return }
    for change in sections.changes {
      let (kind, name, place, value) =
        switch change {
        case .remove(let offset, let value, _): ("delete-section", "from", offset, value)
        case .insert(let offset, let value, _): ("insert-section", "to", offset, value)
        }
      text.object { text in
        text.member("kind", kind)
        text.member(name, Int64(place))
        text.member(HistoryChange.Property(name: "section", type: sections.type, value: value))
      }
      text.endLine()
    }
  }

  /// `{"kind":"move","from":5,"to":2,"id":4,"changed":["magnitude"],"values":{…}}`; an update has the same members, an
  /// insert no `from` and no `changed`.
  mutating func write(new row: any FetchedRow) throws {
    defer { place += 1 }
    if let origin = inserted[place] {
      try line(
        origin == nil ? "insert" : "move", from: origin, to: place,
        changed: origin.map { _ in changed[place] ?? [] }, row)
    } else if let changed = changed[place] {
      try line("update", from: id(row).flatMap { places[$0] }, to: place, changed: changed, row)
    }
  }

  mutating func end() throws {
    try StandardOutput.write(text.bytes)
    text.clear()
  }

  private func id(_ row: any FetchedRow) -> Int64? {
    guard let rows, case .integer(let id) = row[rows.layout.id] else { return nil }
    return id
  }

  private mutating func line(
    _ kind: String, from: Int?, to: Int?, changed: [String]?, _ row: any FetchedRow
  ) throws {
    let (id, json, sections) = (id(row), rows?.json, sections)
    try text.object { text in
      text.member("kind", kind)
      if let from { text.member("from", from, sections?.place(ofOlder: from)) }
      if let to { text.member("to", to, sections?.place(ofNewer: to)) }
      text.member("id", id)
      if let changed { text.member("changed", strings: changed) }
      text.append(key: Self.values)
      try json?.object(row, &text)
    }
    text.endLine()
    if text.bytes.count > 1 << 16 { try end() }
  }
}

extension JSONText {
  /// An offset in the list, or where it is in the sections.
  fileprivate mutating func member(_ name: String, _ offset: Int, _ place: (section: Int, row: Int)?) {
    guard let place else { return member(name, Int64(offset)) }
    member(name, integers: [place.section, place.row])
  }
}
