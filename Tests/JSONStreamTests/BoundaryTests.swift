import JSONStream
import Testing

/// Every input whole, byte by byte, and cut in two at every offset: the same records and the same error.
@Suite struct BoundaryTests {
  static let fields = ["date", "alt", "a/b", "list/0", "<day>", "x"]

  @Test(arguments: Inputs.all)
  func `pieces do not matter`(input: Inputs.Case) {
    let whole = Reading(input.bytes, fields: BoundaryTests.fields, shape: input.shape, limits: input.limits)
    let singly = Reading(
      input.bytes, fields: BoundaryTests.fields, shape: input.shape, limits: input.limits, pieces: [1])
    expectEqual(singly, whole, "byte by byte")
    for cut in input.bytes.indices where cut > 0 {
      let halves = Reading(
        input.bytes, fields: BoundaryTests.fields, shape: input.shape, limits: input.limits,
        pieces: [cut, .max])
      guard expectEqual(halves, whole, "cut at \(cut)") else { return }
    }
  }

  @Test func `pieces do not matter for damaged inputs either`() {
    var random = SeededGenerator(seed: 41)
    let tight = ReaderLimits(depth: 4, recordBytes: 40, stringBytes: 8, numberBytes: 5)
    let scraps = ["[", "]", "{", "}", ",", ":", "\"", "\\", "null", "1e5", "\u{e9}", " ", "\n", "\u{0}", "<"]
      .map { Array($0.utf8) }
    for _ in 0..<4000 {
      guard let input = Inputs.all.randomElement(using: &random) else { return }
      var bytes = input.bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let start = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...3, using: &random))
        bytes.replaceSubrange(start..<end, with: scraps.randomElement(using: &random) ?? [])
        if Int.random(in: 0..<8, using: &random) == 0 {
          bytes.append(UInt8.random(in: 0...255, using: &random))
        }
      }
      let limits = Bool.random(using: &random) ? tight : input.limits
      let pieces = (0..<4).map { _ in Int.random(in: 1...20, using: &random) }
      let whole = Reading(bytes, fields: BoundaryTests.fields, shape: input.shape, limits: limits)
      let parts = Reading(
        bytes, fields: BoundaryTests.fields, shape: input.shape, limits: limits, pieces: pieces)
      guard expectEqual(parts, whole, "\(String(decoding: bytes, as: UTF8.self)) in \(pieces)") else {
        return
      }
    }
  }

  /// Says where two readings part, not all they hold.
  @discardableResult
  private func expectEqual(_ found: Reading, _ expected: Reading, _ how: Comment) -> Bool {
    if found == expected { return true }
    #expect(found.error == expected.error, how)
    #expect(found.envelope == expected.envelope, how)
    #expect(found.shape == expected.shape, how)
    #expect(found.records.count == expected.records.count, how)
    for (one, other) in zip(found.records, expected.records) where one != other {
      #expect(one == other, how)
      break
    }
    return false
  }
}
