import ArgumentParser
import Foundation

/// A command that gets something on its standard input, and whose exit status says whether it took it. Without a command,
/// standard output gets it.
///
/// It starts with the first bytes: a command is not run for nothing.
final class FedCommand {
  private let words: [String]
  private var process: Process?
  private var input: FileHandle?

  init(_ words: [String]) {
    self.words = words
  }

  /// Gives the command bytes. One that has closed its input gets no more; its status will say what it thought.
  func write(_ bytes: [UInt8]) throws {
    if words.isEmpty { return try StandardOutput.write(bytes) }
    if process == nil { try start() }
    guard let input else { return }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Foundation.write(input.fileDescriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EPIPE { return try close() }
      if count < 0 {
        let reason = unsafe String(cString: strerror(errno))
        throw Failure.cannotWrite("the command's input", reason)
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Ends the command's input and waits for its end.
  ///
  /// - Throws: its status unless that is 0; for a command that a signal ended, 128 and the signal's number.
  func finish() throws {
    guard let process else { return }
    try close()
    process.waitUntilExit()
    let status = process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
    guard status == 0 else { throw ExitCode(status) }
  }

  private func close() throws {
    try input?.close()
    input = nil
  }

  private func start() throws {
    let process = Process()
    // Finds the command as a shell would, and ends with 127 when there is none.
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["--"] + words
    let pipe = Pipe()
    _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    process.standardInput = pipe
    // The command's own pipes end as they would without us.
    signal(SIGPIPE, SIG_DFL)
    defer { signal(SIGPIPE, SIG_IGN) }
    do {
      try process.run()
    } catch {
      throw Failure.cannotStart(words[0])
    }
    self.process = process
    input = pipe.fileHandleForWriting
  }
}
