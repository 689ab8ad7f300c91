import Foundation
import Testing

@testable import ImportInput

@Suite struct DigestTests {
  @Test func `a named file's digest is another program's, before and after it is read`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data((0..<300_001).map { _ in UInt8.random(in: 0...255) }).write(to: file)
    let program = Process()
    let output = Pipe()
    program.executableURL = URL(filePath: "/usr/bin/env")
    program.arguments = [
      "python3", "-c", "import hashlib,sys;print(hashlib.sha256(open(sys.argv[1],'rb').read()).hexdigest())",
      file.path,
    ]
    program.standardOutput = output
    try program.run()
    let expected = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile().dropLast(), as: UTF8.self)

    func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
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
}
