@testable import ImportInput

/// What reading a compressed input gives.
struct CompressedOutcome: Equatable {
  var bytes: [UInt8] = []
  var error: String?

  /// - Parameter room: what a read may give at once.
  init(_ input: [UInt8], pieces: [Int], room: Int) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
    defer { buffer.deallocate() }
    do {
      let reader = ByteInput(Pieces(input, lengths: pieces))
      reading: while true {
        switch try reader.read(into: buffer, until: nil) {
        case .bytes(let count): bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        case .idle: continue
        case .end: break reading
        }
      }
    } catch {
      self.error = "\(error.code): \(error.message)"
    }
  }
}

/// Bytes that come in pieces, with nothing now and then.
private final class Pieces: RawInput {
  let name = "input"
  let isStdin = false
  let total: Int64? = nil
  let emptyFact = Fact.silentStream
  private(set) var taken: Int64 = 0
  private var rest: ArraySlice<UInt8>
  private let lengths: [Int]
  private var turn = 0

  /// - Parameter lengths: over and over; 0 where nothing comes.
  init(_ bytes: [UInt8], lengths: [Int]) { (rest, self.lengths) = (bytes[...], lengths) }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, until deadline: ContinuousClock.Instant?
  ) throws(InputError) -> ByteInput.Read {
    if rest.isEmpty { return .end }
    let length = lengths[turn % lengths.count]
    turn += 1
    if length == 0 { return .idle }
    let count = min(length, rest.count, buffer.count)
    buffer.copyBytes(from: rest.prefix(count))
    rest = rest.dropFirst(count)
    taken += Int64(count)
    return .bytes(count)
  }
}
