import Foundation
import Testing

/// A folder of a test's own, gone with the test. Programs run in it.
final class Folder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// A folder with the files of another one, which no program has open.
  convenience init(copyOf other: Folder) throws {
    try self.init()
    for name in try FileManager.default.contentsOfDirectory(atPath: other.path("")) {
      try FileManager.default.copyItem(
        at: other.url.appending(path: name), to: url.appending(path: name))
    }
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// Where a name in the folder leads.
  func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

  func write(_ text: String, to name: String) throws {
    try write(Data(text.utf8), to: name)
  }

  func write(_ bytes: Data, to name: String) throws {
    try bytes.write(to: url.appending(path: name))
  }

  func bytes(of name: String) throws -> Data {
    try Data(contentsOf: url.appending(path: name))
  }

  // MARK: Programs

  /// Runs the tool to its end.
  func bolide(_ arguments: String..., input: Input = .nothing) throws -> Outcome {
    try bolide(arguments: arguments, input: input)
  }

  func bolide(arguments: [String], input: Input = .nothing) throws -> Outcome {
    try Running(Self.tool, arguments, in: self, input: input).outcome()
  }

  /// Starts the tool; its standard input stays open until it is closed.
  func starting(_ arguments: String...) throws -> Running {
    try Running(Self.tool, arguments, in: self, input: .open)
  }

  /// Runs another program to its end.
  func run(_ program: String, _ arguments: [String], input: Input = .nothing) throws -> Outcome {
    try Running("/usr/bin/env", [program] + arguments, in: self, input: input).outcome()
  }

  /// Runs shell commands; `$bolide` is the tool.
  func shell(_ commands: String) throws -> Outcome {
    try Running("/bin/sh", ["-c", "bolide='\(Self.tool)'\n" + commands], in: self, input: .nothing).outcome()
  }

  /// What the `sqlite3` shell prints: a line a row, columns with `|` between them.
  @discardableResult
  func sqlite(_ store: String, _ sql: String) throws -> [String] {
    let outcome = try run("sqlite3", ["-bail", "-cmd", ".timeout 20000", store, sql])
    try #require(outcome.status == 0, "sqlite3: \(outcome.errors)")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  /// What a Python program prints.
  @discardableResult
  func python(_ program: String, _ arguments: String...) throws -> String {
    let outcome = try run("python3", ["-c", program] + arguments)
    try #require(outcome.status == 0, "python3: \(outcome.errors)")
    return outcome.output
  }

  /// The built tool: it lies beside the test bundle, unless BOLIDE_TOOL names another one, such as that which is to be shipped.
  static let tool: String = {
    if let path = ProcessInfo.processInfo.environment["BOLIDE_TOOL"] { return path }
    let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
    let products = bundle?.deletingLastPathComponent() ?? Bundle.main.bundleURL
    return products.appending(path: "bolide").path(percentEncoded: false)
  }()
}

/// How a program ended, and what it printed.
struct Outcome: Equatable {
  var status: Int32
  var output = ""
  var errors = ""

  /// A run that ended with a sentence and what to do.
  static func failure(_ status: Int32, _ sentence: String, _ hint: String? = nil) -> Outcome {
    let end = sentence.hasSuffix("?") ? "" : "."
    return Outcome(
      status: status, errors: "Error: \(sentence)\(end)\n" + (hint.map { "       \($0)\n" } ?? ""))
  }

  /// A run that succeeded in silence.
  static let silent = Outcome(status: 0)

  var lines: [String] { output.split(separator: "\n").map(String.init) }
}

/// Waits until something holds, without knowing when.
func eventually(
  within seconds: Double = 30, _ condition: () throws -> Bool,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let deadline = ContinuousClock.now + .seconds(seconds)
  while try !condition() {
    try #require(ContinuousClock.now < deadline, "it never came true", sourceLocation: sourceLocation)
    usleep(20_000)
  }
}
