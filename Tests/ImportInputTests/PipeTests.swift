import Foundation
import Testing

@testable import ImportInput

@Suite struct PipeTests {
  @Test func `a pipe gives what is written to it, piece by piece`() throws {
    let pipe = try TestPipe()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
    defer { buffer.deallocate() }
    try pipe.write(Array("{\"a\":1}".utf8))
    #expect(try pipe.input.read(into: buffer, until: nil) == .bytes(7))
    try pipe.write([10])
    #expect(try pipe.input.read(into: buffer, until: nil) == .bytes(1))
    try pipe.close()
    #expect(try pipe.input.read(into: buffer, until: nil) == .end)
    #expect(pipe.input.totalBytes == nil)
    #expect(pipe.input.bytesRead == 8)
  }

  @Test func `a gzip that comes byte by byte is found and inflated`() throws {
    let pipe = try TestPipe()
    for byte in try gzip(sample(500)) { try pipe.write([byte]) }
    try pipe.close()
    #expect(try drain(pipe.input) == sample(500))
  }

  @Test func `a silent pipe is idle at the deadline, before the first byte, after some, and within a gzip`()
    throws
  {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_000, alignment: 1)
    defer { buffer.deallocate() }
    let soon = { ContinuousClock.now + .milliseconds(5) }

    let plain = try TestPipe()
    let deadline = soon()
    #expect(try plain.input.read(into: buffer, until: deadline) == .idle)
    #expect(ContinuousClock.now >= deadline)
    try plain.write(Array("[]".utf8))
    #expect(try plain.input.read(into: buffer, until: soon()) == .bytes(2))
    #expect(try plain.input.read(into: buffer, until: soon()) == .idle)

    let packed = try TestPipe()
    let bytes = try gzip(sample(500))
    try packed.write([bytes[0]])
    #expect(try packed.input.read(into: buffer, until: soon()) == .idle)
    try packed.write(Array(bytes[1..<15]))
    #expect(try packed.input.read(into: buffer, until: soon()) == .idle)
    try packed.write(Array(bytes[15...]))
    try packed.close()
    #expect(try drain(packed.input) == sample(500))
  }

  @Test func `a deadline that has passed still takes what is there`() throws {
    let pipe = try TestPipe()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10, alignment: 1)
    defer { buffer.deallocate() }
    try pipe.write([1, 2, 3])
    #expect(try pipe.input.read(into: buffer, until: .now) == .bytes(3))
    #expect(try pipe.input.read(into: buffer, until: .now) == .idle)
  }

  @Test func `a pipe that closes without a byte asks about the command before it`() throws {
    let stdin = try TestPipe()
    try stdin.close()
    let error = #expect(throws: InputError.self) { try drain(stdin.input) }
    #expect(error?.code == .empty)
    #expect(error?.message == "stdin: the input is empty; did the command before the pipe fail?")

    let named = try TestPipe(isStdin: false)
    try named.close()
    #expect(throws: InputError.self) { try drain(named.input) }
  }

  @Test func `cancelling wakes a blocked read`() async throws {
    let cancellation = Cancellation()
    let code = try await onThread {
      let pipe = try TestPipe(cancellation: cancellation)
      Thread.detachNewThread { cancellation.cancel() }
      let error = #expect(throws: InputError.self) { try drain(pipe.input) }
      // Only now does the writing end close.
      try pipe.close()
      return error?.code
    }
    #expect(code == .cancelled)
    #expect(cancellation.isCancelled)
  }

  @Test func `a cancelled input says where it stood`() throws {
    try withDirectory { directory in
      let path = try write(sample(1_000), to: "\(directory)/feed.json")
      let cancellation = Cancellation()
      let input = try ByteInput(.path(path), cancellation: cancellation)
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
      defer { buffer.deallocate() }
      // The first read takes all 1,000 bytes from the file, and gives 100.
      #expect(try input.read(into: buffer, until: nil) == .bytes(100))
      cancellation.cancel()
      cancellation.cancel()
      let error = #expect(throws: InputError.self) { try drain(input) }
      #expect(error?.message == "\(path): cancelled after byte 1000")
    }
  }

  @Test func `one cancellation ends many inputs`() throws {
    let cancellation = Cancellation()
    let pipes = try (0..<3).map { _ in try TestPipe(cancellation: cancellation) }
    cancellation.cancel()
    for pipe in pipes {
      #expect(throws: InputError.self) { try drain(pipe.input) }
    }
  }

  @Test func `a named pipe waits for its writer`() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID().uuidString)").path
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let bytes = try await onThread {
      let input = try open(path)
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10, alignment: 1)
      defer { buffer.deallocate() }
      #expect(try input.read(into: buffer, until: .now + .milliseconds(5)) == .idle)
      Thread.detachNewThread {
        let writer = FileHandle(forWritingAtPath: path)
        writer?.write(Data("[1, 2]".utf8))
        try? writer?.close()
      }
      return try drain(input)
    }
    #expect(bytes == Array("[1, 2]".utf8))
  }
}
