import Foundation
import Testing

/// `bolide fetch` of groups, aggregates and distinct rows.
@Suite struct FetchGroupTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withTypedQuakes()
  }

  private func fetch(_ arguments: [String]) throws -> Outcome {
    try Running(Folder.tool, ["fetch", "quakes.sqlite"] + arguments, in: folder, input: .nothing).outcome()
  }

  private func lines(_ arguments: String...) throws -> [String] {
    let outcome = try fetch(arguments)
    try #require(outcome.status == 0 && outcome.errors.isEmpty, "\(arguments): \(outcome)")
    return outcome.lines
  }

  @Test func `groups with aggregates, in all formats`() throws {
    let groups = [
      "Quake", "--group-by", "region.name,felt", "--aggregate",
      "count, sum(cost) as total,average(magnitude)",
    ]
    #expect(
      try fetch(groups + ["--sort", "-total,region.name"]).lines == [
        #"{"region":{"name":"west"},"felt":true,"count":1,"total":12.50,"average(magnitude)":5.5}"#,
        #"{"region":null,"felt":null,"count":1,"total":0.00,"average(magnitude)":1e+300}"#,
        #"{"region":{"name":"o, \"east\""},"felt":null,"count":1,"total":0.00,"average(magnitude)":0.1}"#,
        #"{"region":{"name":"west"},"felt":false,"count":1,"total":-0.05,"average(magnitude)":-1}"#,
      ])
    #expect(
      try fetch(groups + ["--format", "csv", "--limit", "2"]).output
        == "region.name,felt,count,total,average(magnitude)\r\n,,1,0.00,1e+300\r\n"
        + "\"o, \"\"east\"\"\",,1,0.00,0.1\r\n")
    #expect(
      try fetch(groups + ["--format", "table", "--offset", "2"]).output == """
        region.name  felt   count  total  average(magnitude)
        west         false      1  -0.05                  -1
        west         true       1  12.50                 5.5

        """)
    #expect(
      try fetch(groups + ["--only", "felt", "--where", "magnitude > ?", "--bind", "5"]).lines == [
        #"{"felt":null,"count":1,"total":0.00,"average(magnitude)":1e+300}"#,
        #"{"felt":true,"count":1,"total":12.50,"average(magnitude)":5.5}"#,
      ])
    #expect(try fetch(groups + ["--count"]).output == "4\n")
  }

  @Test func `all objects as one group, and distinct rows`() throws {
    #expect(
      try lines("Quake", "--aggregate", "count(*) AS n", "--aggregate", "MIN( time ),max(id),count(felt)")
        == [
          #"{"n":4,"min(time)":"2020-01-01T00:00:00Z","max(id)":"say \"b\",\u000d\nor so","count(felt)":2}"#
        ])
    #expect(
      try lines("Quake", "--aggregate", "count,sum(cost),max(cost)", "--where", "FALSE")
        == [#"{"count":0,"sum(cost)":0.00,"max(cost)":null}"#])
    #expect(
      try lines("Quake", "--distinct", "--only", "region.name", "--sort", "-region.name")
        == [#"{"region":{"name":"west"}}"#, #"{"region":{"name":"o, \"east\""}}"#, #"{"region":null}"#])
    #expect(try lines("Quake", "--distinct", "--only", "felt", "--count") == ["3"])
    #expect(try lines("Quake", "--group-by", "felt", "--where", "FALSE") == [])
  }

  @Test func `groups of the past`() throws {
    let groups = ["Quake", "--group-by", "region.name", "--aggregate", "count"]
    let before = try fetch(groups)
    let token = try folder.bolide("token", "quakes.sqlite").output.trimmingCharacters(in: .newlines)
    try folder.sqlite(
      "quakes.sqlite", "UPDATE Region SET name = 'W' WHERE name = 'west'; DELETE FROM Quake WHERE id = 'a'")
    #expect(
      try fetch(groups + ["--where", "region IS NOT NULL"]).lines
        == [#"{"region":{"name":"W"},"count":1}"#, #"{"region":{"name":"o, \"east\""},"count":1}"#])
    #expect(try fetch(groups + ["--at", token]) == before)
  }

  @Test(
    arguments: [
      (
        ["--group-by", "region.nam"],
        "Region has no attribute or relationship 'nam'; did you mean 'name'?", nil
      ),
      (
        ["--group-by", "felt", "--only", "cost"],
        "'cost' is neither grouped by nor an aggregate of the fetch",
        "Group by it, or take an aggregate of it, such as max(cost)."
      ),
      (
        ["--group-by", "felt", "--sort", "-cost"],
        "'cost' is neither grouped by nor an aggregate of the fetch",
        "Group by it, or take an aggregate of it, such as max(cost)."
      ),
      (
        ["--group-by", "felt", "--sort", "-max(cost)"],
        "'max(cost)' is neither grouped by nor an aggregate of the fetch", "Add it to the aggregates."
      ),
      (
        ["--aggregate", "sum(id)"], "sum requires a number, and 'id' of Quake is a string",
        "count(id) counts those that are not null."
      ),
      (
        ["--aggregate", "max(region)"],
        "max requires a number, a text, a date or a day, and 'region' of Quake is an object id",
        "count(region) counts those that are not null."
      ),
      (["--aggregate", "sum"], "sum requires an attribute", "Write sum(NAME)."),
      (
        ["--aggregate", "count, count"], "two columns of the fetch have the name 'count'",
        "Give the aggregate another name: count as NAME."
      ),
      (
        ["--distinct"], "distinct rows require the names of properties: no object is the same as another",
        nil
      ),
      (
        ["--distinct", "--only", "id", "--aggregate", "count"],
        "distinct rows cannot be grouped: groups are distinct", nil
      ),
      (
        ["--group-by", "felt", "--with", "region"],
        "a fetch of groups can neither include related objects nor be in batches",
        "Group by a path, such as group.year."
      ),
    ] as [([String], String, String?)])
  func `what cannot be grouped is said in one sentence, with status 64`(
    arguments: [String], sentence: String, hint: String?
  ) throws {
    #expect(try fetch(["Quake"] + arguments) == .failure(64, "quakes.sqlite: \(sentence)", hint))
  }

  @Test(arguments: [
    ("avg(cost)", "there is no aggregate 'avg'; the aggregates are count, sum, min, max, average"),
    ("cost + 1", "'cost + 1' is not an aggregate; write count, sum(NAME) or sum(NAME) as NAME"),
    ("sum(cost) total", "'sum(cost) total' is not an aggregate; write count, sum(NAME) or sum(NAME) as NAME"),
  ])
  func `what is no aggregate`(text: String, sentence: String) throws {
    let outcome = try fetch(["Quake", "--aggregate", text])
    #expect(outcome.status == 64)
    #expect(
      outcome.errors.hasPrefix(
        "Error: The value '\(text)' is invalid for '--aggregate <function(name)>': \(sentence)\n"),
      "\(outcome.errors)")
  }
}
