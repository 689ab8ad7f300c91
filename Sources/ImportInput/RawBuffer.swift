/// Raw bytes that were read and not yet used: needed to look at the beginning, and to feed the inflater.
///
/// ```
///  0        start           end          capacity
///  | used   | bytes         | room        |
/// ```
final class RawBuffer {
  static let capacity = 128 * 1024

  let input: any RawInput
  private let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 64)
  private var start = 0
  private var end = 0

  init(_ input: any RawInput) {
    self.input = input
  }

  deinit { storage.deallocate() }

  /// What is there; valid until the next call of `fill`.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[start..<end]) }

  var isEmpty: Bool { start == end }

  /// How many raw bytes lie before the first of `bytes`.
  var position: Int64 { input.taken - Int64(end - start) }

  /// Says that the first `count` bytes are used.
  func use(_ count: Int) {
    precondition(count <= end - start)
    start += count
    if isEmpty {
      start = 0
      end = 0
    }
  }

  /// Reads more bytes behind those that are there.
  ///
  /// There must be room, as there is when `bytes` is empty.
  func fill(until deadline: ContinuousClock.Instant?) throws(InputError) -> ByteInput.Read {
    let room = UnsafeMutableRawBufferPointer(rebasing: storage[end...])
    let read = try input.read(into: room, until: deadline)
    if case .bytes(let count) = read { end += count }
    return read
  }
}
