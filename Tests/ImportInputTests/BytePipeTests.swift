import Foundation
import Testing

@testable import ImportInput

@Suite struct BytePipeTests {
  private struct Broken: Error, CustomStringConvertible {
    let description = "connection reset"
  }

  @Test func `what is sent is read, in order`() async throws {
    let pipe = BytePipe()
    let all = sample(200_000)
    async let read = onThread { try drain(ByteInput(.pipe(pipe), cancellation: Cancellation()), size: 1_000) }
    for start in stride(from: 0, to: all.count, by: 3_333) {
      #expect(await pipe.send(Array(all[start..<min(start + 3_333, all.count)])))
      #expect(await pipe.send([]))
    }
    pipe.finish()
    #expect(try await read == all)
  }

  @Test func `any asynchronous sequence of byte collections is an input`() async throws {
    let pipe = BytePipe()
    let packed = try gzip(sample(50_000))
    let (pieces, continuation) = AsyncStream<ArraySlice<UInt8>>.makeStream()
    for start in stride(from: 0, to: packed.count, by: 100) {
      continuation.yield(packed[start..<min(start + 100, packed.count)])
    }
    continuation.finish()
    async let read = onThread { try drain(ByteInput(.pipe(pipe), cancellation: Cancellation())) }
    await pipe.send(contentsOf: pieces)
    #expect(try await read == sample(50_000))
  }

  @Test func `a second piece waits until the first is taken`() async throws {
    let pipe = BytePipe()
    let cancellation = Cancellation()
    #expect(await pipe.send([1]))
    let second = Task { await pipe.send([2]) }
    // Whether the second piece waits already or comes later, one take gives one piece.
    guard case .piece([1]) = try pipe.take(until: nil, cancellation: cancellation) else {
      Issue.record("the first piece comes first")
      return
    }
    #expect(await second.value)
    let third = Task { await pipe.send([3]) }
    let taken = try await onThread {
      var pieces: [[UInt8]] = []
      while case .piece(let piece) = try pipe.take(until: nil, cancellation: cancellation) {
        pieces.append(piece)
        if pieces.count == 2 { pipe.finish() }
      }
      return pieces
    }
    #expect(await third.value)
    #expect(taken == [[2], [3]])
  }

  @Test func `the sender's error comes after the pieces before it`() async throws {
    let pipe = BytePipe()
    #expect(await pipe.send([1, 2, 3]))
    pipe.finish(throwing: Broken())
    pipe.finish()
    #expect(await pipe.send([4]) == false)
    let input = try ByteInput(.pipe(pipe), label: "upload", cancellation: Cancellation())
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10, alignment: 1)
    defer { buffer.deallocate() }
    #expect(try input.read(into: buffer, until: nil) == .bytes(3))
    let error = #expect(throws: InputError.self) { try input.read(into: buffer, until: nil) }
    #expect(error?.code == .senderFailed)
    #expect(error?.message == "upload: the sender failed after byte 3: connection reset")
    #expect(error?.underlying is Broken)
  }

  @Test func `a silent sender is idle at the deadline`() throws {
    let input = try ByteInput(.pipe(BytePipe()), cancellation: Cancellation())
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10, alignment: 1)
    defer { buffer.deallocate() }
    let deadline = ContinuousClock.now + .milliseconds(5)
    #expect(try input.read(into: buffer, until: deadline) == .idle)
    #expect(ContinuousClock.now >= deadline)
  }

  @Test func `cancelling wakes the reading thread`() async throws {
    let cancellation = Cancellation()
    let code = try await onThread {
      let input = try ByteInput(.pipe(BytePipe()), cancellation: cancellation)
      Thread.detachNewThread { cancellation.cancel() }
      return #expect(throws: InputError.self) { try drain(input) }?.code
    }
    #expect(code == .cancelled)
  }

  @Test func `a cancelled sender is not taken for the end`() async throws {
    let pipe = BytePipe()
    #expect(await pipe.send([1]))
    let sender = Task { await pipe.send([2]) }
    sender.cancel()
    #expect(await sender.value == false)
    let error = #expect(throws: InputError.self) {
      try drain(ByteInput(.pipe(pipe), cancellation: Cancellation()))
    }
    #expect(error?.code == .cancelled)
  }

  @Test func `when the reader has gone no sender waits`() async throws {
    let pipe = BytePipe()
    #expect(await pipe.send([1]))
    async let waiting = pipe.send([2])
    do { _ = try ByteInput(.pipe(pipe), cancellation: Cancellation()) }
    #expect(await waiting == false)
    #expect(await pipe.send([3]) == false)
  }

  @Test func `a pipe that ends without a byte is empty`() throws {
    let pipe = BytePipe()
    pipe.finish()
    let error = #expect(throws: InputError.self) {
      try drain(ByteInput(.pipe(pipe), cancellation: Cancellation()))
    }
    #expect(error?.message == "stream: the input is empty")
  }
}
