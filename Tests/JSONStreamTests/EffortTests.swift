import JSONStream
import Testing

/// Inputs that a careless reader takes quadratic time or memory for.
///
/// Each would run for hours if it did.
@Suite(.timeLimit(.minutes(10))) struct EffortTests {
  @Test func `a long record in small pieces is passed once`() throws {
    let element = #"{"name":"0123456789","values":[1,2,3]},"#
    let body = String(repeating: element, count: 20_000)
    let text = #"[{"id":1,"list":["# + body + #"0],"last":"x"},{"id":2}]"#
    let reading = Reading(text, fields: ["id", "last"], shape: .array(path: ""), pieces: [16])
    #expect(reading.texts == [["1", "x"], ["2", "absent"]])
    #expect(reading.records[0].text.utf8.count == body.utf8.count + 30)
  }

  @Test func `a long string, byte by byte`() {
    let long = String(repeating: "x", count: 150_000)
    let reading = Reading("[{\"a\":\"\(long)\"}]", fields: ["a"], shape: .array(path: ""), pieces: [1])
    #expect(reading.texts == [[long]])
  }

  @Test func `a long envelope before the rows`() {
    let text = #"{"meta":["# + String(repeating: #"{"a":[1,"b"]},"#, count: 60_000) + #"1],"rows":[{"a":1}]}"#
    let reading = Reading(text, fields: ["a"], shape: .array(path: "rows"), pieces: [100])
    #expect(reading.texts == [["1"]])
  }

  @Test func `the buffer stays small while records come`() throws {
    var reader = try RecordReader(fields: ["a"], shape: .lines)
    let piece = Array(String(repeating: "{\"a\":1}\n", count: 100).utf8)
    var most = 0
    for _ in 0..<2000 {
      most = max(most, fill(&reader, piece))
      while try reader.next() == .record {}
    }
    #expect(reader.recordsRead == 200_000)
    #expect(most < 10 * piece.count)
  }

  /// Blanks weigh little in a compressed feed.
  @Test(arguments: [
    "[", #"[{"a":1}"#, #"[{"a":1},"#, #"{"rows":["#, #"{"rows":[{"a":1},"#, #"{"a":1}"#, #"{"meta":"#,
    #"{"meta":{"x":["#,
  ])
  func `the buffer stays small while blanks come`(start: String) throws {
    var reader = try RecordReader(fields: ["a"])
    var piece = Array(start.utf8)
    var most = 0
    for _ in 0..<600 {
      most = max(most, fill(&reader, piece))
      while case .record = try reader.next() {}
      piece = [UInt8](repeating: UInt8(ascii: " "), count: 64 * 1024)
    }
    // What shows nothing is looked at for 8 MiB, and a buffer that is full doubles.
    #expect(most <= 9 << 20)
  }

  @Test func `positions of many records in one fill`() {
    let text = String(repeating: "{\"a\":1}\n", count: 40_000)
    let reading = Reading(text, fields: ["a"], shape: .lines)
    #expect(reading.records.last?.position == Position(byte: 39_999 * 8, line: 40_000, column: 1))
  }

  /// Gives the reader a piece.
  ///
  /// - Returns: how much room it had for it.
  private func fill(_ reader: inout RecordReader, _ piece: [UInt8]) -> Int {
    var room = 0
    reader.fill(minimum: piece.count) { free in
      room = free.count
      free.copyBytes(from: piece)
      return piece.count
    }
    return room
  }
}
