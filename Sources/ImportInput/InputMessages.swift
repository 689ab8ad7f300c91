// Every sentence of this module stands here, and each has a test that holds it word for word.

extension InputError: CustomStringConvertible {
  /// What happened, for programs.
  package var code: Code {
    switch fact {
    case .noSuchFile: .noSuchFile
    case .isDirectory: .isDirectory
    case .permissionDenied: .permissionDenied
    case .cannotOpen, .cannotRead: .cannotRead
    case .isTerminal: .isTerminal
    case .silentStdin, .emptyFile, .silentStream, .emptyData: .empty
    case .truncated(let compression, _): compression == .zstd ? .zstdTruncated : .gzipTruncated
    case .wrongChecksum(let compression, _): compression == .zstd ? .zstdChecksum : .gzipChecksum
    case .wrongLength: .gzipLength
    case .corrupt: .gzipCorrupt
    case .corruptMember: .zstdCorrupt
    case .largeWindow, .dictionary: .zstdUnsupported
    case .trailingData(let compression, _): compression == .zstd ? .zstdTrailingData : .gzipTrailingData
    case .noZstdLibrary: .zstdMissing
    case .otherCompression: .otherCompression
    case .senderFailed: .senderFailed
    case .cancelled: .cancelled
    case .cannotSpool, .cannotReadSpool: .cannotSpool
    }
  }

  /// What happened, for people: one sentence that names the input, and the byte where there is one. No full stop.
  package var message: String {
    switch fact {
    case .noSuchFile: "\(input): no such file"
    case .isDirectory: "\(input): this is a directory; expected a file"
    case .permissionDenied: "\(input): permission denied"
    case .cannotOpen(let reason): "\(input): cannot be opened: \(reason)"
    case .cannotRead(let byte, let reason): "\(input): cannot be read after byte \(byte): \(reason)"
    case .isTerminal: "\(input): this is a terminal; expected a pipe or a file"
    case .silentStdin: "\(input): the input is empty; did the command before the pipe fail?"
    case .emptyFile: "\(input): the file is empty"
    case .silentStream: "\(input): the input is empty"
    case .emptyData(let compression): "\(input): the \(compression) data is empty"
    case .truncated(let compression, let byte):
      "\(input): the \(compression) data is truncated after byte \(byte)"
    case .wrongChecksum(let compression, let member):
      "\(input): the checksum of the \(compression) data that begins at byte \(member) is wrong"
    case .wrongLength(let member):
      "\(input): the length of the gzip data that begins at byte \(member) is wrong"
    case .corrupt(let byte): "\(input): the gzip data is corrupt at byte \(byte)"
    case .corruptMember(let member): "\(input): the zstd data that begins at byte \(member) is corrupt"
    case .largeWindow(let member, _):
      "\(input): the zstd data that begins at byte \(member) needs more than 128 MiB of memory"
    case .dictionary(let member):
      "\(input): the zstd data that begins at byte \(member) needs a dictionary"
    case .trailingData(let compression, let byte):
      "\(input): the \(compression) data ends at byte \(byte), and other data follows"
    case .noZstdLibrary: "\(input): this is zstd data, and the library libzstd.so.1 is not installed"
    case .otherCompression(let compression, _):
      "\(input): this is \(compression) data; expected plain text, gzip or zstd"
    case .senderFailed(let error, let byte): "\(input): the sender failed after byte \(byte): \(error)"
    case .cancelled(let byte): "\(input): cancelled after byte \(byte)"
    case .cannotSpool(let directory, let reason):
      "\(input): the spool file in \(directory) cannot be written: \(reason)"
    case .cannotReadSpool(let reason): "\(input): the spool file cannot be read: \(reason)"
    }
  }

  /// What to do next.
  package var hint: String {
    switch fact {
    case .noSuchFile: "Check the path; a relative path starts at the working directory."
    case .isDirectory: "Name the files in it."
    case .permissionDenied: "Give this user read permission, or run the command as another user."
    case .cannotOpen, .cannotRead, .cannotReadSpool:
      "Check the disk or the network share, then run the same command again: no row is duplicated."
    case .isTerminal: "Use a file, or pipe the feed into standard input."
    case .silentStdin: "Run the command before the pipe by itself, and check its exit status."
    case .emptyFile, .emptyData: "Fetch the file again."
    case .silentStream: "Check the sender of the stream."
    case .truncated, .wrongChecksum, .wrongLength, .corrupt, .corruptMember:
      "Fetch the file again and run the same command: no row is duplicated."
    case .trailingData(let compression, _):
      "Fetch the file again, or cut off what follows the \(compression) data."
    case .largeWindow(_, let isStdin): Self.unpackHint("zstd -dc --long=31", isStdin: isStdin)
    case .dictionary: "Unpack it first: zstd -dc -D DICTIONARY FILE"
    case .noZstdLibrary(let isStdin):
      isStdin
        ? "Install the package libzstd1, or unpack the data on the way in: … | zstd -dc | bolide import …"
        : "Install the package libzstd1, or unpack the file: zstd -dc FILE | bolide import PIPELINE -"
    case .otherCompression(let compression, let isStdin): Self.unpackHint(compression, isStdin: isStdin)
    case .senderFailed: "Fix the sender, and run the import again: no row is duplicated."
    case .cancelled: "Run the same command again: no row is duplicated."
    case .cannotSpool: "Free some space there, or set TMPDIR to a directory that has room."
    }
  }

  /// The message and the hint on two lines.
  package var description: String { "\(message)\n\(hint)" }

  private static func unpackHint(_ compression: Compression, isStdin: Bool) -> String {
    let filter =
      switch compression {
      case .zip: isStdin ? "funzip" : "unzip -p"
      case .gzip, .zstd, .bzip2, .xz: "\(compression) -dc"
      }
    return unpackHint(filter, isStdin: isStdin)
  }

  private static func unpackHint(_ filter: String, isStdin: Bool) -> String {
    isStdin
      ? "Unpack it on the way in: … | \(filter) | …" : "Unpack it first: \(filter) FILE"
  }
}
