/// Rows that a statement has given, in the server's binary form.
package protocol ResultRows: AnyObject {
  func isNull(_ row: Int, _ column: Int) -> Bool

  /// A value's bytes; valid as long as the rows.
  func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer
}

extension ResultRows {
  /// A whole number of one, two, four or eight bytes; 0 for null.
  package func integer(_ row: Int, _ column: Int) -> Int64 {
    let bytes = bytes(row, column)
    switch bytes.count {
    case 1: return Int64(bytes[0])
    case 2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    default: return 0
    }
  }

  /// A `double precision`; 0 for null.
  package func real(_ row: Int, _ column: Int) -> Double {
    Double(bitPattern: UInt64(bitPattern: integer(row, column)))
  }

  package func text(_ row: Int, _ column: Int) -> String {
    String(decoding: bytes(row, column), as: UTF8.self)
  }

  /// A text that may be null.
  package func optionalText(_ row: Int, _ column: Int) -> String? {
    isNull(row, column) ? nil : text(row, column)
  }

  /// A whole number that may be null.
  package func optionalInteger(_ row: Int, _ column: Int) -> Int64? {
    isNull(row, column) ? nil : integer(row, column)
  }
}

/// The rows of several results, in half the memory that libpq holds them in.
///
///     starts   [ 0 | 61 | … ]                                  where each row begins among the bytes
///     ends     [ 4 | 12 | null | … ]                           each field's end, from its row's begin
///     bytes    │ field │ field │ … │ field │ field │ …
package final class FlatRows: ResultRows {
  private let columns: Int
  private let expected: Int
  private var starts: [Int] = []
  private var ends: [UInt32] = []
  private var memory: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var used = 0

  /// Set in a null's end.
  private static let null: UInt32 = 1 << 31

  /// - Parameter rows: how many will come at most.
  package init(columns: Int, rows: Int) {
    (self.columns, expected) = (columns, rows)
    starts.reserveCapacity(rows)
    ends.reserveCapacity(rows * columns)
    capacity = 1 << 16
    memory = .allocate(capacity: capacity)
  }

  deinit { memory.deallocate() }

  /// How many rows there are.
  package var count: Int { starts.count }

  /// Copies the rows of a result. What was read before is not valid any more.
  package func append(_ result: QueryResult) {
    for row in 0..<result.count {
      let start = used
      starts.append(start)
      for column in 0..<columns {
        let bytes = result.bytes(row, column)
        grow(by: bytes.count)
        if let source = bytes.baseAddress {
          UnsafeMutableRawPointer(memory + used).copyMemory(from: source, byteCount: bytes.count)
        }
        used += bytes.count
        // The server's rows are smaller than the bit that stands for null.
        let end = UInt32(truncatingIfNeeded: used - start)
        ends.append(bytes.isEmpty && result.isNull(row, column) ? end | Self.null : end)
      }
    }
  }

  private func grow(by count: Int) {
    guard used + count > capacity else { return }
    // The rows that are still to come take about as much as those that are there.
    let all = used / max(1, starts.count) * expected
    let more = max(capacity * 5 / 4, used + count, min(all + all / 32, capacity * 16))
    let other = UnsafeMutablePointer<UInt8>.allocate(capacity: more)
    other.update(from: memory, count: used)
    memory.deallocate()
    (memory, capacity) = (other, more)
  }

  package func isNull(_ row: Int, _ column: Int) -> Bool { ends[row * columns + column] & Self.null != 0 }

  package func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    let place = row * columns + column
    let begin = column == 0 ? 0 : Int(ends[place - 1] & ~Self.null)
    let end = Int(ends[place] & ~Self.null)
    return UnsafeRawBufferPointer(start: memory + starts[row] + begin, count: end - begin)
  }
}
