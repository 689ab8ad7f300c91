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
  }

  /// Reads all records; sums up how many cells there are and how long they are.
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
          if field.kind != .null { sum.bytes += field.count }
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
