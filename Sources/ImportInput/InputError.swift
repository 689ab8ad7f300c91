/// Why an input cannot be read: a code for programs, a sentence for people, a hint what to do next.
package struct InputError: Error, Sendable {
  /// What went wrong, without its particulars.
  package enum Code: String, Sendable, CaseIterable {
    case noSuchFile, isDirectory, permissionDenied, cannotRead, isTerminal
    /// Not one byte came, or compressed data of nothing.
    case empty
    case gzipTruncated, gzipChecksum, gzipLength, gzipCorrupt, gzipTrailingData
    case zstdTruncated, zstdChecksum, zstdCorrupt, zstdTrailingData
    /// zstd data that needs more memory than an input gets, or a dictionary.
    case zstdUnsupported
    /// zstd data, and the system has no library for it.
    case zstdMissing
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
/// A `byte` is the number of raw bytes (compressed ones, if they are) before the place; `InputMessages.swift`
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
  case emptyData(Compression)
  case truncated(Compression, byte: Int64)
  case wrongChecksum(Compression, member: Int64)
  /// Of gzip.
  case wrongLength(member: Int64)
  case corrupt(byte: Int64)
  /// Of zstd, whose library does not tell the place.
  case corruptMember(member: Int64)
  case largeWindow(member: Int64, isStdin: Bool)
  case dictionary(member: Int64)
  case trailingData(Compression, byte: Int64)
  case noZstdLibrary(isStdin: Bool)
  case otherCompression(Compression, isStdin: Bool)
  case senderFailed(any Error, byte: Int64)
  case cancelled(byte: Int64)
  case cannotSpool(directory: String, reason: String)
  case cannotReadSpool(reason: String)
}

/// Compressions that are recognised: the first two are unpacked, the others refused by name.
enum Compression: String, Sendable, CaseIterable {
  case gzip, zstd, bzip2, xz, zip
}
