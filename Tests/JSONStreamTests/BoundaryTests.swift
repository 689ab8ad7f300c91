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
