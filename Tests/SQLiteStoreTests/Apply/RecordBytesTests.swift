import ImportModel
import Testing

@testable import TypedRows

/// A chunk's records as bytes: in byte order as their keys are in SQLite's, and what was taken is what was given.
@Suite struct RecordBytesTests {
  private static let types: [AttributeType] = [.integer64, .double, .string, .binary]

  /// A pipeline with a key of some types, and an attribute of each.
  private func layout(key: [AttributeType]) -> ChunkLayout {
    let parts = key.enumerated().map { Attribute(name: "k\($0)", type: $1, isRequired: true) }
    let rest = Self.types.enumerated().map { Attribute(name: "a\($0)", type: $1) }
    let pipeline = plainPipeline(parts + rest, key: parts.map(\.name))
    return ChunkLayout(pipeline, model: pipeline.model)
  }

  private func value(_ type: AttributeType) -> Value {
    switch type {
    case .integer64: .integer([.min, -1, 0, 1, .max, .random(in: -300...300)].randomElement() ?? 0)
    case .double:
      .real(
        [-.infinity, -1.5, -0.0, 0, .leastNonzeroMagnitude, 1.5, .infinity, .random(in: -9...9)]
          .randomElement() ?? 0)
    case .binary: .blob((0..<Int.random(in: 0...20)).map { _ in [0, 1, 255].randomElement() ?? 0 })
    default: .text(String((0..<Int.random(in: 0...20)).map { _ in "\0a\u{1}\u{e4}".randomElement() ?? "b" }))
    }
  }

  private func fill(_ chunk: Chunk, rows: Int) {
    for row in 0..<rows {
      chunk.beginRow()
      for (column, settings) in chunk.layout.columns.enumerated() {
        let isKey = settings.isKey
        switch isKey ? 2 : Int.random(in: 0...3) {
        case 0: break
        case 1: chunk.setNull(column)
        default: chunk.set(value(settings.attribute.type), column)
        }
      }
      chunk.commitRow(RecordPosition(record: row + 1, byte: 0, line: 1, column: 1), text: nil)
    }
  }

  private func key(_ chunk: Chunk, _ row: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    chunk.appendKey(ofRow: row, to: &bytes)
    return bytes
  }

  @Test func `the bytes of keys are in the order of the keys`() {
    for first in Self.types {
      for second in Self.types {
        let chunk = Chunk(layout: layout(key: [first, second]))
        fill(chunk, rows: 100)
        for left in 0..<100 {
          for right in 0..<100 {
            let (one, other) = (key(chunk, left), key(chunk, right))
            let comparison = chunk.compareKeys(left, right)
            #expect((comparison < 0) == one.lexicographicallyPrecedes(other))
            #expect((comparison == 0) == (one == other))
          }
        }
      }
    }
  }

  @Test func `a chunk takes what another has given`() throws {
    let layout = layout(key: [.string])
    let (chunk, other) = (Chunk(layout: layout), Chunk(layout: layout))
    chunk.numbersRecords = true
    other.numbersRecords = true
    fill(chunk, rows: 500)
    chunk.flushBatch()
    for row in (0..<500).reversed() {
      var bytes: [UInt8] = []
      chunk.appendRecord(ofRow: row, to: &bytes)
      bytes.withUnsafeBufferPointer(other.takeRecord)
    }
    other.flushTaken()
    #expect(other.recordsRead == 500 && other.recordNumbers == (1...500).reversed())
    for (row, taken) in zip((0..<500).reversed(), 0...) {
      #expect(chunk.digestOfAll(row: row) == other.digestOfAll(row: taken))
    }
  }
}
