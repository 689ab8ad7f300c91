import Bolide
import Foundation
import Testing

/// Errors as a program prints them.
@Suite struct ErrorTextTests {
  @Test func `errors are sentences`() async throws {
    let place = try StorePlace()
    let path = place.path("quakes.sqlite")
    let missing = await #expect(throws: StoreError.self) { _ = try await Store(path: path) }
    #expect(missing.map { "\($0)" } == "\(path): no such store. Check the path, or import first.")
    #expect(missing?.localizedDescription == "\(path): no such store")
    #expect(missing?.recoverySuggestion == "Check the path, or import first.")
    #expect("\(StoreError(.other, "one sentence"))" == "one sentence")
    let store = try await Store(inMemoryFor: StorePlace.pipeline)
    let cut = await #expect(throws: ImportError.self) {
      _ = try await store.run(StorePlace.pipeline, on: .bytes("".utf8, name: "nothing"))
    }
    let error = try #require(cut)
    #expect(error.localizedDescription == error.message && error.recoverySuggestion == error.hint)
    #expect("\(error)" == error.hint.map { "\(error.message). \($0)" } ?? error.message)
    let wrong = #expect(throws: PipelineError.self) { try Pipeline(path: place.path("none.yaml")) }
    #expect(wrong?.localizedDescription == wrong?.description)
    #expect(wrong?.description.hasPrefix(place.path("none.yaml")) == true)
  }
}
