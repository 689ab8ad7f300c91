internal import JSONStream

/// The parser as the import uses it: fed in pieces of 256 KiB, every byte of every requested cell touched.
enum ParseJob {
  /// Makes the input in memory, parses it whole, and then in pieces by the clock.
  ///
  /// - Throws: `WrongResult` when not all records come, or the pieces give other cells than the whole.
  static func run(_ kind: ParseInput.Kind, rows: Int) throws -> JobOutcome {
    let input = ParseInput(kind, rows: rows)
    let expected = try parse(input, piece: input.bytes.count)
    var sum = Sum()
    var outcome = try JobOutcome.measuring {
      sum = try parse(input, piece: 256 * 1024)
      return sum.records
    }
    guard sum == expected, sum.records == input.records else {
      throw WrongResult("\(kind.title): the records in pieces are not those of the whole")
    }
    // The peak would be that of the input, which lies in memory whole.
    outcome.peakBytes = nil
    outcome.writtenBytes = nil
    outcome.bytes = input.bytes.count
    return outcome
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
      case .rowsBeforeNames, .document, .end:
        return sum
      }
    }
  }
}
