/// What an input holds, found from its first bytes and never from its name.
enum Content: Equatable {
  case plain
  case compressed(Compression)

  /// What it is that begins with these bytes.
  ///
  /// Nil: more bytes are needed to know. With `isAll` no more will come, and the answer is certain.
  static func of(_ start: UnsafeRawBufferPointer, isAll: Bool) -> Content? {
    for (magic, content) in magics {
      if start.starts(with: magic) { return content }
      let isCut = start.count < magic.count && magic.starts(with: start)
      if isCut && !isAll { return nil }
    }
    // No text starts with this byte, so it is a gzip of which one byte came.
    return start.first == 0x1f ? .compressed(.gzip) : .plain
  }

  /// The first bytes of zstd's frames, and of its frames to be skipped, which may come first.
  static let zstdMagics: [[UInt8]] =
    [[0x28, 0xb5, 0x2f, 0xfd]] + (0x50...0x5f).map { [$0, 0x2a, 0x4d, 0x18] }

  private static let magics: [([UInt8], Content)] =
    [
      ([0x1f, 0x8b], .compressed(.gzip)),
      (Array("BZh".utf8), .compressed(.bzip2)),
      ([0xfd] + Array("7zXZ".utf8) + [0x00], .compressed(.xz)),
      (Array("PK".utf8) + [0x03, 0x04], .compressed(.zip)),
      (Array("PK".utf8) + [0x05, 0x06], .compressed(.zip)),
    ] + zstdMagics.map { ($0, .compressed(.zstd)) }
}
