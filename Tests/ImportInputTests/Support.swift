import CZlib
import Foundation
import Testing

@testable import ImportInput

/// Reads an input to its end in reads of `size` bytes.
func drain(_ input: ByteInput, size: Int = 64 * 1024) throws -> [UInt8] {
  var all: [UInt8] = []
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
  defer { buffer.deallocate() }
  while true {
    switch try input.read(into: buffer, until: nil) {
    case .bytes(let count): all += buffer.prefix(count)
    case .idle: Issue.record("idle without a deadline")
    case .end: return all
    }
  }
}

/// The plain bytes of an input that is already in memory.
func drain(_ bytes: [UInt8], size: Int = 64 * 1024) throws -> [UInt8] {
  try drain(ByteInput(.bytes(bytes), cancellation: Cancellation()), size: size)
}

/// The error that reading these bytes ends in, and what was read before it.
func failure(of bytes: [UInt8], size: Int = 64 * 1024) -> InputError? {
  #expect(throws: InputError.self) { try drain(bytes, size: size) }
}

/// One gzip member, made by zlib itself.
func gzip(_ bytes: [UInt8], level: CInt = Z_BEST_SPEED) throws -> [UInt8] {
  var stream = z_stream()
  let size = CInt(MemoryLayout<z_stream>.size)
  try #require(
    deflateInit2_(
      &stream, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK)
  defer { deflateEnd(&stream) }
  var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))) + 64)
  var input = bytes
  let made = input.withUnsafeMutableBufferPointer { input in
    output.withUnsafeMutableBufferPointer { output in
      stream.next_in = input.baseAddress
      stream.avail_in = uInt(input.count)
      stream.next_out = output.baseAddress
      stream.avail_out = uInt(output.count)
      let result = deflate(&stream, Z_FINISH)
      return result == Z_STREAM_END ? output.count - Int(stream.avail_out) : nil
    }
  }
  return Array(output.prefix(try #require(made)))
}

/// Bytes that look like a feed and compress like one; the same ones every time.
func sample(_ count: Int) -> [UInt8] {
  var state: UInt32 = 1
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + 8)
  while bytes.count < count {
    state = state &* 1_664_525 &+ 1_013_904_223
    bytes += Array("\(state >> 20),".utf8)
  }
  return Array(bytes.prefix(count))
}

/// A directory for one test; gone when `body` returns.
func withDirectory<Result>(_ body: (_ path: String) throws -> Result) throws -> Result {
  let directory = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: directory) }
  return try body(directory.path)
}

/// Writes a file and gives its path.
func write(_ bytes: [UInt8], to path: String) throws -> String {
  try Data(bytes).write(to: URL(filePath: path))
  return path
}

/// Opens `path` as an input of its own.
func open(_ path: String) throws -> ByteInput {
  try ByteInput(.path(path), cancellation: Cancellation())
}

/// A system pipe whose read end is an input.
struct TestPipe {
  let input: ByteInput
  private let writer: FileHandle

  init(isStdin: Bool = true, cancellation: Cancellation = Cancellation()) throws {
    var ends: [CInt] = [-1, -1]
    try #require(pipe(&ends) == 0)
    writer = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    input = ByteInput(
      try DescriptorInput(
        descriptor: ends[0], name: isStdin ? "stdin" : "pipe", isStdin: isStdin, cancellation: cancellation))
  }

  func write(_ bytes: [UInt8]) throws { try writer.write(contentsOf: Data(bytes)) }
  func close() throws { try writer.close() }
}

/// Runs `work` on a thread of its own, as the import does, so that blocking reads hold no task up.
func onThread<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result(catching: work)) }
  }
}
