import Foundation
import Testing

/// Merge policies, repeated keys and constraints, as the tool's user sees them.
struct MergePolicyTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(#"{"id": "a", "magnitude": 1}"#, to: "first.json")
    try #require(try folder.bolide("import", "quakes.yaml", "first.json") == .silent)
  }

  /// Writes a pipeline with one more setting.
  private func write(_ setting: String, to name: String) throws {
    try folder.write(Folder.quakes.replacing("key: id\n", with: "key: id\n\(setting)\n"), to: name)
  }

  @Test func `fail says which record, and what to do, with status 65`() throws {
    try write("merge: fail", to: "fail.yaml")
    try folder.write("{\"id\": \"b\"}\n {\"id\": \"a\", \"magnitude\": 2}", to: "second.json")
    let outcome = try folder.bolide("import", "fail.yaml", "second.json")
    #expect(outcome.status == 65 && outcome.output.isEmpty)
    #expect(
      outcome.errors == """
        Error: second.json:2:2: record 2 has the id of an existing Quake, and the merge policy is 'fail'.
               Nothing of this import is in the store. Remove the record from the input, or set `merge: ignore` or `merge: update`.

        """)
    #expect(try folder.sqlite("quakes.sqlite", "SELECT id || magnitude FROM Quake") == ["a1.0"])
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT outcome FROM bolide_run ORDER BY run") == [
        "ok", "keyExists",
      ])
  }

  @Test func `fail keeps nothing, also of the chunks before the one in which it ends`() throws {
    try write("merge: fail", to: "fail.yaml")
    try folder.write(#"{"id": "b"} {"id": "c"} {"id": "a"}"#, to: "second.json")
    let outcome = try folder.bolide("import", "fail.yaml", "second.json", "--chunk-rows", "1", "--no-atomic")
    #expect(outcome.status == 65)
    #expect(try folder.sqlite("quakes.sqlite", "SELECT id FROM Quake") == ["a"])
  }

  @Test func `the report counts what was ignored, and what came back in a later chunk`() throws {
    try write("merge: ignore\nrepeated-key: last", to: "ignore.yaml")
    try folder.write(#"{"id": "a"} {"id": "b"} {"id": "b", "magnitude": 3}"#, to: "second.json")
    let outcome = try folder.bolide("import", "ignore.yaml", "second.json", "-v", "--chunk-rows", "1")
    #expect(outcome.status == 0)
    #expect(
      outcome.errors.hasPrefix(
        "ignore: 3 read = 1 inserted + 1 updated + 1 ignored; 1 of the updated repeat a key · "))
    let json = try folder.bolide("import", "quakes.yaml", "second.json", "--json", "--chunk-rows", "1")
    #expect(json.output.contains(#""updated":0,"repeated":0,"unchanged":3,"ignored":0"#))
  }

  @Test func `a clash is shown with its place, and kept among the rejected records`() throws {
    try write("unique: magnitude", to: "unique.yaml")
    let changed = try folder.bolide("check", "unique.yaml")
    #expect(changed.status == 0, "\(changed.errors)")
    // What is optional in the store cannot become required where a row has none.
    try folder.sqlite("quakes.sqlite", "INSERT INTO Quake(id) VALUES ('none')")
    #expect(try folder.bolide("import", "unique.yaml", "first.json").status == 78)
    try folder.write(#"{"id": "b", "magnitude": 1}"#, to: "second.json")
    _ = try folder.bolide("import", "unique.yaml", "first.json", "--store", "unique.sqlite")
    let clash = try folder.bolide("import", "unique.yaml", "second.json", "--store", "unique.sqlite")
    #expect(clash.status == 65)
    #expect(
      clash.errors.hasPrefix(
        "second.json:1:1: record 1: magnitude is unique, and another Quake has this value\n"))
    let kept = try folder.bolide("rejects", "unique.sqlite", "--format", "ndjson")
    #expect(kept.output.contains(#""code":"not-unique""#) && kept.output.contains(#"{\"id\": \"b\""#))
  }
}
