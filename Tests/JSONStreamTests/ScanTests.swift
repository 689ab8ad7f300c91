import Testing

@testable import JSONStream

/// Stage 1 in all its versions, which must list the same.
@Suite struct ScanTests {
  struct Scanned: Equatable {
    var tokens: [UInt32] = []
    var escapes: [UInt32] = []
    var end = 0
    var fault: TokenIndex.Fault?
  }

  private func scan(_ bytes: [UInt8], level: Int32, step: Int) -> Scanned {
    var index = TokenIndex(level: level)
    let padded = bytes + [UInt8](repeating: UInt8(ascii: "\""), count: 64)
    var available = 0
    while available < bytes.count && index.fault == nil {
      available = min(available + step, bytes.count)
      padded.withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress else { return }
        repeat { index.extend(start, available: available) } while index.end < available && index.fault == nil
      }
    }
    return Scanned(
      tokens: Array(UnsafeBufferPointer(start: index.tokens, count: index.count)),
      escapes: Array(UnsafeBufferPointer(start: index.escapes, count: index.escapeCount)), end: index.end,
      fault: index.fault)
  }

  @Test func `every version and every step lists the same tokens`() {
    var random = SeededGenerator(seed: 31)
    let alphabet = Array("[]{},: \t\r\n\"\"\\\\abc019-é€😀\u{1}\u{c}\u{1a}".utf8) + [0x80, 0xff]
    let mild = Array("[]{},: \"\\ab1".utf8)
    for round in 0..<600 {
      let letters = round % 4 == 0 ? alphabet : mild
      let count = Int.random(in: 1...(round % 10 == 0 ? 40_000 : 400), using: &random)
      let bytes = (0..<count).map { _ in letters.randomElement(using: &random) ?? 0 }
      let expected = scan(bytes, level: ScanLevel.scalar, step: bytes.count)
      #expect(scan(bytes, level: ScanLevel.baseline, step: bytes.count) == expected)
      #expect(scan(bytes, level: ScanLevel.best, step: bytes.count) == expected)
      let step = Int.random(in: 1...200, using: &random)
      #expect(scan(bytes, level: ScanLevel.best, step: step) == expected)
      #expect(scan(bytes, level: ScanLevel.scalar, step: step) == expected)
    }
  }

  @Test func `tokens are the operators, the quotes and the starts of words`() {
    let text = #"{"a\"]":[12, tru,"",{}]}x"#
    let found = scan(Array(text.utf8), level: ScanLevel.best, step: 1)
    let tokens = found.tokens.map { Array(text.utf8)[Int($0)] }
    #expect(String(decoding: tokens, as: UTF8.self) == #"{"":[1,t,"",{}]}x"#)
    #expect(found.escapes == [3])
  }

  @Test func `line breaks are counted the same by every version`() {
    var random = SeededGenerator(seed: 32)
    for count in [0, 1, 63, 64, 65, 1000] {
      let bytes = (0..<count).map { _ in UInt8.random(in: 8...12, using: &random) }
      let expected = bytes.count { $0 == 10 }
      for level in [ScanLevel.scalar, ScanLevel.baseline, ScanLevel.best] {
        let found = bytes.withUnsafeBufferPointer { buffer in
          buffer.baseAddress.map { InputBuffer.newlines($0, count: count, level: level) } ?? 0
        }
        #expect(found == expected)
      }
    }
  }
}
