import Foundation
import ImportModel
import Testing

@testable import SQLiteStore
@testable import TypedRows

/// A chunk holds typed cells, and keeps its memory.
struct ChunkTests {
  private let pipeline = plainPipeline([
    Attribute(name: "id", type: .integer64, isRequired: true),
    Attribute(name: "size", type: .double),
    Attribute(name: "name", type: .string),
    Attribute(name: "data", type: .binary),
    Attribute(name: "note", type: .string, isTransient: true),
  ])

  @Test func `A cell is absent, null or a value of its column's kind`() {
    let chunk = chunk(pipeline)
    chunk.append(["id": 1])
    chunk.append(["id": .integer(.min), "size": .null, "name": .null, "data": .null, "note": .null])
    chunk.append([
      "id": .integer(.max), "size": .real(-0.0), "name": "é\u{0}", "data": .blob([0, 255]), "note": "",
    ])
    chunk.append(["id": 4, "size": .real(.leastNonzeroMagnitude), "name": "", "data": .blob([])])
    #expect((0..<5).map { chunk.value($0, 0) } == [1, nil, nil, nil, nil])
    #expect((0..<5).map { chunk.value($0, 1) } == [.integer(.min), .null, .null, .null, .null])
    #expect(
      (0..<5).map { chunk.value($0, 2) } == [.integer(.max), 0.0, "é\u{0}", .blob([0, 255]), ""])
    #expect((0..<5).map { chunk.value($0, 3) } == [4, .real(.leastNonzeroMagnitude), "", .blob([]), nil])
    #expect(chunk.real(1, 2).sign == .minus)
  }

  @Test func `Thousands of rows and long texts grow the chunk, and clearing makes it as new`() {
    let chunk = chunk(pipeline)
    for round in 0..<3 {
      for row in 0..<5000 {
        chunk.append(["id": .integer(Int64(row)), "name": .text(String(repeating: "x", count: row % 97))])
      }
      chunk.rejects.append(RejectedRecord.sample)
      #expect(chunk.count == 5000 && chunk.recordsRead == 5000 && !chunk.isEmpty, "round \(round)")
      #expect(chunk.value(0, 4999) == 4999 && chunk.value(1, 4999) == nil)
      for row in stride(from: 0, to: 5000, by: 7) {
        #expect(chunk.bytes(2, row).count == row % 97)
      }
      // Four kept columns of 8 bytes and a state each, and the texts.
      #expect(chunk.byteCount == 5000 * 40 + (0..<5000).reduce(0) { $0 + $1 % 97 })
      chunk.sortAndFold()
      #expect(chunk.order.count == 5000)
      chunk.clear()
      #expect(chunk.count == 0 && chunk.byteCount == 0 && chunk.isEmpty)
      #expect(chunk.order.isEmpty && chunk.rejects.isEmpty && chunk.repeats == 0)
    }
  }

  @Test func `A cell that was written in the round before is absent in the next`() {
    let chunk = chunk(pipeline)
    chunk.append(["id": 1, "size": 2.5, "name": "old"])
    chunk.clear()
    chunk.append(["id": 2])
    #expect(chunk.value(1, 0) == nil && chunk.value(2, 0) == nil)
  }

  @Test func `A row that is not committed leaves nothing behind`() {
    let chunk = chunk(pipeline)
    chunk.beginRow()
    chunk.set(Int64(7), 0)
    chunk.set(1.5, 1)
    chunk.append(["id": 8])
    #expect(chunk.count == 1 && chunk.value(0, 0) == 8 && chunk.value(1, 0) == nil)
  }

  @Test func `Text that the caller writes itself becomes a cell`() {
    let chunk = chunk(pipeline)
    chunk.append(["id": 1, "name": "before"])
    chunk.beginRow()
    chunk.set(Int64(2), 0)
    let room = chunk.reserve(100_000, 2)
    for index in 0..<100_000 { room[index] = UInt8(ascii: "a") + UInt8(index % 26) }
    chunk.setReserved(3, 2)
    chunk.commitRow(RecordPosition(record: 2, byte: 0, line: 1, column: 1), text: nil)
    #expect(chunk.value(2, 0) == "before" && chunk.value(2, 1) == "abc")
  }

  @Test func `A record's text and place are known for a reject, later on where one may yet come`() {
    var attributes = pipeline.model.entities[0].attributes
    attributes[1].isRequired = true
    let chunk = chunk(plainPipeline(attributes))
    let long = [UInt8](repeating: UInt8(ascii: "z"), count: RejectBounds().text + 5)
    for (number, text) in [Array("{}".utf8), long, nil].enumerated() {
      chunk.beginRow()
      // Without a size, the second row and the third are rejected when they turn out to be new.
      if number == 0 { chunk.set(1.5, 1) }
      let position = RecordPosition(record: number + 1, byte: 10, line: 3, column: 4)
      guard let text else {
        chunk.commitRow(position, text: nil)
        continue
      }
      text.withUnsafeBufferPointer { chunk.commitRow(position, text: $0) }
    }
    func reject(_ row: Int) {
      chunk.reject(
        row, RejectionReason(code: "odd", message: "it is odd"), attribute: "size", input: "a.json")
    }
    (0..<3).forEach(reject)
    chunk.flushBatch()
    (1..<3).forEach(reject)
    let cut = String(repeating: "z", count: RejectBounds().text)
    #expect(chunk.rejects.map(\.text) == ["{}", cut, nil, cut, nil])
    #expect(chunk.rejects[1] == chunk.rejects[3] && chunk.rejects[2] == chunk.rejects[4])
    var expected = RejectedRecord(
      code: "odd", message: "it is odd", attribute: "size", input: "a.json", record: 2, byte: 10, line: 3,
      column: 4, text: cut)
    (expected.isCut, expected.rowsBefore, expected.isRow) = (true, 1, true)
    #expect(chunk.rejects[1] == expected)
  }

  @Test func `A window is full after 1,024 rows, or a mebibyte of its own texts`() {
    let chunk = chunk(pipeline)
    for row in 0..<1024 {
      #expect(!chunk.isBatchFull)
      chunk.append(["id": .integer(Int64(row)), "note": "x"])
    }
    #expect(chunk.isBatchFull)
    chunk.flushBatch()
    for _ in 0..<4 {
      #expect(!chunk.isBatchFull)
      chunk.append(["id": 1, "note": .text(String(repeating: "x", count: 300_000))])
    }
    #expect(chunk.isBatchFull)
  }

  @Test(arguments: 0..<2) func `Texts of any length stay as they are, also beyond a block`(seed: Int) {
    let chunk = chunk(pipeline)
    var dice = Dice(seed)
    let expected = UnsafeMutableRawPointer.allocate(byteCount: 3 << 20, alignment: 1)
    defer { expected.deallocate() }
    for _ in 0..<3 {
      var lengths: [Int] = []
      for row in 0..<40 {
        lengths.append(dice.pick([0, 1, 1000, 1 << 20, (1 << 20) + 1, 3 << 20, dice.int(0...3_000_000)]))
        let text = String(unsafeUninitializedCapacity: lengths[row]) { bytes in
          if let start = bytes.baseAddress { memset(start, Int32(97 + row % 26), lengths[row]) }
          return lengths[row]
        }
        chunk.append(["id": .integer(Int64(row)), "name": .text(text)])
      }
      for row in 0..<40 {
        let bytes = chunk.bytes(2, row)
        #expect(bytes.count == lengths[row])
        memset(expected, Int32(97 + row % 26), lengths[row])
        #expect(bytes.baseAddress.map { memcmp($0, expected, lengths[row]) == 0 } ?? true)
      }
      chunk.clear()
    }
  }

  @Test func `The rules of an attribute see the cell just written`() {
    let chunk = chunk(pipeline)
    chunk.beginRow()
    chunk.set(Int64(5), 0)
    #expect(chunk.holds(5, 0) && !chunk.holds(6, 0) && !chunk.holds(.null, 0))
    #expect(chunk.isLess(0, than: 6) && !chunk.isLess(0, than: 5) && chunk.isGreater(0, than: 4))
    #expect(!chunk.isGreater(0, than: 5) && chunk.isAbsent(1) && chunk.holds(.null, 1))
    Array("aé\u{1F30B}".utf8).withUnsafeBufferPointer { chunk.set($0, 2) }
    #expect(chunk.length(2) == 3 && chunk.holds("aé\u{1F30B}", 2) && chunk.isLess(2, than: "b"))
    // Two spellings of one character are two texts.
    #expect(!chunk.holds("ae\u{301}\u{1F30B}", 2))
    chunk.setNull(2)
    #expect(chunk.length(2) == 0 && !chunk.isAbsent(2) && !chunk.isLess(2, than: "b"))
  }
}

extension RejectedRecord {
  /// Any reject.
  static let sample = RejectedRecord(
    code: "odd", message: "it is odd", attribute: nil, input: "test", record: 1, byte: 0, line: 1, column: 1,
    text: nil)
}
