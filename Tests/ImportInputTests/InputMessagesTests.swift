import Testing

@testable import ImportInput

@Suite struct InputMessageTests {
  private struct Refused: Error, CustomStringConvertible {
    let description = "connection reset"
  }

  private struct Message {
    let fact: Fact
    let code: InputError.Code
    let message: String
    let hint: String
  }

  private let again = "Fetch the file again and run the same command: no row is duplicated."
  private let disk =
    "Check the disk or the network share, then run the same command again: no row is duplicated."

  private var sentences: [Message] {
    [
      Message(
        fact: .noSuchFile, code: .noSuchFile, message: "a.json: no such file",
        hint: "Check the path; a relative path starts at the working directory."),
      Message(
        fact: .isDirectory, code: .isDirectory, message: "a.json: this is a directory; expected a file",
        hint: "Name the files in it."),
      Message(
        fact: .permissionDenied, code: .permissionDenied, message: "a.json: permission denied",
        hint: "Give this user read permission, or run the command as another user."),
      Message(
        fact: .cannotOpen(reason: "Too many open files"), code: .cannotRead,
        message: "a.json: cannot be opened: Too many open files", hint: disk),
      Message(
        fact: .cannotRead(byte: 512, reason: "Input/output error"), code: .cannotRead,
        message: "a.json: cannot be read after byte 512: Input/output error", hint: disk),
      Message(
        fact: .isTerminal, code: .isTerminal,
        message: "a.json: this is a terminal; expected a pipe or a file",
        hint: "Use a file, or pipe the feed into standard input."),
      Message(
        fact: .silentStdin, code: .empty,
        message: "a.json: the input is empty; did the command before the pipe fail?",
        hint: "Run the command before the pipe by itself, and check its exit status."),
      Message(
        fact: .emptyFile, code: .empty, message: "a.json: the file is empty", hint: "Fetch the file again."),
      Message(
        fact: .silentStream, code: .empty, message: "a.json: the input is empty",
        hint: "Check the sender of the stream."),
      Message(
        fact: .emptyData(.gzip), code: .empty, message: "a.json: the gzip data is empty",
        hint: "Fetch the file again."),
      Message(
        fact: .truncated(.gzip, byte: 5_376), code: .gzipTruncated,
        message: "a.json: the gzip data is truncated after byte 5376", hint: again),
      Message(
        fact: .wrongChecksum(.gzip, member: 0), code: .gzipChecksum,
        message: "a.json: the checksum of the gzip data that begins at byte 0 is wrong",
        hint: again),
      Message(
        fact: .wrongLength(member: 77), code: .gzipLength,
        message: "a.json: the length of the gzip data that begins at byte 77 is wrong",
        hint: again),
      Message(
        fact: .corrupt(byte: 12), code: .gzipCorrupt,
        message: "a.json: the gzip data is corrupt at byte 12", hint: again),
      Message(
        fact: .trailingData(.gzip, byte: 99), code: .gzipTrailingData,
        message: "a.json: the gzip data ends at byte 99, and other data follows",
        hint: "Fetch the file again, or cut off what follows the gzip data."),
      Message(
        fact: .emptyData(.zstd), code: .empty, message: "a.json: the zstd data is empty",
        hint: "Fetch the file again."),
      Message(
        fact: .truncated(.zstd, byte: 5), code: .zstdTruncated,
        message: "a.json: the zstd data is truncated after byte 5", hint: again),
      Message(
        fact: .wrongChecksum(.zstd, member: 7), code: .zstdChecksum,
        message: "a.json: the checksum of the zstd data that begins at byte 7 is wrong", hint: again),
      Message(
        fact: .corruptMember(member: 7), code: .zstdCorrupt,
        message: "a.json: the zstd data that begins at byte 7 is corrupt", hint: again),
      Message(
        fact: .trailingData(.zstd, byte: 99), code: .zstdTrailingData,
        message: "a.json: the zstd data ends at byte 99, and other data follows",
        hint: "Fetch the file again, or cut off what follows the zstd data."),
      Message(
        fact: .largeWindow(member: 0, isStdin: false), code: .zstdUnsupported,
        message: "a.json: the zstd data that begins at byte 0 needs more than 128 MiB of memory",
        hint: "Unpack it first: zstd -dc --long=31 FILE"),
      Message(
        fact: .largeWindow(member: 0, isStdin: true), code: .zstdUnsupported,
        message: "a.json: the zstd data that begins at byte 0 needs more than 128 MiB of memory",
        hint: "Unpack it on the way in: … | zstd -dc --long=31 | …"),
      Message(
        fact: .dictionary(member: 0), code: .zstdUnsupported,
        message: "a.json: the zstd data that begins at byte 0 needs a dictionary",
        hint: "Unpack it first: zstd -dc -D DICTIONARY FILE"),
      Message(
        fact: .noZstdLibrary(isStdin: false), code: .zstdMissing,
        message: "a.json: this is zstd data, and the library libzstd.so.1 is not installed",
        hint: "Install the package libzstd1, or unpack the file: zstd -dc FILE | bolide import PIPELINE -"),
      Message(
        fact: .noZstdLibrary(isStdin: true), code: .zstdMissing,
        message: "a.json: this is zstd data, and the library libzstd.so.1 is not installed",
        hint:
          "Install the package libzstd1, or unpack the data on the way in: … | zstd -dc | bolide import …"),
      Message(
        fact: .senderFailed(Refused(), byte: 3), code: .senderFailed,
        message: "a.json: the sender failed after byte 3: connection reset",
        hint: "Fix the sender, and run the import again: no row is duplicated."),
      Message(
        fact: .cancelled(byte: 9), code: .cancelled, message: "a.json: cancelled after byte 9",
        hint: "Run the same command again: no row is duplicated."),
      Message(
        fact: .cannotSpool(directory: "/tmp", reason: "No space left on device"), code: .cannotSpool,
        message: "a.json: the spool file in /tmp cannot be written: No space left on device",
        hint: "Free some space there, or set TMPDIR to a directory that has room."),
      Message(
        fact: .cannotReadSpool(reason: "Input/output error"), code: .cannotSpool,
        message: "a.json: the spool file cannot be read: Input/output error", hint: disk),
    ]
  }

  @Test func `every sentence reads as it should`() {
    for sentence in sentences {
      let error = InputError(sentence.fact, input: "a.json")
      #expect(error.code == sentence.code)
      #expect(error.message == sentence.message)
      #expect(error.hint == sentence.hint)
      #expect("\(error)" == "\(sentence.message)\n\(sentence.hint)")
    }
  }

  @Test(arguments: [
    (Compression.bzip2, "bzip2 -dc", "bzip2 -dc"),
    (.xz, "xz -dc", "xz -dc"),
    (.zip, "unzip -p", "funzip"),
  ])
  func `another compression comes with the command that unpacks it`(
    compression: Compression, file: String, stdin: String
  ) {
    let fromFile = InputError(.otherCompression(compression, isStdin: false), input: "a.json")
    #expect(fromFile.code == .otherCompression)
    #expect(fromFile.message == "a.json: this is \(compression) data; expected plain text, gzip or zstd")
    #expect(fromFile.hint == "Unpack it first: \(file) FILE")
    let fromStdin = InputError(.otherCompression(compression, isStdin: true), input: "stdin")
    #expect(fromStdin.message == "stdin: this is \(compression) data; expected plain text, gzip or zstd")
    #expect(fromStdin.hint == "Unpack it on the way in: … | \(stdin) | …")
  }

  @Test func `every code has a sentence here`() {
    let tested = Set(sentences.map(\.code)).union([.otherCompression])
    #expect(tested == Set(InputError.Code.allCases))
  }
}
