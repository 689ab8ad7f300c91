/// Why an input cannot be read: a code for programs, a sentence for people, a hint what to do next.
package struct InputError: Error, Sendable {
  /// What went wrong, without its particulars.
  package enum Code: String, Sendable, CaseIterable {
    case noSuchFile, isDirectory, permissionDenied, cannotRead, isTerminal
    /// Not one byte came, or a gzip of nothing.
    case empty
    case gzipTruncated, gzipChecksum, gzipLength, gzipCorrupt, gzipTrailingData
    case otherCompression
    /// The sending side of a `BytePipe` ended with an error.
    case senderFailed
    case cancelled
    /// The temporary file for rows that come before their names.
    case cannotSpool
  }

  /// The input's name as messages say it: the path as given, "stdin", or a label.
  package let input: String
  let fact: Fact

  init(_ fact: Fact, input: String) {
    self.fact = fact
    self.input = input
  }

  /// What the sender of a `BytePipe` gave as the reason, for callers that know its type.
  var underlying: (any Error)? {
    if case .senderFailed(let error, _) = fact { error } else { nil }
  }
}

/// What went wrong, with its particulars.
///
/// A `byte` is the number of raw bytes (compressed ones, for gzip) before the place; `InputSentences.swift`
/// puts the facts into words.
enum Fact: Sendable {
  case noSuchFile
  case isDirectory
  case permissionDenied
  case cannotOpen(reason: String)
  case cannotRead(byte: Int64, reason: String)
  case isTerminal
  case silentStdin
  case emptyFile
  case silentStream
  case emptyGzip
  case gzipTruncated(byte: Int64)
  case gzipChecksum(member: Int64)
  case gzipLength(member: Int64)
  case gzipCorrupt(byte: Int64)
  case gzipTrailingData(byte: Int64)
  case otherCompression(Compression, isStdin: Bool)
  case senderFailed(any Error, byte: Int64)
  case cancelled(byte: Int64)
  case cannotSpool(directory: String, reason: String)
  case cannotReadSpool(reason: String)
}

/// Compressions that are recognised in order to be refused by name.
enum Compression: String, Sendable, CaseIterable {
  case zstd, bzip2, xz, zip
}
