import ArgumentParser
import Bolide
import CommandSupport
import Foundation
import Synchronization

/// A command that gets something on its standard input, and whose exit status says whether it took it. Without a command,
/// standard output gets it.
///
/// It starts with the first bytes: a command is not run for nothing. Not Foundation's `Process`, which ends this process
/// where descriptors run out.
final class ConsumerProcess {
  private let words: [String]
  private var process: pid_t?
  /// The end that is written.
  private var input: Int32?

  /// The command that is at work, which gets the signal that ends this process; and that signal, when it has come. While a
  /// command is started this is locked: no signal comes between its start and its number.
  private static let running = Mutex<(process: pid_t?, signal: Int32?)>((nil, nil))

  init(_ words: [String]) { self.words = words }

  /// Hands a signal on, unless a terminal has told the command as well.
  static func pass(_ signal: Int32) {
    let isFromTerminal =
      signal == SIGINT
      && [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].contains { tcgetpgrp($0) == getpgrp() }
    running.withLock { running in
      running.signal = signal
      if let process = running.process, !isFromTerminal { kill(process, signal) }
    }
  }

  /// Gives the command bytes, unless the present call is given up first. One that has closed its input gets no more; its status
  /// will say what it thought.
  func write(_ bytes: [UInt8]) throws {
    if words.isEmpty {
      return try StoreCall.current.map { try StandardOutput.write(bytes, until: $0) }
        ?? StandardOutput.write(bytes)
    }
    if process == nil { try start() }
    guard let input else { return }
    do {
      try StandardOutput.write(
        bytes, to: input, "the command's input", until: StoreCall.current ?? StoreCall())
    } catch is StandardOutput.Closed {
      closeInput()
    }
  }

  /// Ends the command's input and waits for its end.
  ///
  /// - Throws: its status unless that is 0; for a command that a signal ended, 128 and the signal's number.
  func finish() throws {
    guard process != nil else { return }
    let status = wait()
    guard status == 0 else { throw ExitCode(status) }
  }

  /// A command that was not fed to its end sees the end of its input, and is waited for: nobody else may start it meanwhile.
  deinit { if process != nil { _ = wait() } }

  private func wait() -> Int32 {
    closeInput()
    guard let process else { return 0 }
    self.process = nil
    var status: Int32 = 0
    // The number is nobody else's as long as the end was not taken note of.
    var end = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(process), &end, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    Self.running.withLock { $0.process = nil }
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? status >> 8 & 0xff : 128 + signal
  }

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
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw Failure.cannotStart(words[0], errno) }
    // The command has the first end as its standard input, and neither besides.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    do {
      process = try Self.running.withLock { running in
        // A command that is started now would not hear of it.
        if let signal = running.signal { throw ExitCode(128 + signal) }
        var process: pid_t = 0
        let error = spawn(program, reading: ends[0], &process)
        guard error == 0 else { throw Failure.cannotStart(words[0], error) }
        running.process = process
        return process
      }
    } catch {
      close(ends[1])
      throw error
    }
    input = ends[1]
  }

  /// - Returns: 0, or the system's number for why there is no such process.
  private func spawn(_ program: String, reading input: Int32, _ process: inout pid_t) -> Int32 {
    #if canImport(Glibc)
      var (actions, attributes) = unsafe (posix_spawn_file_actions_t(), posix_spawnattr_t())
    #else
      var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?)
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // The command's own pipes and files end as they would without us, and so does it.
    var (ignored, blocked) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&ignored)
    unsafe sigemptyset(&blocked)
    for number in [SIGPIPE, SIGXFSZ] { unsafe sigaddset(&ignored, number) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &ignored)
    unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
    let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe arguments.forEach { unsafe free($0) } }
    return unsafe posix_spawn(&process, program, &actions, &attributes, arguments, environ)
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

extension SignalWatch {
  /// Runs what prints, or feeds a command, until a signal comes, which is handed on to that command: it is left then wherever
  /// it waits, and ends the process by the signal's status. Whoever reads may have read enough before.
  ///
  /// - Parameter isWatching: whether signals are waited for; else they end the process at once.
  /// - Throws: `ExitCode` for a signal, and of the command that is fed; `Failure`.
  static func run(if isWatching: Bool, _ body: () throws -> Void) throws {
    let call = isWatching ? StoreCall(isPatient: true) : nil
    // Before any other thread is there, as the signals are blocked in all of them.
    let signals = call.map { call in
      SignalWatch {
        call.cancel()
        ConsumerProcess.pass($0)
      }
    }
    do {
      try StoreCall.$current.withValue(call, operation: body)
    } catch is StandardOutput.Closed {
      // There is nobody left to print for.
    } catch let status as ExitCode {
      throw status
    } catch {
      guard let signal = signals?.received, error is StandardOutput.Stopped || error.isEndOfCall else {
        throw Failure(error)
      }
      throw ExitCode(128 + signal)
    }
  }
}
