import ArgumentParser
import Bolide
import Foundation

/// A command that gets something on its standard input, and whose exit status says whether it took it. Without a command,
/// standard output gets it.
///
/// It starts with the first bytes: a command is not run for nothing.
final class FedCommand {
  private let words: [String]
  private let stop: ImportCancellation?
  private var process: Process?
  /// The end that is written.
  private var input: Int32?

  /// - Parameter stop: ends writing to standard output, where nobody may read.
  init(_ words: [String], until stop: ImportCancellation? = nil) {
    self.words = words
    self.stop = stop
  }

  /// Gives the command bytes. One that has closed its input gets no more; its status will say what it thought.
  func write(_ bytes: [UInt8]) throws {
    if words.isEmpty {
      return try stop.map { try StandardOutput.write(bytes, until: $0) } ?? StandardOutput.write(bytes)
    }
    if process == nil { try start() }
    guard let input else { return }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Foundation.write(input, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EPIPE { return closeInput() }
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
    closeInput()
    process.waitUntilExit()
    let status = process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
    guard status == 0 else { throw ExitCode(status) }
  }

  deinit { closeInput() }

  /// The descriptor is closed whatever the system says, and all bytes were taken before.
  private func closeInput() {
    if let input { close(input) }
    input = nil
  }

  private func start() throws {
    guard let program = Self.path(of: words[0]) else {
      Failure.notFound(words[0]).printToStandardError()
      throw ExitCode(127)
    }
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = Array(words.dropFirst())
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw Failure.cannotStart(words[0]) }
    // The command has the first end as its standard input, and neither besides.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    process.standardInput = FileHandle(fileDescriptor: ends[0], closeOnDealloc: false)
    // The command's own pipes and files end as they would without us.
    let ignored = [SIGPIPE, SIGXFSZ]
    for number in ignored { signal(number, SIG_DFL) }
    defer { for number in ignored { signal(number, SIG_IGN) } }
    do {
      try process.run()
    } catch {
      close(ends[1])
      throw Failure.cannotStart(words[0])
    }
    self.process = process
    input = ends[1]
  }

  /// Finds a command as a shell would: a name with a slash is a path, any other stands in a folder of `PATH`.
  private static func path(of name: String) -> String? {
    if name.utf8.contains(UInt8(ascii: "/")) { return isProgram(name) ? name : nil }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").utf8
    return folders.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).lazy
      .map { $0.isEmpty ? "./\(name)" : String(decoding: $0, as: UTF8.self) + "/\(name)" }
      .first(where: isProgram)
  }

  private static func isProgram(_ path: String) -> Bool {
    var status = stat()
    let isFile = unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    return isFile && FileManager.default.isExecutableFile(atPath: path)
  }
}
