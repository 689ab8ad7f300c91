import Foundation
import GRDB
import JSONStream
import Testing

import Bolide

/// Sentences of the import that its command line cannot bring about, or not in a short time.
@Suite struct ImportMessageTests {
  @Test func `an import that is stopped while it waits for the store`() throws {
    let place = try StorePlace()
    try Data(#"[{"id": "a"}]"#.utf8).write(to: place.url("feed.json"))
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: place.path("quakes.sqlite"), configuration: configuration)
    try other.writeWithoutTransaction { db in
      try db.execute(sql: "CREATE TABLE notes(text); BEGIN EXCLUSIVE")
    }
    let options = ImportOptions()
    options.cancellation.cancel()
    let error = #expect(throws: ImportError.self) {
      try StoreAddress(place.path("quakes.sqlite")).run(
        StorePlace.pipeline, on: [place.path("feed.json")], options: options)
    }
    #expect(error?.kind == .cancelled && error?.message == "the import was stopped while it waited")
    #expect(error?.hint == "To continue, run the same command: no row is duplicated.")
  }

  @Test func `a draft that would be no pipeline`() throws {
    let mistake = #expect(throws: PipelineError.self) {
      try Pipeline(yaml: "bolide: 1\nentity: A", file: "draft", directory: "")
    }
    let error = ImportError.noDraft("feed.json", try #require(mistake))
    let problem = try #require(mistake?.problems.first?.message)
    #expect(error.message == "feed.json: the pipeline drafted from this input is invalid: \(problem)")
    #expect(error.hint == "Write the pipeline by hand, with fewer attributes or other names.")
  }

  @Test func `an import of no source`() async throws {
    let store = try await Store(inMemoryFor: StorePlace.pipeline)
    let error = await #expect(throws: ImportError.self) { try await store.run(StorePlace.pipeline, on: []) }
    #expect(error?.kind == .noInput && error?.message == "no input is named")
  }

  @Test(arguments: [(CommitPolicy.input, 2), (.chunk, 1)])
  func `several sources are one run`(commit: CommitPolicy, chunks: Int) async throws {
    let store = try await Store(inMemoryFor: StorePlace.pipeline)
    let sources = ["a", "b"].map { ImportSource.bytes(#"{"id": "\#($0)", "magnitude": "?"}"#.utf8, name: $0) }
    var options = ImportOptions()
    options.commitPolicy = commit
    let report = try await store.run(StorePlace.pipeline, on: sources, options: options)
    #expect(report.progress.chunks == chunks)
    #expect(report.firstRejects.map(\.record) == [1, 1])
    #expect(report.progress.counts.read == 2 && report.firstRejects.map(\.input) == ["a", "b"])
  }

  @Test func `records that are larger than a reader takes`() throws {
    var reader = try RecordReader(
      fields: [], shape: .array(path: ""), limits: ReaderLimits(recordBytes: 8))
    reader.append(Array("[[1,2,3,4,5,6,7]]".utf8).span)
    reader.finish()
    do {
      while case .record = try reader.next() {}
      Issue.record("it was read")
    } catch {
      #expect(error.code == .recordLimit)
      #expect(error.hint == "Check `records:` in the pipeline, or cut the input into smaller records.")
    }
  }

  @Test(arguments: [
    ("[]", "x.json: there are no records in it"), ("[1, 2]", "x.json: none of its 2 values is an object"),
    (#"{"photos": []}"#, "x.json: there are no records in it, an envelope alone"),
    (#"{"fields":["id"],"data":[]}"#, "x.json: there are no records in it, an envelope alone"),
    (
      #"{"type":"FeatureCollection","links":["a"],"features":[]}"#,
      "x.json: there are no records in it, an envelope alone"
    ),
    ("[{}]", "x.json: its records have no keys to read from"),
  ])
  func `a survey of nothing`(input: String, sentence: String) {
    let error = #expect(throws: ImportError.self) {
      try PipelineInference(bytes: Array(input.utf8), named: "x.json")
    }
    #expect(error?.message == sentence)
    #expect(error?.hint == "Use an input with records: names and types are taken from them.")
  }
}
