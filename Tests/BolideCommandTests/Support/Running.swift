import Dispatch
import Foundation
import Testing

/// What a program finds on its standard input.
enum Input {
  /// The end of file, at once.
  case nothing
  /// No open descriptor at all.
  case closed
  /// A file of the folder.
  case file(String)
  /// Bytes through a pipe.
  case pipe(Data)
  /// A pipe that the test writes.
  case open
}

/// A program that runs. What it prints goes to files, so it never waits for a reader.
final class Running {
  private let process = Process()
  private let ended = DispatchSemaphore(value: 0)
  private let output: URL
  private let errors: URL
  private let standardInput: FileHandle?

  init(_ program: String, _ arguments: [String], in folder: Folder, input: Input) throws {
    let name = UUID().uuidString
    output = folder.url.appending(path: ".\(name).out")
    errors = folder.url.appending(path: ".\(name).err")
    for url in [output, errors] { try Data().write(to: url) }
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.currentDirectoryURL = folder.url
    // Closed as soon as the program has them: starting a program looks at every descriptor that is open.
    let handles = try [output, errors].map(FileHandle.init(forWritingTo:))
    (process.standardOutput, process.standardError) = (handles[0], handles[1])
    process.terminationHandler = { [ended] _ in ended.signal() }
    var bytes = Data()
    switch input {
    case .nothing:
      process.standardInput = FileHandle.nullDevice
      standardInput = nil
    case .closed:
      process.standardInput = FileHandle.nullDevice
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", #"exec "$0" "$@" <&-"#, program] + arguments
      standardInput = nil
    case .file(let file):
      process.standardInput = try FileHandle(forReadingFrom: folder.url.appending(path: file))
      standardInput = nil
    case .pipe(let data):
      bytes = data
      standardInput = Self.connect(process)
    case .open:
      standardInput = Self.connect(process)
    }
    try process.run()
    for handle in handles { try handle.close() }
    if !bytes.isEmpty { try write(bytes) }
    if case .pipe = input { try close() }
  }

  private static func connect(_ process: Process) -> FileHandle {
    // A program that ends early must not end the tests.
    signal(SIGPIPE, SIG_IGN)
    let pipe = Pipe()
    // Another program that starts at the same time must not keep this end open.
    _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    process.standardInput = pipe
    return pipe.fileHandleForWriting
  }

  var processID: Int32 { process.processIdentifier }

  var isRunning: Bool { process.isRunning }

  /// Gives the program bytes.
  func write(_ bytes: Data) throws {
    do {
      try standardInput?.write(contentsOf: bytes)
    } catch {
      // It has read what it wanted; how it ended tells the rest.
      guard errno == EPIPE else { throw error }
    }
  }

  /// Ends the program's input.
  func close() throws {
    try standardInput?.close()
  }

  /// Sends the program a signal, if it still runs.
  func send(_ signal: Int32) {
    guard process.isRunning else { return }
    kill(process.processIdentifier, signal)
  }

  /// Waits for the end. A program that does not come to it is killed, and the test fails.
  ///
  /// The status of a program that a signal ended is 128 and the signal, as in a shell.
  func outcome(within seconds: Double = 180) throws -> Outcome {
    if ended.wait(timeout: .now() + seconds) == .timedOut {
      send(SIGKILL)
      ended.wait()
      Issue.record("the program did not end: \(process.arguments ?? [])")
    }
    let isSignal = process.terminationReason == .uncaughtSignal
    return Outcome(
      status: process.terminationStatus + (isSignal ? 128 : 0), output: try text(output),
      errors: try text(errors))
  }

  /// What it has printed to standard output by now.
  func outputSoFar() throws -> String { try text(output) }

  private func text(_ url: URL) throws -> String {
    String(decoding: try Data(contentsOf: url), as: UTF8.self)
  }
}
