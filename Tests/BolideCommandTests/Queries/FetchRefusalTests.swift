import Foundation
import Testing

/// What `bolide fetch` refuses, and how.
@Suite struct FetchRefusalTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withTypedQuakes()
  }

  @Test(
    arguments: [
      (["Quak"], "the store has no entity 'Quak'", "It has Quake, Region."),
      (
        ["Quake", "--where", "magnitud > 1"],
        "Quake has no attribute or relationship 'magnitud'; did you mean 'magnitude'?", nil
      ),
      (
        ["Quake", "--where", "lat > 1"],
        "'lat' of Quake is transient, and not stored", nil
      ),
      (["Quake", "--where", "magnitude >"], "the predicate ends where a value is expected", nil),
      (["Quake", "--where", "id = ?"], "the predicate has 1 parameter, and 0 values were given", nil),
      (
        ["Quake", "--where", "id IN (SELECT 1)"],
        "the predicate contains a subquery at 'SELECT'; use any(…), all(…), none(…) or count(…) for related objects",
        nil
      ),
      (
        ["Quake", "--where", "1; DROP TABLE Quake"],
        "the predicate contains the character ';', which is not part of SQL", nil
      ),
      (["Quake", "--where", "json_extract(id, '$')"], "the predicate fails (malformed JSON)", nil),
      (
        ["Quake", "--sort", "magnitude,"], "Quake has no attribute or relationship ''",
        "It has id, time, magnitude, cost, felt, raw, tags, region."
      ),
      (
        ["Quake", "--with", "regoin"],
        "Quake has no relationship or fetched property 'regoin'; did you mean 'region'?", nil
      ),
      (
        ["Quake", "--with", "owner"], "Quake has no relationship or fetched property 'owner'",
        "It has region."
      ),
      (["Quake", "--with", "id"], "'id' of Quake is an attribute, not a relationship", nil),
      (
        ["Region", "--with", "quakes"],
        "'quakes' of Region is to-many; a fetch follows to-one relationships only",
        "A predicate can ask about its objects: any(quakes, …), all(quakes, …), none(quakes, …), count(quakes)."
      ),
      (
        ["Region", "--where", "any(quake, magnitude > 5)"],
        "'quake' of Region is not a to-many relationship, which any requires; did you mean 'quakes'?", nil
      ),
      (
        ["Region", "--where", "all(quakes)"], "'all' in the predicate requires a condition",
        "Write all(quakes, CONDITION)."
      ),
      (["Quake", "--limit", "-1"], nil, nil), (["Quake", "--limit=-1"], "the limit must be at least 0", nil),
      (["Quake", "--offset=-1"], "the offset must be at least 0", nil),
    ] as [([String], String?, String?)])
  func `what cannot be fetched is said in one sentence, with status 64`(
    arguments: [String], sentence: String?, hint: String?
  ) throws {
    let outcome = try Running(
      Folder.tool, ["fetch", "quakes.sqlite"] + arguments, in: folder, input: .nothing
    ).outcome()
    guard let sentence else { return #expect(outcome.status == 64) }
    #expect(outcome == .failure(64, "quakes.sqlite: \(sentence)", hint))
  }

  @Test(arguments: [
    (
      ["Quake", "--count", "--format", "csv"],
      "--count cannot be combined with --format, --with or --only"
    ),
    (
      ["Quake", "--count", "--with", "region"],
      "--count cannot be combined with --format, --with or --only"
    ),
    (["Quake", "--bind", "x"], "--bind requires --where"),
    (
      ["Quake", "--format", "xml"],
      "The value 'xml' is invalid for '--format <format>'. Please provide one of 'table', 'ndjson' or 'csv'."
    ),
  ])
  func `a command line that does not go together`(arguments: [String], sentence: String) throws {
    let outcome = try Running(
      Folder.tool, ["fetch", "quakes.sqlite"] + arguments, in: folder, input: .nothing
    ).outcome()
    #expect(outcome.status == 64 && outcome.errors.hasPrefix("Error: \(sentence)\n"), "\(outcome.errors)")
  }

  @Test func `a store that is not there`() throws {
    #expect(
      try folder.bolide("fetch", "none.sqlite", "Quake")
        == .failure(73, "none.sqlite: no such store", "Check the path, or import first."))
    #expect(!FileManager.default.fileExists(atPath: folder.path("none.sqlite")))
  }

  @Test(.enabled(if: geteuid() != 0 || hasProgram("setpriv"), "there is no way to become another user"))
  func `derived values that cannot be computed now are said to be older`() throws {
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET region_id = 2")
    let user = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : ""
    let outcome = try folder.shell(
      """
      cp "$bolide" ./tool; chmod -R a+rX .; chmod a-w quakes.sqlite; chmod a+rwx .
      \(user)./tool fetch quakes.sqlite Region --only name
      """)
    #expect(
      outcome
        == Outcome(
          status: 0, output: "{\"name\":\"o, \\\"east\\\"\"}\n{\"name\":\"west\"}\n",
          errors:
            "Note: 5 changes by other programs are not in history yet: the store cannot be written. "
            + "The next command that writes, such as `bolide import`, updates them.\n"
        ))
  }
}
