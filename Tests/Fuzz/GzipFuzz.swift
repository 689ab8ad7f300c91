import CZlib
import Foundation

@testable import ImportInput

/// Any bytes as a gzip input, and gzip made of them: whole and in pieces it gives the same bytes or the same error, and it is
/// good just where plain zlib says so, member by member.
enum GzipFuzz {
  static func run(_ bytes: [UInt8]) {
    var choices = Choices(bytes)
    let (kind, size) = (choices.byte(), choices.byte() + 1)
    let input = kind & 1 == 0 ? choices.take(bytes.count) : made(&choices)
    let whole = CompressedOutcome(input, pieces: [.max], room: 1 << 16)
    let parts = CompressedOutcome(
      input, pieces: [size, 1, kind >> 2, 4000], room: kind & 2 == 0 ? size * 16 : 1 << 16)
    guard whole == parts else { fault("whole: \(whole)\nin pieces: \(parts)\nof \(input)") }
    guard input.starts(with: [0x1f, 0x8b]) else { return }
    let plain = inflated(input)
    let isGood = whole.error == nil || whole.error?.hasPrefix("empty") == true
    guard isGood == (plain != nil), plain.map({ $0 == whole.bytes }) ?? true else {
      fault("read: \(whole)\nzlib: \(plain.map { "\($0)" } ?? "refused")\nof \(input)")
    }
  }

  // MARK: zlib's own

  /// Members as the input says, and what may be wrong with them.
  private static func made(_ choices: inout Choices) -> [UInt8] {
    var made: [UInt8] = []
    while !choices.isEmpty, made.count < 1 << 12 {
      switch choices.byte() % 8 {
      case 0, 1:
        let level = CInt(choices.byte() % 10)
        made += member(choices.take(choices.byte()), level: level, header: 0)
      case 2:
        let count = choices.number() % 20_000
        made += member([UInt8](repeating: UInt8(choices.byte()), count: count), level: 9, header: 0)
      case 3:
        let header = choices.byte()
        made += member(choices.take(choices.byte() % 16), level: 1, header: header)
      case 4: made += [UInt8](repeating: 0, count: choices.byte())
      case 5: made += choices.take(choices.byte() % 16)
      case 6 where !made.isEmpty:
        made[choices.number() % made.count] ^= 1 << UInt8(choices.byte() % 8)
      default: made.removeLast(min(made.count, choices.byte() % 32))
      }
    }
    return made
  }

  /// - Parameter header: which of its optional parts the header has.
  private static func member(_ bytes: [UInt8], level: CInt, header: Int) -> [UInt8] {
    var stream = z_stream()
    let size = CInt(MemoryLayout<z_stream>.size)
    deflateInit2_(&stream, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    defer { deflateEnd(&stream) }
    var (name, comment, extra) = (
      Array("name\0".utf8), Array("comment\0".utf8), [UInt8](repeating: 7, count: 9)
    )
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))) + 64)
    var input = bytes
    name.withUnsafeMutableBufferPointer { name in
      comment.withUnsafeMutableBufferPointer { comment in
        extra.withUnsafeMutableBufferPointer { extra in
          var fields = gz_header()
          if header & 1 != 0 { fields.name = name.baseAddress }
          if header & 2 != 0 { fields.comment = comment.baseAddress }
          if header & 4 != 0 { (fields.extra, fields.extra_len) = (extra.baseAddress, uInt(extra.count)) }
          fields.hcrc = header & 8 != 0 ? 1 : 0
          if header != 0 { deflateSetHeader(&stream, &fields) }
          input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
              (stream.next_in, stream.avail_in) = (input.baseAddress, uInt(input.count))
              (stream.next_out, stream.avail_out) = (output.baseAddress, uInt(output.count))
              deflate(&stream, Z_FINISH)
            }
          }
        }
      }
    }
    return Array(output[..<(output.count - Int(stream.avail_out))])
  }

  /// All members, with zeros between and behind them; nil where zlib refuses one, or something else follows.
  private static func inflated(_ input: [UInt8]) -> [UInt8]? {
    var rest = input[...]
    var all: [UInt8] = []
    while true {
      rest = rest.drop { $0 == 0 }
      if rest.isEmpty { return all }
      guard let (bytes, used) = inflatedMember(Array(rest)) else { return nil }
      all += bytes
      rest = rest.dropFirst(used)
    }
  }

  private static func inflatedMember(_ input: [UInt8]) -> (bytes: [UInt8], used: Int)? {
    var stream = z_stream()
    inflateInit2_(&stream, MAX_WBITS + 16, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
    defer { inflateEnd(&stream) }
    var (input, all) = (input, [UInt8]())
    var room = [UInt8](repeating: 0, count: 1 << 16)
    return input.withUnsafeMutableBufferPointer { input in
      (stream.next_in, stream.avail_in) = (input.baseAddress, uInt(input.count))
      while true {
        let result = room.withUnsafeMutableBufferPointer { room in
          (stream.next_out, stream.avail_out) = (room.baseAddress, uInt(room.count))
          return inflate(&stream, Z_NO_FLUSH)
        }
        all += room[..<(room.count - Int(stream.avail_out))]
        if result == Z_STREAM_END { return (all, input.count - Int(stream.avail_in)) }
        guard result == Z_OK else { return nil }
      }
    }
  }
}
