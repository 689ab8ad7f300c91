import CZlib
import Testing

@testable import ImportInput

@Suite struct GunzipTests {
  private let one = sample(5_000)
  private let two = sample(300)

  @Test(arguments: [1, 13, 64 * 1024])
  func `members one after another are one input`(size: Int) throws {
    let members = try gzip(one) + gzip([]) + gzip(two) + gzip([])
    #expect(try drain(members, size: size) == one + two)
  }

  @Test func `an empty member may come first`() throws {
    #expect(try drain(gzip([]) + gzip(one)) == one)
  }

  @Test func `a thousand members are one input`() throws {
    let member = try gzip(two)
    let all = try drain(Array(repeatElement(member, count: 1_000).joined()))
    #expect(all == Array(repeatElement(two, count: 1_000).joined()))
  }

  @Test func `zeros after the last member are padding`() throws {
    for count in [1, 2, 511, 300_000] {
      #expect(try drain(gzip(one) + Array(repeating: 0, count: count)) == one)
    }
  }

  @Test func `a member after padding counts`() throws {
    #expect(try drain(gzip(one) + [0, 0, 0] + gzip(two)) == one + two)
  }

  @Test func `a gzip cut at any byte is an error`() throws {
    let whole = try gzip(two)
    for count in whole.indices {
      let error = failure(of: Array(whole[..<count]))
      #expect(error?.code == (count == 0 ? .empty : .gzipTruncated), "cut after \(count) bytes")
      if count > 0 { #expect(error?.message == "bytes: the gzip data is truncated after byte \(count)") }
    }
  }

  @Test func `of a gzip that is cut all comes that was there, however much a read takes`() throws {
    let cut = try Array(gzip([UInt8](repeating: 0, count: 200_000), level: Z_BEST_COMPRESSION).dropLast(40))
    func count(size: Int) throws -> Int {
      let input = try ByteInput(.bytes(cut), cancellation: Cancellation())
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
      defer { buffer.deallocate() }
      var count = 0
      let error = #expect(throws: InputError.self) {
        while case .bytes(let more) = try input.read(into: buffer, until: nil) { count += more }
      }
      #expect(error?.code == .gzipTruncated)
      return count
    }
    let all = try count(size: 300_000)
    #expect(all > 100_000)
    for size in [1, 1000, 64 * 1024] { #expect(try count(size: size) == all) }
  }

  @Test func `a second member cut at any byte is an error, after the first one's bytes`() throws {
    let first = try gzip(one)
    let second = try gzip(two)
    for count in 1..<second.count {
      let input = try ByteInput(.bytes(first + second[..<count]), cancellation: Cancellation())
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: one.count, alignment: 1)
      defer { buffer.deallocate() }
      #expect(try input.read(into: buffer, until: nil) == .bytes(one.count))
      let error = #expect(throws: InputError.self) { try drain(input) }
      #expect(error?.code == .gzipTruncated, "cut after \(count) bytes of the second member")
    }
  }

  @Test func `every flipped bit of the checksum and of the length is found`() throws {
    let first = try gzip(one)
    let whole = try first + gzip(two)
    for bit in 0..<64 {
      var broken = whole
      broken[whole.count - 8 + bit / 8] ^= 1 << UInt8(bit % 8)
      let error = failure(of: broken)
      #expect(error?.code == (bit < 32 ? .gzipChecksum : .gzipLength))
      #expect(error?.message.contains("begins at byte \(first.count) ") == true)
    }
  }

  @Test func `no flipped bit of a gzip passes for another input`() throws {
    let whole = try gzip(two)
    for bit in 0..<whole.count * 8 {
      var broken = whole
      broken[bit / 8] ^= 1 << UInt8(bit % 8)
      // Time, system and the like in the header mean nothing; the first two bytes decide whether it is gzip.
      if bit >= 16, let bytes = try? drain(broken) { #expect(bytes == two, "bit \(bit)") }
    }
  }

  @Test func `corrupt data is found at its byte, after the bytes before it`() throws {
    // A block of a kind that deflate does not know.
    var broken = try gzip(one)
    broken[10] = 0x07
    #expect(failure(of: broken)?.message == "bytes: the gzip data is corrupt at byte 11")

    // The same for the second block of data that is only wrapped: the first block is good and comes out whole.
    broken = try gzip(sample(100_000), level: Z_NO_COMPRESSION)
    let length = Int(broken[11]) | Int(broken[12]) << 8
    broken[15 + length] = 0x07
    let input = try ByteInput(.bytes(broken), cancellation: Cancellation())
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100_000, alignment: 1)
    defer { buffer.deallocate() }
    #expect(try input.read(into: buffer, until: nil) == .bytes(length))
    #expect(Array(buffer.prefix(length)) == Array(sample(100_000)[..<length]))
    let error = #expect(throws: InputError.self) { try input.read(into: buffer, until: nil) }
    #expect(error?.message == "bytes: the gzip data is corrupt at byte \(16 + length)")

    // An unknown compression method: zlib says so once it has the first four bytes.
    var method = try gzip(one)
    method[2] = 7
    #expect(failure(of: method)?.message == "bytes: the gzip data is corrupt at byte 4")
  }

  @Test func `other data after the gzip is an error, also behind padding`() throws {
    let member = try gzip(one)
    let tails: [([UInt8], Int)] = [
      ([0x20], 0), (Array("{}".utf8), 0), ([0, 0, 0x7b], 2), ([0x1f, 0x8c, 0, 0], 0), ([0x1f, 0], 0),
    ]
    for (tail, offset) in tails {
      let place = member.count + offset
      #expect(
        failure(of: member + tail)?.message
          == "bytes: the gzip data ends at byte \(place), and other data follows")
    }
    // One byte that might be the start of a member is a cut.
    #expect(failure(of: member + [0x1f])?.code == .gzipTruncated)
  }
}
