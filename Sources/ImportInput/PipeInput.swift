/// The reading thread's end of a `BytePipe`.
///
/// Closes the pipe when it goes.
final class PipeInput: RawInput {
  let name: String
  let isStdin = false
  let total: Int64? = nil
  let emptyFact = Fact.silentStream
  private(set) var taken: Int64 = 0
  private let pipe: BytePipe
  private let cancellation: Cancellation
  private var piece: ArraySlice<UInt8> = []

  init(_ pipe: BytePipe, name: String, cancellation: Cancellation) {
    self.pipe = pipe
    self.name = name
    self.cancellation = cancellation
  }

  deinit { pipe.close() }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, until deadline: ContinuousClock.Instant?
  ) throws(InputError) -> ByteInput.Read {
    if piece.isEmpty {
      do {
        switch try pipe.take(until: deadline, cancellation: cancellation) {
        case .piece(let bytes): piece = bytes[...]
        case .idle: return .idle
        case .end: return .end
        }
      } catch is CancellationError {
        throw InputError(.cancelled(byte: taken), input: name)
      } catch let error as Errno {
        throw InputError(.cannotRead(byte: taken, reason: error.text), input: name)
      } catch {
        throw InputError(.senderFailed(error, byte: taken), input: name)
      }
    }
    let count = min(buffer.count, piece.count)
    buffer.copyBytes(from: piece.prefix(count))
    piece = piece.dropFirst(count)
    taken += Int64(count)
    return .bytes(count)
  }
}
