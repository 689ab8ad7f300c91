import Foundation
import Testing

@testable import ImportInput

/// Frames that the program `zstd` makes, whole and damaged.
@Suite(.enabled(if: Zstd.isThere, "the program zstd and the library libzstd.so.1 are not installed"))
struct ZstdTests {
  private let one = sample(5_000)
  private let two = sample(300)

  @Test(arguments: [1, 13, 64 * 1024])
  func `frames one after another are one input`(size: Int) throws {
    let frames = try Zstd.frame(one) + Zstd.frame([]) + Zstd.frame(two, "-19") + Zstd.frame([])
    #expect(try drain(frames, size: size) == one + two)
    #expect(try drain(Zstd.frame(sample(3_000_000), "--no-check"), size: size * 7) == sample(3_000_000))
  }

  @Test func `what is small in a file may be large`() throws {
    let zeros = [UInt8](repeating: 0x30, count: 20_000_000)
    let frame = try Zstd.frame(zeros)
    #expect(frame.count < 10_000)
    #expect(try drain(frame) == zeros)
  }

  @Test func `a frame to be skipped may come first, between and last`() throws {
    let skipped: [UInt8] = [0x5a, 0x2a, 0x4d, 0x18, 5, 0, 0, 0, 1, 2, 3, 4, 5]
    let empty: [UInt8] = [0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]
    let frame = try Zstd.frame(one)
    let input = [skipped, frame, empty, skipped, frame, skipped].flatMap(\.self)
    #expect(try drain(input) == one + one)
    #expect(failure(of: skipped)?.message == "bytes: the zstd data is empty")
    #expect(try failure(of: Zstd.frame([]))?.code == .empty)
    #expect(failure(of: Array(skipped.dropLast()))?.code == .zstdTruncated)
  }

  @Test(arguments: [[], ["--no-check"]])
  func `a frame cut at any byte is an error`(options: [String]) throws {
    let first = try Zstd.frame(one)
    let whole = try Zstd.frame(two, options)
    // A single byte, or two, could begin a text as well.
    for count in 4..<whole.count {
      let error = failure(of: Array(whole[..<count]))
      #expect(error?.message == "bytes: the zstd data is truncated after byte \(count)")
    }
    for count in 1..<whole.count {
      let input = try ByteInput(.bytes(first + whole[..<count]), cancellation: Cancellation())
      var bytes: [UInt8] = []
      let error = #expect(throws: InputError.self) { try Self.gather(input, into: &bytes) }
      #expect(error?.code == .zstdTruncated, "cut after \(count) bytes of the second frame")
      #expect(bytes.starts(with: one))
    }
  }

  @Test func `of a frame that is cut all blocks come that were there`() throws {
    let cut = try Array(Zstd.frame(sample(1_000_000)).dropLast(40))
    let input = try ByteInput(.bytes(cut), cancellation: Cancellation())
    var bytes: [UInt8] = []
    #expect(throws: InputError.self) { try Self.gather(input, into: &bytes) }
    #expect(bytes.count > 700_000)
    #expect(sample(1_000_000).starts(with: bytes))
  }

  @Test func `every flipped bit of the checksum is found`() throws {
    let first = try Zstd.frame(one)
    let whole = try first + Zstd.frame(two)
    for bit in 0..<32 {
      var broken = whole
      broken[whole.count - 4 + bit / 8] ^= 1 << UInt8(bit % 8)
      let input = try ByteInput(.bytes(broken), cancellation: Cancellation())
      var bytes: [UInt8] = []
      let error = #expect(throws: InputError.self) { try Self.gather(input, into: &bytes) }
      #expect(error?.code == .zstdChecksum && bytes == one + two)
      #expect(
        error?.message
          == "bytes: the checksum of the zstd data that begins at byte \(first.count) is wrong")
    }
  }

  @Test func `no flipped bit of a frame passes for another input`() throws {
    let whole = try Zstd.frame(two)
    var codes: Set<String> = []
    for bit in 32..<whole.count * 8 {
      var broken = whole
      broken[bit / 8] ^= 1 << UInt8(bit % 8)
      do {
        #expect(try drain(broken) == two, "bit \(bit)")
      } catch {
        codes.insert((error as? InputError)?.code.rawValue ?? "\(error)")
      }
    }
    #expect(codes.isSuperset(of: ["zstdCorrupt", "zstdChecksum", "zstdTruncated"]))
    #expect(codes.allSatisfy { $0.hasPrefix("zstd") || $0 == "empty" }, "\(codes)")
  }

  @Test func `corrupt data names the frame that it is in`() throws {
    let first = try Zstd.frame(two)
    var second = try Zstd.frame(one)
    // The header of the first block, of a kind that is reserved.
    second[6...8] = [0xff, 0xff, 0xff]
    #expect(
      failure(of: first + second)?.message
        == "bytes: the zstd data that begins at byte \(first.count) is corrupt")
  }

  @Test func `the blocks before a corrupt one come`() throws {
    let whole = try Zstd.frame(sample(1_000_000))
    for place in [whole.count / 2, whole.count - 100] {
      var broken = whole
      for byte in place..<place + 40 { broken[byte] ^= 0x55 }
      let input = try ByteInput(.bytes(broken), cancellation: Cancellation())
      var bytes: [UInt8] = []
      #expect(throws: InputError.self) { try Self.gather(input, into: &bytes) }
      #expect(bytes.count >= place * 2 - 200_000 && bytes.count <= 1_000_000)
    }
  }

  @Test func `the bytes before an error are the same, whatever room there is`() throws {
    let whole = try Zstd.frame(one)
    var wrongChecksum = whole
    wrongChecksum[whole.count - 1] ^= 1
    let long = try Zstd.frame(sample(1_000_000))
    var corrupt = long
    for byte in (long.count / 2)..<long.count { corrupt[byte] = 0xff }
    for (input, size) in [(wrongChecksum, one.count), (corrupt, 262_144)] {
      let given = try [1, 7, 1000, 4096, 1 << 20].map { room in
        var bytes: [UInt8] = []
        let input = try ByteInput(.bytes(input), cancellation: Cancellation())
        #expect(throws: InputError.self) { try Self.gather(input, into: &bytes, room: room) }
        return bytes
      }
      #expect(Set(given).count == 1 && given[0].count >= size)
    }
  }

  /// zstd's own stream takes the first two.
  @Test func `a frame that gives another size than its header says is corrupt`() throws {
    let empty: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 2, 1, 0, 0]
    let short: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 2, 8, 0, 0, 0x61, 1, 0, 0]
    let long: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 2, 0x19, 0, 0, 0x61, 0x61, 0x61]
    let right: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 2, 0x10, 0, 0, 0x61, 0x61, 1, 0, 0]
    let first = try Zstd.frame(one)
    for frame in [empty, short, long] {
      for size in [1, 64 * 1024] {
        let error = #expect(throws: InputError.self) { try drain(first + frame + right, size: size) }
        #expect(
          error?.message == "bytes: the zstd data that begins at byte \(first.count) is corrupt", "\(frame)")
      }
    }
    #expect(try drain(first + right + first, size: 1) == one + [0x61, 0x61] + one)
  }

  @Test func `other data after a frame is an error`() throws {
    let frame = try Zstd.frame(one)
    for tail in [[0x20], [0], Array("{}".utf8), [0x28, 0xb5, 0x2f, 0xfe], try gzip(two)] as [[UInt8]] {
      #expect(
        failure(of: frame + tail)?.message
          == "bytes: the zstd data ends at byte \(frame.count), and other data follows")
    }
    #expect(failure(of: frame + [0x28, 0xb5])?.code == .zstdTruncated)
  }

  @Test func `a frame that wants more memory than an input gets is refused`() throws {
    // A window of 2 GiB and of 256 MiB: the second byte after the magic is its exponent, less 10, times 8.
    for exponent in [31, 28] {
      let frame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, UInt8((exponent - 10) << 3), 1, 0, 0]
      let error = failure(of: frame)
      #expect(error?.code == .zstdUnsupported)
      #expect(
        error?.message == "bytes: the zstd data that begins at byte 0 needs more than 128 MiB of memory")
    }
    let frame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, UInt8((27 - 10) << 3), 1, 0, 0]
    #expect(failure(of: frame)?.code == .empty)
  }

  @Test func `a frame that wants a dictionary is refused`() throws {
    let frame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x01, 0x40, 7, 1, 0, 0]
    #expect(
      failure(of: frame)?.message == "bytes: the zstd data that begins at byte 0 needs a dictionary")
  }

  private static func gather(_ input: ByteInput, into bytes: inout [UInt8], room: Int = 4096) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
    defer { buffer.deallocate() }
    while case .bytes(let count) = try input.read(into: buffer, until: nil) { bytes += buffer.prefix(count) }
  }
}

/// What is said of zstd data where nothing can unpack it.
@Suite struct ZstdLibraryTests {
  private let frame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x24, 0]

  @Test(arguments: [[], ["libnothing.so.1"], ["/nowhere/libzstd.so.1"], ["libc.so.6"]])
  func `without the library there is one sentence`(paths: [String]) throws {
    let raw = ArrayInput(frame, name: "a.zst", cancellation: Cancellation())
    let error = #expect(throws: InputError.self) { try drain(ByteInput(raw, zstdPaths: paths)) }
    #expect(error?.code == .zstdMissing)
    #expect(
      error?.message == "a.zst: this is zstd data, and the library libzstd.so.1 is not installed")
  }

  @Test func `plain text and gzip need no library`() throws {
    for bytes in [Array("[1]".utf8), try gzip(Array("[1]".utf8)), Array("(".utf8), Array("[*M".utf8)] {
      let raw = ArrayInput(bytes, name: "a", cancellation: Cancellation())
      #expect(try !drain(ByteInput(raw, zstdPaths: [])).isEmpty)
    }
  }

  @Test(.enabled(if: Zstd.isThere, "the library libzstd.so.1 is not installed"))
  func `the first library that is there is taken`() throws {
    let raw = ArrayInput(try Zstd.frame([1, 2, 3]), name: "a", cancellation: Cancellation())
    #expect(try drain(ByteInput(raw, zstdPaths: ["libnothing.so.1"] + ZstdLibrary.systemPaths)) == [1, 2, 3])
  }
}

/// The program that makes frames.
enum Zstd {
  static let isThere = ZstdLibrary.at(ZstdLibrary.systemPaths) != nil && (try? frame([])) != nil

  static func frame(_ bytes: [UInt8], _ options: String...) throws -> [UInt8] { try frame(bytes, options) }

  /// One frame with a checksum, if the options do not say otherwise.
  static func frame(_ bytes: [UInt8], _ options: [String]) throws -> [UInt8] {
    try withDirectory { directory in
      let path = try write(bytes, to: "\(directory)/bytes")
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["zstd", "-q", "-f"] + options + [path, "-o", "\(path).zst"]
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
      return try Array(Data(contentsOf: URL(filePath: "\(path).zst")))
    }
  }
}
