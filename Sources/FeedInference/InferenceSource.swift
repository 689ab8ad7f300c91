internal import ImportInput

/// An input that can be read more than once: a file is opened again, a pipe's bytes are kept on disk.
struct InferenceSource {
  private enum Copy {
    case source(ByteInput.Source)
    case spool(Spool)
  }

  /// The input's name, as messages say it.
  let name: String
  /// Whether it is the process's standard input.
  let isStdin: Bool
  private let copy: Copy
  private let cancellation: Cancellation

  private static let pieceSize = 256 * 1024

  /// Opens the input, and reads all of it to disk when it cannot be opened twice.
  init(_ source: ByteInput.Source, label: String? = nil, cancellation: Cancellation) throws {
    let input = try ByteInput(source, label: label, cancellation: cancellation)
    self.cancellation = cancellation
    name = input.name
    isStdin = if case .path("-") = source { true } else { false }
    if isStdin || input.totalBytes == nil {
      copy = .spool(try Self.spool(input))
    } else {
      copy = .source(source)
    }
  }

  /// The input from its first byte.
  func open() throws -> ByteInput {
    switch copy {
    case .source(let source): try ByteInput(source, label: name, cancellation: cancellation)
    case .spool(let spool): try ByteInput(rereading: spool, name: name, cancellation: cancellation)
    }
  }

  /// The bytes before the first line break, without a byte order mark; of a long line, the first ones.
  func firstLine() throws -> [UInt8] {
    let input = try open()
    var line = [UInt8](repeating: 0, count: Self.longestLine)
    var count = 0
    while count < line.count,
      !line[..<count].contains(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
    {
      let read = try line[count...].withUnsafeMutableBytes { try input.read(into: $0, until: nil) }
      guard case .bytes(let more) = read else { break }
      count += more
    }
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let text = line[..<count].starts(with: mark) ? line[mark.count..<count] : line[..<count]
    return Array(text.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
  }

  private static let longestLine = 64 * 1024

  /// Whether the input's name says that it is CSV or TSV.
  var isNamedAsDelimited: Bool {
    let parts = name.lowercased().split(separator: ".").suffix(2)
    return parts.contains("csv") || parts.contains("tsv")
  }

  private static func spool(_ input: ByteInput) throws -> Spool {
    let spool = try Spool(for: input.name)
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 64)
    defer { piece.deallocate() }
    while case .bytes(let count) = try input.read(into: piece, until: nil) {
      try spool.append(UnsafeRawBufferPointer(rebasing: piece[..<count]))
    }
    return spool
  }
}
