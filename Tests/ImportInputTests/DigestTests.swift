import CSHA256
import Foundation
import Testing

@testable import ImportInput

@Suite struct DigestTests {
  @Test func `every length, in pieces of every size, has another program's digest`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    let bytes = (0..<1_000).map { _ in UInt8.random(in: 0...255) }
    try Data(bytes).write(to: file)
    let expected = try Self.digests(byPythonOf: file, lengths: Array(0...bytes.count))
    for count in 0...bytes.count {
      var digest = SHA256()
      var rest = bytes[..<count]
      while !rest.isEmpty {
        let piece = rest.prefix(.random(in: 1...200))
        piece.withUnsafeBytes { digest.update($0) }
        rest = rest.dropFirst(piece.count)
      }
      #expect(hex(digest.value) == expected[count], "\(count) bytes")
    }
  }

  @Test func `the processor's own instructions and plain C come to the same words`() {
    let blocks = (0..<64 * 100).map { _ in UInt8.random(in: 0...255) }
    for count in 0...100 {
      var words = (0..<8).map { _ in UInt32.random(in: 0 ... .max) }
      var plain = words
      csha256_blocks(&words, blocks, count)
      csha256_blocks_plain(&plain, blocks, count)
      #expect(words == plain)
    }
  }

  @Test func `a named file's digest is another program's, before and after it is read`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    // Random bytes, but for the first: one in 256 would be gzip's.
    try Data([0] + (0..<300_000).map { _ in UInt8.random(in: 0...255) }).write(to: file)
    let expected = try Self.digests(byPythonOf: file, lengths: [300_001])[0]

    let input = try ByteInput(.path(file.path), cancellation: Cancellation())
    #expect(try input.digestOfAll().map(hex) == expected)
    #expect(input.bytesRead == 0)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_000, alignment: 1)
    defer { buffer.deallocate() }
    while case .bytes = try input.read(into: buffer, until: nil) {}
    #expect(input.digest.map(hex) == expected)
    // Asked again it is the same.
    #expect(input.digest.map(hex) == expected)
  }

  @Test func `only a file with a name can be known again`() throws {
    #expect(try ByteInput(.bytes([1]), cancellation: Cancellation()).digest == nil)
    #expect(try ByteInput(.pipe(BytePipe()), cancellation: Cancellation()).digestOfAll() == nil)
    #expect(try ByteInput(.path("/dev/null"), cancellation: Cancellation()).digest == nil)
  }

  /// The digests of a file's first bytes, so many for each of `lengths`.
  private static func digests(byPythonOf file: URL, lengths: [Int]) throws -> [String] {
    let program = Process()
    let output = Pipe()
    program.executableURL = URL(filePath: "/usr/bin/env")
    program.arguments = [
      "python3", "-c",
      """
      import hashlib, sys
      data = open(sys.argv[1], "rb").read()
      for length in sys.argv[2].split(","): print(hashlib.sha256(data[:int(length)]).hexdigest())
      """,
      file.path, lengths.map(String.init).joined(separator: ","),
    ]
    program.standardOutput = output
    try program.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return text.split(separator: "\n").map(String.init)
  }

  private func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
}
