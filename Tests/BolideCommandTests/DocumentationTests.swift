import Foundation
import Testing

/// What the documents say is there, and what is there stands in the documents.
struct DocumentationTests {
  private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test func `the README stays within 150 lines, and its first command within the first twenty`() throws {
    let lines = try text("README.md").split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 150)
    let first = lines.firstIndex { $0.contains("swift build -c release && .build/release/bolide import") }
    #expect(first.map { $0 < 20 } == true)
  }

  @Test func `every bolide command of the README runs, on the README's own files`() throws {
    let folder = try Folder()
    for name in ["pipelines", "SampleData"] {
      try FileManager.default.copyItem(at: root.appending(path: name), to: folder.url.appending(path: name))
    }
    let commands = try text("README.md").split(separator: "\n").filter { line in
      (line.hasPrefix("bolide ") || line.contains("| bolide ")) && !line.contains("curl")
    }
    #expect(commands.count >= 4)
    // The first command, for which the tests have no release build.
    #expect(
      try folder.shell("$bolide import pipelines/fireballs.yaml SampleData/fireballs.json.gz").status == 0)
    for command in commands {
      // A token is good for one store alone.
      let line = command.replacing(#/ --since \S+/#, with: "")
      let outcome = try folder.shell("set -e; bolide() { \"$bolide\" \"$@\"; }; \(line)")
      #expect(outcome.status == 0, "\(line): \(outcome.errors)")
    }
  }

  @Test func `every shipped pipeline is fine`() throws {
    let folder = root.appending(path: "pipelines")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.hasSuffix(".yaml")
    }
    #expect(!names.isEmpty)
    for name in names {
      let outcome = try Folder().bolide("check", folder.appending(path: name).path)
      #expect(outcome.status == 0, "\(name): \(outcome.errors)")
    }
  }

  @Test func `every key of a pipeline file stands in its reference`() throws {
    let reference = try text("Sources/Bolide/Documentation.docc/Pipelines.md")
    let source =
      try text("Sources/ImportModel/File/PipelineFile.swift")
      + text("Sources/ImportModel/File/AttributeFile.swift")
      + text("Sources/ImportModel/File/SettingsFile.swift")
      + text("Sources/ImportModel/File/RetentionFile.swift")
    let lists = source.split(separator: "static let keys = [").dropFirst().compactMap {
      $0.split(separator: "]").first
    }
    let keys = lists.flatMap {
      $0.split(separator: "\"").filter { $0.allSatisfy { $0.isLetter || $0 == "-" } }
    }
    #expect(keys.count > 25)
    for key in keys { #expect(reference.contains("`\(key)"), "the key '\(key)' is not documented") }
  }
}
