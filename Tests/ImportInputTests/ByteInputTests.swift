import Foundation
import Testing

@testable import ImportInput

@Suite struct ByteInputTests {
  @Test(arguments: [1, 7, 64 * 1024])
  func `a plain file gives its bytes, whatever the size of a read`(size: Int) throws {
    try withDirectory { directory in
      let bytes = sample(300_000)
      let input = try open(write(bytes, to: "\(directory)/plain.json"))
      #expect(input.totalBytes == 300_000)
      #expect(input.bytesRead == 0)
      #expect(try drain(input, size: size) == bytes)
      #expect(input.bytesRead == 300_000)
      #expect(input.name == "\(directory)/plain.json")
    }
  }

  @Test(arguments: [1, 7, 64 * 1024])
  func `a gzip file gives the bytes that were packed, whatever it is called`(size: Int) throws {
    try withDirectory { directory in
      let bytes = sample(300_000)
      let path = try write(bytes, to: "\(directory)/feed")
      try run("gzip", path)
      try FileManager.default.moveItem(atPath: "\(path).gz", toPath: "\(path).json")
      let input = try open("\(path).json")
      #expect(try drain(input, size: size) == bytes)
      #expect(input.bytesRead == input.totalBytes)
    }
  }

  @Test func `bytes in memory are an input too`() throws {
    #expect(try drain(Array("[1]".utf8), size: 2) == Array("[1]".utf8))
    #expect(try drain(gzip(Array("[1]".utf8)), size: 2) == Array("[1]".utf8))
  }

  @Test func `a text shorter than any magic number is plain`() throws {
    for text in ["1", "B", "BZ", "P", "PK", "(", "{}"] {
      #expect(try drain(Array(text.utf8)) == Array(text.utf8))
    }
  }

  @Test func `an ended input stays ended`() throws {
    let input = try ByteInput(.bytes([1]), cancellation: Cancellation())
    _ = try drain(input)
    #expect(try drain(input).isEmpty)
  }

  @Test func `an error is thrown again by every later read`() throws {
    let input = try ByteInput(.bytes(gzip(sample(100)).dropLast()), cancellation: Cancellation())
    let first = try #require(throws: InputError.self) { try drain(input) }
    let second = try #require(throws: InputError.self) { try drain(input) }
    #expect(first.code == .gzipTruncated)
    #expect(first.message == second.message)
  }

  @Test func `a missing file, a directory and a forbidden file are told apart`() throws {
    try withDirectory { directory in
      #expect(openingCode("\(directory)/none.json") == .noSuchFile)
      #expect(openingCode(directory) == .isDirectory)
      let path = try write([1], to: "\(directory)/closed.json")
      #expect(openingCode("\(path)/below") == .noSuchFile)
      try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
      // The superuser may read everything.
      if geteuid() != 0 { #expect(openingCode(path) == .permissionDenied) }
    }
  }

  @Test func `a terminal is rejected`() throws {
    let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    try #require(terminal >= 0)
    let error = #expect(throws: InputError.self) {
      try DescriptorInput(
        descriptor: terminal, name: "stdin", isStdin: true, cancellation: Cancellation())
    }
    #expect(error?.code == .isTerminal)
  }

  @Test func `an empty file, empty bytes and a gzip of nothing are empty`() throws {
    try withDirectory { directory in
      let path = try write([], to: "\(directory)/empty.json")
      let error = #expect(throws: InputError.self) { try drain(open(path)) }
      #expect(error?.message == "\(path): the file is empty")
    }
    #expect(failure(of: [])?.message == "bytes: the input is empty")
    #expect(try failure(of: gzip([]))?.message == "bytes: the gzip data is empty")
  }

  @Test func `other compressions are rejected by name`() throws {
    let starts: [(Compression, [UInt8])] = [
      (.bzip2, Array("BZh9".utf8)),
      (.xz, [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), (.zip, [0x50, 0x4b, 3, 4]), (.zip, [0x50, 0x4b, 5, 6]),
    ]
    for (compression, start) in starts {
      let error = failure(of: start + [1, 2, 3])
      #expect(error?.code == .otherCompression)
      #expect(error?.message.contains("this is \(compression) data") == true)
    }
  }

  @Test func `a read that fails says where`() throws {
    // A descriptor that is open for writing only cannot be read.
    try withDirectory { directory in
      let descriptor = open("\(directory)/out", O_WRONLY | O_CREAT, 0o600)
      let input = ByteInput(
        try DescriptorInput(
          descriptor: descriptor, name: "out", isStdin: false, cancellation: Cancellation()))
      let error = #expect(throws: InputError.self) { try drain(input) }
      #expect(error?.code == .cannotRead)
      #expect(error?.message == "out: cannot be read after byte 0: Bad file descriptor")
    }
  }

  @Test func `a file that was read in part is measured from there`() throws {
    try withDirectory { directory in
      let path = try write(sample(100), to: "\(directory)/part.json")
      let descriptor = open(path, O_RDONLY)
      lseek(descriptor, 40, SEEK_SET)
      let input = ByteInput(
        try DescriptorInput(
          descriptor: descriptor, name: "stdin", isStdin: true, cancellation: Cancellation()))
      #expect(input.totalBytes == 60)
      #expect(try drain(input) == Array(sample(100)[40...]))
    }
  }

  @Test func `descriptors are closed when the input goes`() throws {
    try withDirectory { directory in
      let descriptor = open(try write([1], to: "\(directory)/a.json"), O_RDONLY)
      do {
        _ = try DescriptorInput(
          descriptor: descriptor, name: "a", isStdin: false, cancellation: Cancellation())
      }
      var status = stat()
      var path = stat()
      stat("\(directory)/a.json", &path)
      // Another test may have taken the number meanwhile, but not for this file.
      #expect(fstat(descriptor, &status) != 0 || status.st_ino != path.st_ino)
    }
  }

  private func openingCode(_ path: String) -> InputError.Code? {
    #expect(throws: InputError.self) { try open(path) }?.code
  }

  private func run(_ command: String...) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }
}
