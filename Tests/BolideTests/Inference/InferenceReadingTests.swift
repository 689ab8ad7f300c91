import Foundation
import ImportInput
import JSONStream
import Testing

import Bolide
@testable import FeedInference

struct InferenceReadingTests {
  @Test(arguments: [
    (#"plain"#, "plain"), (#"11\/21"#, "11/21"), (#"\"\\\b\f\n\r\t"#, "\"\\\u{8}\u{c}\n\r\t"),
    (#"\u00e9\u20ac"#, "é€"), (#"\ud83d\ude00!"#, "😀!"), (#"\ud83d"#, nil), (#"\ude00"#, nil),
    (#"\ud83d\u0041"#, nil),
  ])
  func `escapes are resolved as JSON says`(text: String, content: String?) {
    var escaped = EscapedText()
    let found = Array(text.utf8).withUnsafeBufferPointer { bytes in
      escaped.withContent(of: bytes) { String(decoding: $0, as: UTF8.self) }
    }
    #expect(found == content)
  }

  @Test func `a record is walked through, whatever its spaces and nesting`() {
    var survey = RecordInference()
    let text = #" { "a" : [ { "x" : "]}" } , [ ] ] ,"b":{"c":-1.5e3,"d":null } ,"e":"\"," , "f" : true} "#
    Array(text.utf8).withUnsafeBufferPointer { survey.take(object: $0) }
    let leaves = survey.root.leaves()
    #expect(leaves.map(\.path) == [["a"], ["b", "c"], ["b", "d"], ["e"], ["f"]])
    #expect(leaves.map(\.node.values.count) == [1, 1, 0, 1, 1])
    #expect(leaves[2].node.values.nulls == 1)
  }

  @Test func `an input that cannot be opened again is kept on disk`() async throws {
    let pipe = BytePipe()
    let text = Array(#"[{"id":1},{"id":2}]"#.utf8)
    async let sending: Void = pipe.send(contentsOf: Once(bytes: text))
    // On a thread of its own: the sender may wait for one of the few that tests share.
    let source = try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        nonisolated(unsafe) let made = Result {
          try InferenceSource(.pipe(pipe), label: "a pipe", cancellation: Cancellation())
        }
        continuation.resume(with: made)
      }
    }
    await sending
    for _ in 1...2 {
      let pass = try InferencePass(source, shape: .automatic)
      #expect(pass.records == 2)
    }
    #expect(source.name == "a pipe")
  }

  private struct Once: AsyncSequence, Sendable {
    let bytes: [UInt8]

    struct Iterator: AsyncIteratorProtocol {
      var bytes: [UInt8]?

      mutating func next() async -> [UInt8]? {
        defer { bytes = nil }
        return bytes
      }
    }

    func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes) }
  }
}
