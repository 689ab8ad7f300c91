/// A job that a user has, by the name that the command line knows.
package enum Scenario: String, Codable, Sendable, CaseIterable {
  case parse
  case firstLoad = "first-load"
  case again
  case revised
  case shuffled
  case sorted
  case gzip
  case withLinks = "with-links"
  case withDerived = "with-derived"
  case mainJob = "main-job"
  case smallMemory = "small-memory"
  case foreignUpdate = "foreign-update"
  case foreignClients = "foreign-clients"
  case newDerived = "new-derived"
  case connections
  case importers
  case catchUp = "catch-up"
  case follow

  /// What is done, in a few words.
  package var title: String {
    switch self {
    case .parse: "the parser alone, input in memory, fed in pieces of 256 KiB"
    case .firstLoad: "into a new store, in the feed's order"
    case .again: "the same feed once more: nothing has changed"
    case .revised: "the feed with other values in 1 % of its rows"
    case .shuffled: "into a new store, keys in random order"
    case .sorted: "the same, sorted by key on disk first"
    case .gzip: "into a new store, from gzip through a pipe on standard input"
    case .withLinks: "into a new store, each row linked to one of 2,000 owners"
    case .withDerived: "the same, and each owner keeps its rows' count and sum"
    case .mainJob: "into a new store, each row linked to its year, which keeps its rows' count and sum"
    case .smallMemory: "into a new store in 48 MiB of memory, keys in random order"
    case .foreignUpdate: "another program changes a summed value of each row, in one statement"
    case .foreignClients: "eight clients of another program change a summed value of one row in each commit"
    case .newDerived: "each row of a store with links gets a copy of its owner's key"
    case .connections: "into a new store on a server, over one, two and four connections"
    case .importers: "one importer into a server, and two of different pipelines at a time"
    case .catchUp: "a reader takes all changes of a first load"
    case .follow: "a reader sees what another process commits, \(SmallCommits.rows) rows at a time"
    }
  }

  /// Whether a user's own feed can be put to it.
  package var takesOwnFeed: Bool {
    switch self {
    case .parse, .firstLoad, .again, .gzip, .catchUp: true
    case .revised, .shuffled, .sorted, .withLinks, .withDerived, .mainJob, .smallMemory, .foreignUpdate,
      .foreignClients, .newDerived, .connections, .importers, .follow:
      false
    }
  }

  /// What is counted.
  package var unit: String {
    switch self {
    case .parse: "records"
    case .catchUp: "changes"
    case .follow, .foreignClients: "commits"
    default: "rows"
    }
  }

  /// Whether its first candidate is an import, whose stages are known.
  package var isImport: Bool {
    ![.parse, .foreignUpdate, .foreignClients, .newDerived, .importers, .catchUp, .follow].contains(self)
  }

  /// Whether it can be measured on a file.
  package var runsOnFile: Bool { ![.foreignClients, .connections, .importers].contains(self) }

  /// Everyone who does it; Bolide comes first.
  func candidates(_ feed: BenchFeed) throws -> [Candidate] {
    switch self {
    case .parse: parsing(feed)
    case .firstLoad:
      [try loading(feed, .base), flooring(feed, .base, .chunkInsert), flooring(feed, .base, .preparedInsert)]
    case .shuffled:
      [
        try loading(feed, .shuffled), flooring(feed, .shuffled, .chunkInsert),
        flooring(feed, .shuffled, .preparedInsert),
      ]
    case .sorted: [try loading(feed, .shuffled, pipeline: .sorted)]
    case .gzip:
      [
        try loading(feed, .base, isPiped: true), flooring(feed, .base, .chunkInsert),
        flooring(feed, .base, .preparedInsert),
      ]
    case .again, .revised:
      [
        try importingOver(feed, self == .again ? .base : .revised),
        flooringOver(feed, self == .again ? .base : .revised, .chunkDifference),
        flooringOver(feed, self == .again ? .base : .revised, .preparedUpsert),
      ]
    case .withLinks:
      [
        try loading(feed, .base, pipeline: .links), flooring(feed, .base, .linkedInsert, pipeline: .links),
        flooring(feed, .base, .linkedInsertThenIndex, pipeline: .links),
      ]
    case .withDerived:
      [
        try loading(feed, .base, pipeline: .derived),
        try loading(feed, .base, pipeline: .links, name: "bolide, links alone"),
      ]
    case .mainJob:
      [
        try loading(feed, .base, pipeline: .years), try loading(feed, .base, name: "bolide, the rows alone"),
      ]
    case .smallMemory:
      [
        try loading(feed, .shuffled, pipeline: .small),
        try loading(feed, .shuffled, name: "bolide, memory as usual"),
      ]
    case .foreignUpdate:
      [
        updating(feed, .derived, name: "count and sum in each owner"),
        updating(feed, .links, name: "links alone"),
      ]
    // A file has one writer at a time.
    case .foreignClients, .connections, .importers: []
    case .newDerived: [copying(feed), copyingBySQL(feed)]
    case .catchUp: [reading(feed)]
    case .follow: SmallCommits.Writer.allCases.map { following(feed, $0) }
    }
  }
}

extension Scenario {
  /// Whether it imports over rows that are there already.
  var isOver: Bool { self == .again || self == .revised }

  /// The feed that it reads.
  var feedKind: BenchFeed.Kind {
    switch self {
    case .revised: .revised
    case .shuffled, .sorted, .smallMemory: .shuffled
    default: .base
    }
  }
}
