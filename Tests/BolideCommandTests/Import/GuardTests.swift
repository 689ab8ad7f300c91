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

  @Test func `a single record is one`() throws {
    try write(1)
    #expect(
      try folder.bolide("import", "guarded.yaml", "feed.json")
        == .failure(65, "feed.json: there is 1 record, fewer than the minimum of 5", Self.hint))
  }

  @Test func `what chunks have committed is told, and with atomic nothing is`() throws {
    try write(4)
    let outcome = try folder.bolide("import", "guarded.yaml", "feed.json", "--chunk-rows", "3")
    #expect(
      outcome
        == .failure(
          65,
          "feed.json: there are 4 records, fewer than the minimum of 5. The 3 records committed before are in "
            + "the store", Self.hint + Self.undo(1)))
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

  private static func undo(_ run: Int) -> String {
    ". To undo this import: bolide revert quakes.sqlite --run \(run)"
  }

  // MARK: Missing rows

  private static let accept =
    "Check the input. If it is as it should be, import it once all the same: --accept max-missing"

  /// A full feed, with a guard or none.
  private func writeFull(_ guarding: String) throws {
    try folder.write(Folder.quakes + "\nfeed: full\n\(guarding)\n", to: "full.yaml")
  }

  @Test func `a feed that halves fails, each time, and moves no last good run`() throws {
    try writeFull("max-missing: 5%")
    try write(100)
    #expect(try folder.bolide("import", "full.yaml", "feed.json") == .silent)
    try write(95, to: "less.json")
    #expect(try folder.bolide("import", "full.yaml", "less.json") == .silent)
    // Of the last complete run's rows: those that were missing before do not count.
    try write(90, to: "half.json")
    let failure = Outcome.failure(
      65,
      "half.json: 5 of the 95 rows of the last complete run are missing, which is 5.3 % and more than 5 %. The 90 "
        + "records read are in the store", Self.accept)
    for _ in 0..<2 { #expect(try folder.bolide("import", "full.yaml", "half.json") == failure) }
    #expect(
      try folder.bolide("missing", "full.yaml", "--format", "ndjson").lines.count == 5,
      "those of the good run")
    #expect(try folder.bolide("import", "full.yaml", "half.json", "--accept", "max-missing") == .silent)
    #expect(try folder.bolide("missing", "full.yaml", "--format", "ndjson").lines.count == 10)
    #expect(try runs() == ["ok|100", "ok|95", "max-missing|90", "max-missing|90", "ok|90"])
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test(arguments: [true, false]) func `an empty feed fails, and with atomic nothing is left`(
    isAtomic: Bool
  ) throws {
    try writeFull("max-missing: 50%\natomic: \(isAtomic)")
    try write(10)
    #expect(try folder.bolide("import", "full.yaml", "feed.json") == .silent)
    try folder.write("[]", to: "empty.json")
    let fate = isAtomic ? "Nothing of this import is in the store. " : ""
    #expect(
      try folder.bolide("import", "full.yaml", "empty.json")
        == .failure(
          65,
          "empty.json: 10 of the 10 rows of the last complete run are missing, which is 100 % and more than 50 %",
          fate + Self.accept))
    try folder.write(#"[{"id": "q1", "magnitude": 9}, {"id": "new", "magnitude": 9}]"#, to: "few.json")
    let few = try folder.bolide("import", "full.yaml", "few.json")
    #expect(few.status == 65 && few.errors.contains("9 of the 10 rows"))
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT count(*) FROM Quake WHERE magnitude = 9")
        == [isAtomic ? "0" : "2"])
  }

  @Test func `rejected records with a key and deleted rows are not missing`() throws {
    try writeFull("max-missing: 0%\nmax-rejects: 5")
    try write(4)
    #expect(try folder.bolide("import", "full.yaml", "feed.json") == .silent)
    try folder.write(
      #"[{"id": "q0", "magnitude": 1.5}, {"id": "q1", "magnitude": "x"}, {"id": "q2", "magnitude": 1.5}]"#,
      to: "next.json")
    try folder.sqlite("quakes.sqlite", "DELETE FROM Quake WHERE id = 'q3'")
    #expect(try folder.bolide("import", "full.yaml", "next.json").status == 3)
  }

  @Test func `only a full feed has missing rows`() throws {
    try folder.write(Folder.quakes + "\nmax-missing: 5%\n", to: "window.yaml")
    let check = try folder.bolide("check", "window.yaml")
    #expect(check.status == 78)
    #expect(check.errors.contains("'max-missing' requires `feed: full`: no row is missing from a window"))
    try write(5)
    #expect(
      try folder.bolide("import", "guarded.yaml", "feed.json", "--max-missing", "5%")
        == .failure(
          64, "guarded.yaml: --max-missing requires a full feed",
          "If each input is the whole catalogue, set `feed: full` in the pipeline."))
    try writeFull("max-missing: 5")
    let file = try folder.bolide("check", "full.yaml")
    #expect(file.status == 78 && file.errors.contains("'max-missing' is a share such as 5%, not '5'"))
  }

  // MARK: Changed rows

  /// A window feed of quakes with the given magnitudes, by a pipeline that lets half of them change.
  private func importMagnitudes(
    _ magnitudes: [String], _ more: String = "", _ options: String...
  ) throws -> Outcome {
    try folder.write(Folder.quakes + "\nmax-changed: 50%\n\(more)", to: "changing.yaml")
    let records = magnitudes.enumerated().map { #"{"id": "q\#($0)", "magnitude": \#($1)}"# }
    try folder.write("[\(records.joined(separator: ",\n"))]", to: "feed.json")
    return try folder.bolide(arguments: ["import", "changing.yaml", "feed.json"] + options)
  }

  private static func changed(_ facts: String, fate: String? = nil) -> Outcome {
    let hint =
      "Check the input. If it is as it should be, import it once all the same: --accept max-changed"
    return .failure(65, "feed.json: \(facts)", [fate, hint].compactMap(\.self).joined(separator: " "))
  }

  @Test func `values that all become null fail, and the repaired feed passes whatever landed between`() throws
  {
    let good = ["1", "2", "3", "4"]
    #expect(try importMagnitudes(good) == .silent)
    // Half of them is not more than half.
    #expect(try importMagnitudes(["1", "2", "3.5", "4.5"]) == .silent)
    let failure = Self.changed(
      "4 of the 4 rows that were there before have other values than after the last good run, which is 100 % and more "
        + "than 50 %. The 5 records read are in the store")
    let bad = ["null", "null", "null", "null", "5"]
    let first = try importMagnitudes(bad)
    #expect(first.errors == failure.errors.dropLast() + Self.undo(3) + "\n")
    // The same again changes nothing that could be undone.
    #expect(try importMagnitudes(bad) == failure)
    #expect(try folder.sqlite("quakes.sqlite", "SELECT count(magnitude) FROM Quake") == ["1"])
    #expect(try importMagnitudes(["1", "2", "3.5", "4.5", "5"]) == .silent)
    #expect(
      try runs() == ["ok|4", "ok|4", "max-changed|5", "max-changed|5", "ok|5"])
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `an atomic import leaves nothing, and what is accepted is the next state`() throws {
    #expect(try importMagnitudes(["1", "2", "3"]) == .silent)
    let facts =
      "2 of the 3 rows that were there before have other values than after the last good run, which is 66.7 % and more "
      + "than 50 %"
    let next = ["7", "8", "3", "4"]
    #expect(
      try importMagnitudes(next, "atomic: true")
        == Self.changed(facts, fate: "Nothing of this import is in the store."))
    #expect(try folder.sqlite("quakes.sqlite", "SELECT magnitude FROM Quake") == ["1.0", "2.0", "3.0"])
    #expect(try importMagnitudes(next, "atomic: true", "--accept", "max-changed") == .silent)
    #expect(try importMagnitudes(["7", "8", "5", "4"], "atomic: true") == .silent)
  }

  @Test func `rows are compared as the last good run left them`() throws {
    #expect(try importMagnitudes(["1", "2", "3", "4"]) == .silent)
    // What another program changed is put right.
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET magnitude = 9")
    #expect(try importMagnitudes(["1", "2", "3", "4"]) == .silent)
    // Of rows that others have changed, those that the import changes too are told.
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET magnitude = 9, time = '2020-01-01T00:00:00Z'")
    try folder.write(Folder.quakes + "\nname: changing\nmax-changed: 0%\n", to: "strict.yaml")
    let text = try folder.bolide("import", "strict.yaml", "feed.json", "--force")
    #expect(text.status == 65, "the pipeline gives times, though no record has one")
    #expect(text.errors.contains("4 of the 4 rows"))
    // A state that history does not keep any more: the oldest one stands in for it.
    #expect(try folder.bolide("prune", "quakes.sqlite", "--keep-transactions", "0").status == 0)
    #expect(try folder.bolide("import", "strict.yaml", "feed.json", "--force") == .silent)
  }

  @Test func `what others have changed is not the import's`() throws {
    #expect(try importMagnitudes(["1", "2"], "merge: ignore") == .silent)
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET magnitude = 9")
    #expect(try importMagnitudes(["1", "2"], "merge: ignore") == .silent)
    #expect(try importMagnitudes(["1", "3"], "merge: ignore") == .silent)
  }

  @Test func `an attribute that is new does not count, and new rows do not`() throws {
    #expect(try importMagnitudes(["1", "2"]) == .silent)
    let wider = Folder.quakes.replacingOccurrences(
      of: "magnitude: double", with: "magnitude: double\n  depth: double")
    try folder.write(wider + "\nname: changing\nmax-changed: 0%\n", to: "wider.yaml")
    try folder.write(
      #"[{"id": "q0", "magnitude": 1, "depth": 10}, {"id": "q1", "magnitude": 2, "depth": 20}, {"id": "new", "magnitude": 3, "depth": 1}]"#,
      to: "deep.json")
    #expect(try folder.bolide("import", "wider.yaml", "deep.json") == .silent)
    try folder.write(#"[{"id": "q0", "magnitude": 1, "depth": 11}]"#, to: "deeper.json")
    #expect(try folder.bolide("import", "wider.yaml", "deeper.json").status == 65)
  }

  @Test func `values that mean nothing`() throws {
    let least = try folder.bolide("import", "guarded.yaml", "--min-records", "0")
    #expect(least.status == 64 && least.errors.contains("--min-records must be at least 1"))
    let other = try folder.bolide("import", "guarded.yaml", "--accept", "everything")
    #expect(
      other.status == 64
        && other.errors.contains(
          "'everything' is not one of min-records, max-missing, max-changed, on-absent-field, on-new-field")
    )
    try folder.write(Folder.quakes + "\nmin-records: none\n", to: "none.yaml")
    let file = try folder.bolide("check", "none.yaml")
    #expect(file.status == 78 && file.errors.contains("'min-records' is a whole number from 1, not 'none'"))
  }
}
