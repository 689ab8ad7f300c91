import Foundation
import Testing

/// The table for who knows Core Data: each of its claims has a test.
struct CoreDataTableTests {
  private let root = Folder.repository

  @Test func `every row has its verdict, and a test that is there`() throws {
    let page = try String(
      contentsOf: root.appending(path: "Sources/Bolide/Documentation.docc/CoreData.md"), encoding: .utf8)
    let tests = try suites()
    var number = 0
    for line in page.split(separator: "\n") {
      guard let row = line.wholeMatch(of: #/\| (\d+) \| (.+?) \| (.+?) \|(?: `(\w+): (.+)`)? \|/#) else {
        #expect(line.prefixMatch(of: #/\| \d/#) == nil, "\(line)")
        continue
      }
      number += 1
      #expect(Int(row.1) == number)
      let verdict = row.3.prefixMatch(of: #/Yes|Otherwise|Partly|No/#)?.0
      #expect(verdict != nil, "row \(number) has no verdict")
      guard verdict != "No" else { continue }
      guard let suite = row.4, let name = row.5 else {
        Issue.record("row \(number) names no test")
        continue
      }
      let isThere = tests[String(suite), default: []].contains { $0.contains("func `\(name)`") }
      #expect(isThere, "row \(number): \(suite): \(name)")
    }
    #expect(number == 77)
  }

  /// The sources of all test suites, by their files' names.
  private func suites() throws -> [String: [String]] {
    var sources: [String: [String]] = [:]
    let files = FileManager.default.enumerator(
      at: root.appending(path: "Tests"), includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard file.lastPathComponent.hasSuffix("Tests.swift") else { continue }
      let name = file.deletingPathExtension().lastPathComponent
      sources[name, default: []].append(try String(contentsOf: file, encoding: .utf8))
    }
    return sources
  }
}
