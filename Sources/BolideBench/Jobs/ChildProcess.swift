internal import Foundation

/// Another process: what it printed, how it ended, and what it used.
struct ChildProcess {
  let status: Int32
  let output: String
  let errors: String
  /// From its start to its end.
  let seconds: Double
  let processorSeconds: Double
  /// The system's own figure. A child inherits its parent's, so that nothing below the parent's peak is told apart.
  let peakBytes: Int

  /// What the process finds on its standard input.
  enum Input {
    case nothing
    case file(String)
    /// A file's bytes through a pipe, as from `curl`.
    case pipe(String)
  }

  /// Starts a program and waits for its end.
  ///
  /// - Parameter name: what the files of its output are called meanwhile.
  /// - Throws: when it cannot be started.
  static func run(
    _ program: String, _ arguments: [String], in folder: String, input: Input = .nothing,
    name: String = "child"
  ) throws -> Self {
    let names = (out: "\(folder)/\(name).out", err: "\(folder)/\(name).err")
    var actions = FileActions()
    defer { actions.destroy() }
    var pipe: (read: Int32, write: Int32)?
    switch input {
    case .nothing: actions.open(0, "/dev/null", O_RDONLY)
    case .file(let path): actions.open(0, path, O_RDONLY)
    case .pipe:
      var ends: [Int32] = [0, 0]
      guard Foundation.pipe(&ends) == 0 else { throw failure(program, errno) }
      // The child must not hold the end that is written: it would never see the input's end.
      _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
      _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
      pipe = (ends[0], ends[1])
      actions.duplicate(ends[0], to: 0)
    }
    actions.open(1, names.out, O_WRONLY | O_CREAT | O_TRUNC)
    actions.open(2, names.err, O_WRONLY | O_CREAT | O_TRUNC)

    let start = ContinuousClock.now
    var process: pid_t = 0
    let code = withArguments([program] + arguments) { words in
      posix_spawnp(&process, program, &actions.actions, nil, words, environ)
    }
    if let pipe { close(pipe.read) }
    guard code == 0 else {
      if let pipe { close(pipe.write) }
      throw failure(program, code)
    }
    if case .pipe(let path) = input, let pipe { feed(path, into: pipe.write) }
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0 {
      guard errno == EINTR else { throw failure(program, errno) }
    }
    let seconds = start.duration(to: .now) / .seconds(1)
    #if canImport(Darwin)
      let peak = usage.ru_maxrss
    #else
      let peak = usage.ru_maxrss * 1024
    #endif
    return ChildProcess(
      status: status & 0x7f == 0 ? status >> 8 & 0xff : 128 + (status & 0x7f),
      output: try String(contentsOfFile: names.out, encoding: .utf8),
      errors: try String(contentsOfFile: names.err, encoding: .utf8), seconds: seconds,
      processorSeconds: usage.processorSeconds, peakBytes: peak)
  }

  /// Writes a file into a pipe, and closes it. A reader that has gone has read enough.
  private static func feed(_ path: String, into pipe: Int32) {
    defer { close(pipe) }
    let file = open(path, O_RDONLY)
    guard file >= 0 else { return }
    defer { close(file) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 64)
    defer { buffer.deallocate() }
    while true {
      let count = read(file, buffer.baseAddress, buffer.count)
      guard count > 0 else { return }
      var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      while !rest.isEmpty {
        let written = write(pipe, rest.baseAddress, rest.count)
        if written < 0 && errno == EINTR { continue }
        guard written > 0 else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest[written...])
      }
    }
  }

  private static func failure(_ program: String, _ code: Int32) -> WrongResult {
    WrongResult("\(program) cannot be run: \(String(cString: strerror(code)))")
  }

  private static func withArguments<Result>(
    _ words: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = words.map { strdup($0) }
    defer { pointers.forEach { free($0) } }
    return body(pointers + [nil])
  }
}

/// What a new process does with its descriptors.
private struct FileActions {
  #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
  #else
    var actions = posix_spawn_file_actions_t()
  #endif

  init() { posix_spawn_file_actions_init(&actions) }

  mutating func destroy() { posix_spawn_file_actions_destroy(&actions) }

  mutating func open(_ descriptor: Int32, _ path: String, _ flags: Int32) {
    posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
  }

  mutating func duplicate(_ descriptor: Int32, to other: Int32) {
    posix_spawn_file_actions_adddup2(&actions, descriptor, other)
  }
}
