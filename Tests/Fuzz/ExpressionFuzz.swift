import Bolide
import Foundation
import ImportModel
import RowExpressions
import SQLiteMaintenance
import SQLiteQueries
import SQLiteStore

/// Any text as an expression, in each of the places where a pipeline or a request has one.
///
/// What a pipeline's check takes makes a schema, imports records, and leaves nothing for `verify`. Of a predicate that a
/// fetch takes, each object meets one of three: it holds, its contrary holds, or it is null.
final class ExpressionFuzz {
  private let pipeline: Pipeline
  private let folder: MemoryFolder
  private let store: SQLiteEngine

  init() {
    do {
      pipeline = try Pipeline(yaml: Self.file, file: "things.yaml", directory: ".")
      folder = try MemoryFolder()
      store = try SQLiteEngine(blocking: folder.store, for: pipeline, lockWait: 1)
      let report = try store.run(pipeline, on: [.bytes(Self.records.utf8)], options: ImportOptions())
      guard report.progress.counts.inserted == Self.count else {
        fault("the store cannot be filled: \(report)")
      }
    } catch {
      fault("\(error)")
    }
  }

  private static let count = 5

  private static let file = """
    bolide: 1
    entity: Thing
    key: id
    attributes:
      id: integer64
      name: string
      size: double
      price: { type: decimal, scale: 2 }
      at: date
      day: day
      flag: boolean
      tags: json
      raw: binary
      result: { type: string, value: name }
    check: id > 0
    link: { owner: { to: { name: name } } }
    entities:
      Owner:
        key: name
        attributes:
          name: string
          rank: { type: integer32, default: 7 }
          things: { derived: all.@count, where: size > 1 }
          sizes: { derived: all.size.@sum, where: size > 1 }
        relationships: { all: { to-many: Thing, inverse: owner, on-delete: nullify } }
        fetched:
          alike: { entity: Thing, where: name = $FETCH_SOURCE.name }
    """

  private static let records = """
    [{"id":1,"name":"a","size":1.5,"price":"1.10","at":"2026-01-02T03:04:05Z","day":"2026-01-02","flag":true,"tags":[1],
    "raw":"AAEC"},{"id":2,"name":"it's","size":-0.0,"price":"-3","at":"1969-12-31T23:59:59Z","flag":false,"tags":{"a":null}},
    {"id":3,"name":"","size":1e300,"price":"90071992547409.92","day":"0001-01-01"},
    {"id":4,"name":"\\u00e9","size":3,"price":"0.07","raw":""},{"id":5}]
    """

  /// The first byte chooses the place.
  func run(_ bytes: [UInt8]) {
    var choices = Choices(bytes)
    let place = choices.byte()
    let text = choices.text()
    if place % 6 < 2 { return predicate(text) }
    var changed = pipeline
    switch place % 6 {
    case 2: changed.fields[changed.fields.count - 1].source = .expression(text)
    case 3: changed.checks = [text, "id > 0"]
    case 4:
      for index in changed.model.entities[1].attributes.indices {
        guard case .aggregate(var aggregate) = changed.model.entities[1].attributes[index].derivation
        else { continue }
        aggregate.filter = text
        changed.model.entities[1].attributes[index].derivation = .aggregate(aggregate)
      }
    default:
      if place & 8 == 0 {
        changed.links[0].ownerKey[0].expression = text
      } else {
        changed.model.entities[1].fetchedProperties[0].predicate = text
      }
    }
    use(changed, imports: place & 0x70 == 0)
  }

  /// - Parameter imports: whether a store is made of it, which takes many times longer.
  private func use(_ pipeline: Pipeline, imports: Bool) {
    guard pipeline.problems().isEmpty, pipeline.expressionProblems().isEmpty,
      pipeline.fetchedProblems().isEmpty
    else { return }
    do {
      try PipelineFuzz.check(pipeline, makesStore: false)
      guard imports else { return }
      let folder = try MemoryFolder()
      let store = try SQLiteEngine(blocking: folder.store, for: pipeline, lockWait: 1)
      for _ in 0..<2 {
        var options = ImportOptions()
        options.force = true
        _ = try store.run(pipeline, on: [.bytes(Self.records.utf8)], options: options)
        try store.verify { if !$0.isTrue { fault("after an import: \($0)") } }
      }
      var request = ObjectQuery("Owner")
      request.related = ["alike"]
      // A predicate may fail for the values of one object.
      do { try store.readCells(request, at: nil, begin: { _ in }, row: { _ in }) } catch let error
        as StoreError
      {
        guard error.code == .badRequest else { throw error }
      }
    } catch {
      fault("what the check of a pipeline took is refused: \(error)")
    }
  }

  private func predicate(_ text: String) {
    guard !Self.isCostly(text), let holds = count(text) else { return }
    if let contrary = count("NOT (\(text)\n)"), let isNull = count("(\(text)\n) IS NULL"),
      !Self.isRandom(text),
      holds + contrary + isNull != Self.count
    {
      fault("of \(Self.count) it holds for \(holds), not for \(contrary), and is null for \(isNull): \(text)")
    }
    var found = 0
    do {
      try store.readCells(ObjectQuery("Thing", where: .init(text: text)), at: nil, begin: { _ in }) { _ in
        found += 1
      }
    } catch {
      fault("what was counted is refused: \(error)")
    }
    if found != holds, !Self.isRandom(text) { fault("\(holds) are counted and \(found) found: \(text)") }
  }

  /// How many objects meet a predicate; nil where it is refused, or fails for one of them.
  private func count(_ predicate: String) -> Int? {
    do {
      return try store.readCount(ObjectQuery("Thing", where: .init(text: predicate)), at: nil)
    } catch let error as StoreError {
      guard error.code == .badRequest || error.code == .expression else { fault("\(error)") }
      return nil
    } catch {
      fault("\(error)")
    }
  }

  /// Whether it may give another answer the next time.
  private static func isRandom(_ text: String) -> Bool {
    let text = text.lowercased()
    return ["random", "now", "current_", "date", "time", "julianday", "changes", "last_insert"]
      .contains { text.contains($0) }
  }

  /// Whether it may make a value of a gigabyte or take hours, as whoever asks for it may.
  private static func isCostly(_ text: String) -> Bool {
    let text = text.lowercased()
    return ["blob", "printf", "format"].contains { text.contains($0) }
  }
}
