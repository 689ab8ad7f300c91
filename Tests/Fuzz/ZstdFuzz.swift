import Foundation

@testable import ImportInput

/// Any bytes as a zstd input, and zstd made of them: whole and in pieces it gives the same bytes or the same error, and it is
/// good just where zstd itself takes all of it at once, but for what needs more memory than an input gets.
struct ZstdFuzz {
  private typealias Compress =
    @convention(c) (UnsafeMutableRawPointer, Int, UnsafeRawPointer?, Int, CInt) -> Int
  private typealias Decompress =
    @convention(c) (UnsafeMutableRawPointer, Int, UnsafeRawPointer?, Int) -> Int
  private typealias IsError = @convention(c) (Int) -> CUnsignedInt

  private let compress: Compress
  private let decompress: Decompress
  private let isError: IsError
  /// What an input may unfold to that is held against zstd.
  private static let size = 1 << 25
  private let room = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 1)

  init() {
    guard let path = ZstdLibrary.systemPaths.first(where: { dlopen($0, RTLD_NOW) != nil }),
      let handle = dlopen(path, RTLD_NOW), let compress = dlsym(handle, "ZSTD_compress"),
      let decompress = dlsym(handle, "ZSTD_decompress"), let isError = dlsym(handle, "ZSTD_isError")
    else { fatalError("libzstd.so.1 is not installed") }
    self.compress = unsafeBitCast(compress, to: Compress.self)
    self.decompress = unsafeBitCast(decompress, to: Decompress.self)
    self.isError = unsafeBitCast(isError, to: IsError.self)
  }

  func run(_ bytes: [UInt8]) {
    var choices = Choices(bytes)
    let (kind, size) = (choices.byte(), choices.byte() + 1)
    let input = kind & 1 == 0 ? choices.take(bytes.count) : made(&choices)
    let whole = CompressedOutcome(input, pieces: [.max], room: 1 << 16)
    let parts = CompressedOutcome(
      input, pieces: [size, 1, kind >> 2, 4000], room: kind & 2 == 0 ? size * 16 : 1 << 16)
    // A block that is not compressed comes as it arrives. Where it is the last, and the frame's size then wrong, the part that
    // arrived last is lost.
    let isCorrupt = whole.error?.hasPrefix("zstdCorrupt") == true && whole.error == parts.error
    let isAlike = whole == parts || isCorrupt && begins(whole.bytes, parts.bytes)
    guard isAlike else { fault("whole: \(whole)\nin pieces: \(parts)\nof \(input)") }
    guard Content.zstdMagics.contains(where: { input.starts(with: $0) }), whole.bytes.count < Self.size,
      whole.error?.contains("more than 128 MiB") != true
    else { return }
    let plain = decompressed(input)
    let isGood = whole.error == nil || whole.error?.hasPrefix("empty") == true
    // A compressed block of no bytes is no block; in a stream zstd takes it for an empty one.
    if plain == nil, input.contains([4, 0, 0]) || input.contains([5, 0, 0]) { return }
    guard isGood == (plain != nil), plain.map({ $0 == whole.bytes }) ?? true else {
      fault("read: \(whole)\nzstd: \(plain.map { "\($0)" } ?? "refused")\nof \(input)")
    }
  }

  private func begins(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.count < other.count ? other.starts(with: one) : one.starts(with: other)
  }

  /// Frames as the input says, and what may be wrong with them.
  private func made(_ choices: inout Choices) -> [UInt8] {
    var made: [UInt8] = []
    while !choices.isEmpty, made.count < 1 << 12 {
      switch choices.byte() % 8 {
      case 0, 1:
        let level = CInt(choices.byte() % 19)
        made += frame(choices.take(choices.byte()), level)
      case 2:
        let count = choices.number() * 4
        made += frame([UInt8](repeating: UInt8(choices.byte()), count: count), 1)
      case 3:
        let count = UInt8(choices.byte() % 16)
        made += [0x50 + count, 0x2a, 0x4d, 0x18, count, 0, 0, 0] + choices.take(Int(count))
      case 4: made += choices.take(choices.byte() % 16)
      case 5, 6:
        guard !made.isEmpty else { continue }
        made[choices.number() % made.count] ^= 1 << UInt8(choices.byte() % 8)
      default: made.removeLast(min(made.count, choices.byte() % 32))
      }
    }
    return made
  }

  private func frame(_ bytes: [UInt8], _ level: CInt) -> [UInt8] {
    taken(bytes.withUnsafeBytes { compress(room, Self.size, $0.baseAddress, $0.count, level) })
  }

  /// All frames; nil where zstd refuses one, or something else follows.
  private func decompressed(_ input: [UInt8]) -> [UInt8]? {
    let count = input.withUnsafeBytes { decompress(room, Self.size, $0.baseAddress, $0.count) }
    return isError(count) == 0 ? taken(count) : nil
  }

  private func taken(_ count: Int) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: room, count: count))
  }
}
