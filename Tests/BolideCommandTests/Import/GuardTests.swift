import Foundation
import Testing

/// A guard fails an unlikely input, every time, until it is accepted once.
@Suite struct GuardTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(Folder.quakes + "\nmin-records: 5\n", to: "guarded.yaml")
  }

  private func write(_ count: Int, to name: String = "feed.json") throws {
    let records = (0..<count).map { #"{"id": "q\#($0)", "magnitude": 1.5}"# }
    try folder.write("[" + records.joined(separator: ",\n") + "]", to: name)
  }

  private func rows() throws -> Int { try folder.count("Quake", in: "quakes.sqlite") }

  private func runs() throws -> [String] {
    try folder.sqlite("quakes.sqlite", "SELECT outcome, read FROM bolide_run ORDER BY run")
  }

  private static let hint =
    "Check the input. If it is as it should be, import it once all the same: --accept min-records"

  @Test func `too few records leave nothing, fail again, and are accepted once`() throws {
    try write(5)
    #expect(try folder.bolide("import", "guarded.yaml", "feed.json") == .silent)
    try write(4, to: "short.json")
    for _ in 0..<2 {
      #expect(
        try folder.bolide("import", "guarded.yaml", "short.json")
          == .failure(65, "short.json: there are 4 records, fewer than the minimum of 5", Self.hint))
    }
    #expect(try folder.bolide("import", "guarded.yaml", "short.json", "--accept", "min-records") == .silent)
    // Once: the same file fails again.
    #expect(try folder.bolide("import", "guarded.yaml", "short.json").status == 65)
    #expect(try runs() == ["ok|5", "min-records|0", "min-records|0", "ok|4", "min-records|0"])
  }

  @Test(arguments: ["[]", #"{"count": 0, "quakes": []}"#]) func `an empty feed is too short`(feed: String)
    throws
  {
    try folder.write(feed, to: "feed.json")
    #expect(
      try folder.bolide("import", "guarded.yaml", "feed.json")
        == .failure(65, "feed.json: there are 0 records, fewer than the minimum of 5", Self.hint))
    #expect(try rows() == 0)
  }

  @Test func `what chunks have committed is told, and with atomic nothing is`() throws {
    try write(4)
    let outcome = try folder.bolide("import", "guarded.yaml", "feed.json", "--chunk-rows", "3")
    #expect(
      outcome
        == .failure(
          65,
          "feed.json: there are 4 records, fewer than the minimum of 5. The 3 records committed before are in "
            + "the store", Self.hint))
    #expect(try rows() == 3)
    let atomic = try folder.bolide(
      "import", "guarded.yaml", "feed.json", "--chunk-rows", "3", "--atomic", "--store", "whole.sqlite")
    #expect(
      atomic
        == .failure(
          65, "feed.json: there are 4 records, fewer than the minimum of 5",
          "Nothing of this import is in the store. \(Self.hint)"))
    #expect(try folder.count("Quake", in: "whole.sqlite") == 0)
  }

  @Test func `several inputs are counted together, and the option overrides the key`() throws {
    try write(3)
    #expect(try folder.bolide("import", "guarded.yaml", "feed.json", "feed.json") == .silent)
    #expect(try folder.bolide("import", "guarded.yaml", "feed.json", "--min-records", "3") == .silent)
    // The same bytes are imported again where the minimum is another one.
    #expect(try folder.bolide("import", "guarded.yaml", "feed.json", "--min-records", "4").status == 65)
    #expect(
      try folder.bolide("import", "guarded.yaml", "feed.json", "--min-records", "3", "-v").errors.contains(
        "(same bytes as run 2)"))
  }

  @Test func `a dry run fails as the import does`() throws {
    try write(4)
    #expect(try folder.bolide("import", "guarded.yaml", "feed.json", "--dry-run").status == 65)
  }

  @Test func `values that mean nothing`() throws {
    let least = try folder.bolide("import", "guarded.yaml", "--min-records", "0")
    #expect(least.status == 64 && least.errors.contains("--min-records must be at least 1"))
    let other = try folder.bolide("import", "guarded.yaml", "--accept", "everything")
    #expect(other.status == 64 && other.errors.contains("'everything' is not one of min-records"))
    try folder.write(Folder.quakes + "\nmin-records: none\n", to: "none.yaml")
    let file = try folder.bolide("check", "none.yaml")
    #expect(file.status == 78 && file.errors.contains("'min-records' is a whole number from 1, not 'none'"))
  }
}
