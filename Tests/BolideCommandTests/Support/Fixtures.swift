import BolideBench
import Foundation
import Testing

extension Folder {
  /// A folder with the shipped pipeline in it; its store is `fireballs.sqlite` beside it.
  static func withFireballs() throws -> Folder {
    let folder = try Folder()
    try folder.takePipeline("fireballs")
    let whole = try String(decoding: folder.bytes(of: "fireballs.yaml"), as: UTF8.self)
    // Most tests import parts of a feed, and some that have not all fields.
    let window = whole.replacing("feed: full  ", with: "feed: window").replacing(
      "\nmax-missing:", with: "\n# max-missing:"
    )
    .replacing("on-absent-field: warn  ", with: "on-absent-field: ignore")
    try #require(window != whole)
    try folder.write(window, to: "fireballs.yaml")
    return folder
  }

  /// Copies a shipped pipeline into the folder; the stores that it names are beside it.
  func takePipeline(_ name: String) throws {
    let text = try String(
      contentsOf: Self.repository.appending(path: "pipelines/\(name).yaml"), encoding: .utf8)
    let moved = text.replacing("store: ../", with: "store: ")
    try #require(moved != text)
    try write(moved, to: "\(name).yaml")
  }

  /// A folder with a small pipeline in it, `quakes.yaml`; its store is `quakes.sqlite`.
  static func withQuakes() throws -> Folder {
    let folder = try Folder()
    try folder.write(quakes, to: "quakes.yaml")
    return folder
  }

  static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Posts with many tags, and with notes of their own.
  static let blog = """
    bolide: 1
    store: blog.sqlite
    entity: Post
    key: id
    attributes:
      id:       integer64
      words:    integer32
      tagCount: { derived: tags.@count }
    children:
      tags:
        entity: Tag
        inverse: posts
        many-to-many: true
        key: name
        attributes:
          name:      { type: string, from: . }
          postCount: { derived: posts.@count }
          wordCount: { derived: posts.words.@sum }
      notes: { entity: Note, inverse: post, key: [post, number], attributes: { number: integer64 } }
    """

  static let quakes = """
    bolide: 1
    store: quakes.sqlite
    entity: Quake
    key: id
    attributes:
      id:        string
      time:      date
      magnitude: double
      place:     { type: string, transient: true }
    link:
      region: { to: { name: place } }
    entities:
      Region:
        key: name
        attributes:
          name:       string
          quakeCount: { derived: quakes.@count }
          total:      { derived: quakes.magnitude.@sum }
        relationships:
          quakes: { to-many: Quake, inverse: region, on-delete: nullify }
    """

  /// Writes a generated feed into the folder.
  @discardableResult
  func generate(_ feed: FireballFeed, to name: String) throws -> Data {
    let bytes = Data(ReadFeed.bytes(feed))
    try write(bytes, to: name)
    return bytes
  }

  /// Packs a file of the folder, beside it.
  func gzip(_ name: String) throws {
    try #require(try run("gzip", ["-kn", name]).status == 0)
  }
}

/// The counts of a report.
struct Counts: Equatable {
  var read = 0
  var inserted = 0
  var updated = 0
  var unchanged = 0
  var duplicates = 0
  var superseded = 0
  var rejected = 0

  init(
    read: Int, inserted: Int = 0, updated: Int = 0, unchanged: Int = 0, duplicates: Int = 0,
    superseded: Int = 0,
    rejected: Int = 0
  ) {
    (self.read, self.inserted, self.updated) = (read, inserted, updated)
    (self.unchanged, self.duplicates, self.superseded, self.rejected) = (
      unchanged, duplicates, superseded, rejected
    )
  }

  /// Reads the output of `--json`.
  init(_ outcome: Outcome) throws {
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    let numbers = try ["read", "inserted", "updated", "unchanged", "duplicates", "superseded", "rejected"].map
    {
      try #require(object[$0] as? Int)
    }
    (read, inserted, updated) = (numbers[0], numbers[1], numbers[2])
    (unchanged, duplicates, superseded, rejected) = (numbers[3], numbers[4], numbers[5], numbers[6])
  }
}

extension Folder {
  /// How many rows a table has; 0 while the store or the table is not there yet.
  func count(_ table: String, in store: String) throws -> Int {
    guard FileManager.default.fileExists(atPath: path(store)) else { return 0 }
    let known = try sqlite(store, "SELECT count(*) FROM sqlite_schema WHERE name = '\(table)'")
    guard known == ["1"] else { return 0 }
    return Int(try sqlite(store, "SELECT count(*) FROM \"\(table)\"").first ?? "") ?? 0
  }
}
