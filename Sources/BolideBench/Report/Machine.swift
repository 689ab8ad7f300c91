internal import CSQLiteShims
internal import Foundation

/// Where and with what a bench ran.
package struct Machine: Codable, Sendable {
  package let date: String
  package let processor: String
  package let cores: Int
  package let memoryBytes: Int
  package let system: String
  package let sqlite: String
  /// The file system of the folder where the stores were.
  package let folderSystem: String?
  /// Processes that wanted a core when the bench began; a busy machine measures itself.
  package let load: Double?
  /// Whether the tool is a release build.
  package let isRelease: Bool

  init(folder: String) {
    let process = ProcessInfo.processInfo
    date = Date.now.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: false))
    cores = process.activeProcessorCount
    memoryBytes = Int(process.physicalMemory)
    var names = utsname()
    uname(&names)
    // Without what a distribution calls its own build.
    let release = Self.text(names.release).prefix { $0 != "-" }
    system = Self.text(names.sysname) + " " + release + " " + Self.text(names.machine)
    processor =
      Self.line("model name", in: "/proc/cpuinfo") ?? Self.text(names.machine)
    sqlite = String(cString: sqlite3_libversion())
    folderSystem = Self.fileSystem(of: folder)
    var loads = [0.0]
    load = getloadavg(&loads, 1) == 1 ? loads[0] : nil
    #if DEBUG
      isRelease = false
    #else
      isRelease = true
    #endif
  }

  /// The head of a report.
  package var lines: [String] {
    let memory = "\((memoryBytes + (1 << 29)) >> 30) GiB"
    var lines = [
      "\(processor), \(cores) cores, \(memory); \(system)\(folderSystem.map { "; \($0)" } ?? "")",
      "SQLite \(sqlite), \(isRelease ? "release" : "debug") build; \(date)",
    ]
    if let load, load > 0.5 * Double(cores) {
      lines.append(
        "The machine is busy (load \(Int(load.rounded())) on \(cores) cores): believe the ratios, not the seconds."
      )
    }
    if !isRelease { lines.append("This is a debug build: the figures say nothing. swift build -c release") }
    return lines
  }

  private static func text<Tuple>(_ tuple: Tuple) -> String {
    withUnsafeBytes(of: tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  private static func line(_ name: String, in path: String) -> String? {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(separator: ":", maxSplits: 1).last.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The longest mount point that the folder lies under, by its type.
  private static func fileSystem(of folder: String) -> String? {
    guard let text = try? String(contentsOfFile: "/proc/mounts", encoding: .utf8) else { return nil }
    let path = URL(filePath: folder).resolvingSymlinksInPath().path(percentEncoded: false) + "/"
    var best = (point: "", type: nil as String?)
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 2 else { continue }
      let point = words[1] == "/" ? "/" : words[1] + "/"
      if path.hasPrefix(point), point.count >= best.point.count { best = (String(point), String(words[2])) }
    }
    return best.type
  }
}
