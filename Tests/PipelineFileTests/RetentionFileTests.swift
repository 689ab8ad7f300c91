@testable import PipelineFile
import ImportModel
import Testing

@Suite struct RetentionFileTests {
  private func retention(_ line: String) throws -> HistoryRetention? {
    try Pipeline(
      yaml: """
        bolide: 1
        entity: Quake
        key: id
        attributes: { id: string }
        \(line)
        """, file: "quakes.yaml", directory: ""
    ).history
  }

  @Test func `every rule arrives`() throws {
    #expect(try retention("") == nil)
    #expect(try retention("history: {}") == HistoryRetention())
    #expect(
      try retention("history: { keep: 90d, transactions: 10, hold-for-readers: 1y, cap: 256 MB }")
        == HistoryRetention(keep: 7_776_000, transactions: 10, holdForReaders: 31_536_000, cap: 256_000_000))
    #expect(try retention("history: { keep: forever }") == HistoryRetention(keep: .infinity))
  }

  @Test(arguments: [
    ("history: { keep: 90 }", "5:18: 'keep' is a time such as 90d, at most 10000y, or forever, not '90'"),
    ("history: { keep: -1d }", "5:18: 'keep' is a time such as 90d, at most 10000y, or forever, not '-1d'"),
    (
      "history: { hold-for-readers: long }",
      "5:30: 'hold-for-readers' is a time such as 90d, at most 10000y, or forever, not 'long'"
    ),
    ("history: { cap: much }", "5:17: 'cap' is a size such as 256 MB, not 'much'"),
    ("history: { keeps: 1d }", "5:12: unknown key 'keeps'; did you mean 'keep'?"),
  ]) func `a mistake has its sentence and its place`(line: String, sentence: String) throws {
    let error = try #require(throws: PipelineError.self) { try retention(line) }
    #expect(error.description == "quakes.yaml:\(sentence)")
  }
}
