internal import JSONStream

/// Measures the parser as the import uses it: fed in pieces, every requested cell looked at.
package enum ParseBench {
  /// What one input took.
  package struct Result: Sendable {
    /// The input's name.
    package let name: String
    /// Its size in bytes.
    package let bytes: Int
    /// Its records.
    package let records: Int
    /// The times.
    package let measure: Measure
  }

  /// A result that the measured work did not come to.
  package struct WrongResult: Error, CustomStringConvertible {
    package let description: String
  }

  /// Parses each input several times, in pieces of 256 KiB.
  ///
  /// - Throws: `WrongResult` when not all records come, or a cell differs between runs; what the parser throws.
  package static func run(rows: Int, runs: Int) throws -> [Result] {
    let inputs = [
      ParseInput.fireballs(rows: rows), .wide(rows: rows / 10), .nested(rows: rows / 4),
    ]
    let expected = try inputs.map { try parse($0, piece: $0.bytes.count) }
    let measures = try Measure.inTurn(
      runs: runs,
      zip(inputs, expected).map { input, expected in
        {
          guard try parse(input, piece: 256 * 1024) == expected, expected.records == input.records else {
            throw WrongResult(description: "\(input.name): the records differ")
          }
        }
      })
    return zip(inputs, measures).map {
      Result(name: $0.name, bytes: $0.bytes.count, records: $0.records, measure: $1)
    }
  }

  private struct Sum: Equatable {
    var records = 0
    var cells = 0
    var bytes = 0
    /// A sum over all bytes of all cells.
    var digest: UInt64 = 0

    /// Touches every byte of a cell, in words where it can; short cells in words that overlap.
    mutating func add(_ cell: UnsafeRawBufferPointer) {
      var offset = 0
      while offset + 8 <= cell.count {
        digest &+= cell.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        offset += 8
      }
      switch cell.count - offset {
      case 0: break
      case 4...7:
        digest &+= UInt64(cell.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        digest &+= UInt64(cell.loadUnaligned(fromByteOffset: cell.count - 4, as: UInt32.self)) << 32
      default:
        for byte in cell[offset...] { digest = digest &* 31 &+ UInt64(byte) }
      }
    }
  }

  /// Reads all records; counts cells and touches all their bytes.
  private static func parse(_ input: ParseInput, piece: Int) throws -> Sum {
    var reader = try RecordReader(fields: try input.fields.map { try FieldPath($0) })
    var sum = Sum()
    var offset = 0
    while true {
      switch try reader.next() {
      case .record:
        sum.records += 1
        for field in reader.fields where field.kind != .absent {
          sum.cells += 1
          guard field.kind != .null else { continue }
          sum.bytes += field.count
          sum.add(UnsafeRawBufferPointer(field.bytes))
        }
      case .needsInput:
        let count = min(piece, input.bytes.count - offset)
        if count == 0 {
          reader.finish()
          continue
        }
        reader.fill(minimum: count) { free in
          input.bytes.withUnsafeBytes {
            free.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
          }
          return count
        }
        offset += count
      case .rowsBeforeNames, .end:
        return sum
      }
    }
  }
}
