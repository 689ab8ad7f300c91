import Foundation
import JSONStream
import Testing

/// The examples of the page `JSONStream.md`.
@Suite struct ArticleTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func stream(_ text: String) -> AsyncStream<ArraySlice<UInt8>> {
    AsyncStream { stream in
      let bytes = Array(text.utf8)
      stream.yield(bytes[..<9])
      stream.yield(bytes[9...])
      stream.finish()
    }
  }

  @Test func `every example of the page stands here`() throws {
    func lines(_ text: some StringProtocol) -> String {
      "\n"
        + text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
        + "\n"
    }
    let article = Self.root.appending(path: "Sources/JSONStream/JSONStream.docc/JSONStream.md")
    let here = lines(try String(contentsOf: URL(filePath: #filePath), encoding: .utf8))
    let examples = try String(contentsOf: article, encoding: .utf8).matches(of: #/```swift\n((?s:.*?))```/#)
    #expect(examples.count == 3)
    for example in examples { #expect(here.contains(lines(example.1)), "\(example.1)") }
  }

  @Test func `records as a type`() async throws {
    var found: [String] = []
    var said: [String] = []
    func print(_ problem: RecordFailure) { said.append("\(problem)") }
    let body = stream(#"{"features": [{"id": "a", "mag": 1.5}, {"id": 1}, {"id": "b"}]}"#)
    struct Quake: Decodable {
      var id: String
      var mag: Double?
    }
    for try await quake in JSONRecords(body, as: Quake.self, at: "features") {
      switch quake {
      case .success(let quake): found.append(quake.id)
      case .failure(let problem): print(problem)
      }
    }
    #expect(found == ["a", "b"])
    #expect(said == ["record 2, line 1, column 40: 'id': found a number; expected String"])
  }

  @Test func `other shapes`() async throws {
    struct Quake: Decodable {
      var id: String
      var mag: Double?
    }
    func magnitudes(_ records: some AsyncSequence<Result<Quake, RecordFailure>, any Error>) async throws
      -> [Double]
    {
      try await records.reduce(into: []) { $0.append(try $1.get().mag ?? 0) }
    }
    var body = stream("{\"id\": \"a\", \"mag\": 1}\n{\"id\": \"b\"}")
    let lines = JSONRecords(body, as: Quake.self, shape: .lines).map { try $0.get() }
    let rows = JSONRecords(body, as: Quake.self, shape: .columnar(names: "fields", rows: "data"))
    let table = JSONRecords(body, as: Quake.self, shape: .delimited())
    #expect(try await lines.reduce(into: []) { $0.append($1.id) } == ["a", "b"])
    body = stream(#"{"data": [["a", 1.5]], "fields": ["id", "mag"]}"#)
    _ = (rows, table)
    #expect(
      try await magnitudes(
        JSONRecords(body, as: Quake.self, shape: .columnar(names: "fields", rows: "data"))) == [1.5])
    body = stream("id,mag\na,2.5\n")
    #expect(try await magnitudes(JSONRecords(body, as: Quake.self, shape: .delimited())) == [2.5])
  }

  @Test func `field by field`() throws {
    var found: [String] = []
    var depth = 0.0
    let bytes = Array(
      #"{"features": [{"id": "a", "geometry": {"coordinates": [1, 2, 3.5]}}, {"id": "b"}, 7]}"#.utf8)
    var reader = try RecordReader(fields: ["id", "geometry/coordinates/2"], shape: .array(path: "features"))
    reader.append(bytes)
    reader.finish()
    while case .record = try reader.next() {
      guard reader.problem == nil, let id = reader.string(ofField: "id") else { continue }
      found.append(id)
      depth += reader.double(ofField: "geometry/coordinates/2") ?? 0
    }
    #expect(found == ["a", "b"] && depth == 3.5)
  }
}
