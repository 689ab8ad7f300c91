import Foundation

/// The tool itself, run as a shell would.
struct Tool {
  let status: Int32
  let output: String
  let errors: String

  /// Runs `bolide` with these arguments in a directory.
  init(_ arguments: [String], in directory: URL, input: String? = nil) throws {
    let process = Process()
    process.executableURL = Self.url
    process.arguments = arguments
    process.currentDirectoryURL = directory
    let files = ["input", "output", "errors"].map { directory.appending(path: "tool-\(UUID()).\($0)") }
    defer { files.forEach { try? FileManager.default.removeItem(at: $0) } }
    for file in files { try Data((input ?? "").utf8.prefix(file == files[0] ? Int.max : 0)).write(to: file) }
    process.standardInput = try FileHandle(forReadingFrom: files[0])
    process.standardOutput = try FileHandle(forWritingTo: files[1])
    process.standardError = try FileHandle(forWritingTo: files[2])
    try process.run()
    process.waitUntilExit()
    status = process.terminationStatus
    output = try String(contentsOf: files[1], encoding: .utf8)
    errors = try String(contentsOf: files[2], encoding: .utf8)
  }

  /// Beside the tests, where the build puts it.
  private static var url: URL {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
    let tests = bundle ?? URL(filePath: CommandLine.arguments[0])
    return tests.deletingLastPathComponent().appending(path: "bolide")
  }

  /// Calls `body` with a new directory, and removes it.
  static func inDirectory<R>(_ body: (URL) throws -> R) throws -> R {
    let directory = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try body(directory)
  }
}
