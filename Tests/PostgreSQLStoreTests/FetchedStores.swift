import Bolide
import ImportModel
import StoreInterface
import Testing

/// The same records in both engines, under a model with fetched properties.
struct FetchedStores {
  let engines: [any StoreEngine]
  let pipeline: Pipeline

  /// - Parameter properties: of the model's first entity.
  init(_ model: String, _ properties: [FetchedProperty], _ records: [String]) throws {
    var pipeline = try Pipeline(yaml: model, file: "notes.yaml", directory: ".")
    pipeline.model.entities[0].fetchedProperties = properties
    self.pipeline = pipeline
    engines = try pipeline.bothEngines()
    try take(records)
  }

  func take(_ records: [String]) throws {
    var options = ImportOptions()
    options.force = true
    let input = ImportSource.bytes(records.joined(separator: "\n").utf8, name: "feed")
    for engine in engines {
      let report = try engine.run(pipeline, on: [input], options: options)
      try #require(report.progress.counts.rejected == 0, "\(report)")
    }
  }

  /// What an engine answers, or says; without the store's name.
  enum Answer: Equatable {
    case rows([Snapshot.Row])
    case error(StoreError.Code, String)
  }

  static func answer(
    _ engine: any StoreEngine, _ request: ObjectQuery, at token: HistoryToken? = nil
  ) throws -> Answer {
    var rows: [Snapshot.Row] = []
    do {
      try engine.readRows(request, at: token) { rows.append($0) }
    } catch let error as StoreError {
      #expect(error.file == engine.path)
      return .error(error.code, [error.reason, error.hint].compactMap(\.self).joined(separator: " "))
    }
    return .rows(rows)
  }

  /// What both answer.
  func answer(
    _ request: ObjectQuery, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Answer {
    let answers = try engines.map { try Self.answer($0, request) }
    #expect(answers[0] == answers[1], sourceLocation: sourceLocation)
    return answers[1]
  }
}

extension FetchedStores.Answer {
  var rows: [Snapshot.Row] { if case .rows(let rows) = self { rows } else { [] } }
  var text: String { if case .error(_, let text) = self { text } else { "" } }
}
