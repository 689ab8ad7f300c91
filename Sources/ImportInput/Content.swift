/// What an input holds, found from its first bytes and never from its name.
enum Content: Equatable {
  case plain
  case gzip
  case other(Compression)

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
    return start.first == 0x1f ? .gzip : .plain
  }

  private static let magics: [([UInt8], Content)] = [
    ([0x1f, 0x8b], .gzip),
    ([0x28, 0xb5, 0x2f, 0xfd], .other(.zstd)),
    (Array("BZh".utf8), .other(.bzip2)),
    ([0xfd] + Array("7zXZ".utf8) + [0x00], .other(.xz)),
    (Array("PK".utf8) + [0x03, 0x04], .other(.zip)),
    (Array("PK".utf8) + [0x05, 0x06], .other(.zip)),
  ]
}
