import Foundation
import Testing

/// CSV and TSV: all that an import does with records, where they are lines of cells.
@Suite struct DelimitedFeedTests {
  private let folder: Folder
  private static let pipeline = """
    bolide: 1
    store: s.sqlite
    entity: Station
    shape: csv
    missing: [""]
    key: id
    attributes: { id: integer64, name: string, level: double, tags: json }

    """

  init() throws {
    folder = try Folder()
    try folder.write(Self.pipeline, to: "s.yaml")
  }

  private func stations() throws -> [String] {
    try folder.sqlite(
      "s.sqlite", "SELECT id, replace(name, char(13, 10), '/'), level, tags FROM Station ORDER BY id")
  }

  @Test func `cells become values by the attributes' types, and an empty one null`() throws {
    try folder.write(
      "\u{feff}id,tags,level,name\r\n1,\"{\"\"a\"\": [1, 2]}\",4.50,\"x, \"\"y\"\"\r\nz\"\r\n\r\n2,,,\r\n",
      to: "s.csv")
    #expect(try folder.bolide("import", "s.yaml", "s.csv") == .silent)
    #expect(try stations() == [#"1|x, "y"/z|4.5|{"a": [1, 2]}"#, "2|||"])
    let again = try folder.bolide("import", "s.yaml", "s.csv", "-v", "--force")
    #expect(again.errors.hasPrefix("s: 2 read = 2 unchanged"))
    #expect(try folder.bolide("import", "s.yaml", "s.csv", "-v").errors.contains("(same bytes as run 2)"))
  }

  @Test
  func `every bad line is a rejected record with its line and column`()
    throws
  {
    var bytes = Array("id,name,level,tags\n1,a\n2,\"b\"c,1,\n3,c,x,\n4,\"d,1,\n5,".utf8)
    bytes += [0xff] + Array(",1,\n6,\u{0},1,\n7,g,1,[1\n8,h,1,,\n9,i,9,".utf8)
    try folder.write(Data(bytes), to: "s.csv")
    let outcome = try folder.bolide("import", "s.yaml", "s.csv", "--max-rejects", "8", "-v")
    #expect(outcome.status == 3)
    let lines = outcome.errors.split(separator: "\n").map(String.init)
    #expect(
      lines.dropLast() == [
        "s.csv:2:1: record 1: the row has 2 values, and there are 4 names",
        "s.csv:3:6: record 2: found 'c' after a closing quote; expected the next cell or the end of the line",
        "s.csv:4:5: record 3: level: expected a number such as 12.8",
        "s.csv:5:3: record 4: found a quote that never closes; expected a closing quote",
        "s.csv:6:3: record 5: found the byte 0xff in a string, which is not UTF-8; expected UTF-8",
        "s.csv:7:3: record 6: found a NUL byte; expected text",
        "s.csv:8:7: record 7: tags: expected JSON; use `json_quote(…)` for a text",
        "s.csv:9:1: record 8: the row has 5 values, and there are 4 names",
      ])
    #expect(lines.last?.hasPrefix("s: 9 read = 1 inserted + 8 rejected") == true)
    #expect(try stations() == ["9|i|9.0|"])
    let texts = try folder.sqlite(
      "s.sqlite",
      "SELECT t.text FROM bolide_reject r JOIN bolide_reject_text t ON t.id = r.text ORDER BY r.record")
    #expect(texts.prefix(4) == ["1,a", #"2,"b"c,1,"#, "3,c,x,", #"4,"d,1,"#])
  }

  @Test func `where another character is between the cells, the message says so`() throws {
    try folder.write("id;name\n1;x\n", to: "s.csv")
    #expect(
      try folder.bolide("import", "s.yaml", "s.csv")
        == .failure(
          65, "s.csv: the key column 'id' is missing; the columns are id;name",
          "If another character is between the cells, set `delimiter:` in the pipeline."))
  }

  @Test func `a replay reads a line by the names and the delimiter that it had`() throws {
    try folder.write("name;id;level\n\"a;\"\"b\";1;x\n", to: "one.csv")
    let semicolons = Self.pipeline.replacing("shape: csv", with: "shape: csv\ndelimiter: \";\"")
    try folder.write(semicolons, to: "s.yaml")
    #expect(try folder.bolide("import", "s.yaml", "one.csv").status == 65)
    // Another form of feed since, and a type that takes the text.
    try folder.write(
      Self.pipeline.replacing("level: double", with: "level: { type: double, missing: x }"), to: "s.yaml")
    let replay = try folder.bolide("import", "s.yaml", "--replay", "-v")
    #expect(replay.status == 0 && replay.errors.hasPrefix("s: 1 replayed = 1 inserted"))
    #expect(try stations() == [#"1|a;"b||"#])
  }

  @Test func `joined files, in members of gzip too, are one feed`() throws {
    let script = """
      printf 'id,name,level,tags\\n1,a,1,\\n' | gzip > s.csv.gz
      printf '\\357\\273\\277id,name,level,tags\\n2,b,,\\n' | gzip >> s.csv.gz
      "$bolide" import s.yaml s.csv.gz -v
      """
    #expect(try folder.shell(script).errors.hasPrefix("s: 2 read = 2 inserted"))
    #expect(try stations() == ["1|a|1.0|", "2|b||"])
  }

  @Test func `a column that goes is told of, and a new one is added`() throws {
    try folder.write("id,name,level,tags\n1,a,1,\n", to: "one.csv")
    #expect(try folder.bolide("import", "s.yaml", "one.csv") == .silent)
    try folder.write("id,name,tags,height\n1,a,,12.5\n2,b,,\n", to: "two.csv")
    let two = try folder.bolide("import", "s.yaml", "two.csv", "--on-new-field", "add")
    #expect(two.status == 0)
    #expect(two.errors.contains("'level'") && two.errors.contains("'height'"), "\(two.errors)")
    try folder.write("id,name,tags,height\n1,a,,12.5\n2,b,,\n3,c,,1.5\n", to: "three.csv")
    #expect(try folder.bolide("import", "s.yaml", "three.csv").status == 0)
    #expect(try folder.sqlite("s.sqlite", "SELECT id, height FROM Station") == ["1|12.5", "2|", "3|1.5"])
  }

  @Test(arguments: [
    ("id,level\n", 65, "s.csv: the key column 'code' is missing; the columns are id, level"),
    ("", 66, "s.csv: the file is empty"),
    ("\n\n", 65, "s.csv:3:1: found no line; expected one with the columns' names"),
    ("<html><body>Bad gateway</body></html>", 65, "s.csv:1:1: found an HTML or XML page; expected records"),
    (
      #"{"error":"no such station"}"#, 65,
      #"s.csv: the key column 'code' is missing; the columns are {"error":"no such station"}"#
    ),
    ("code,code\n1,2\n", 65, "s.csv:1:1: found two columns with the name 'code'; expected one"),
    ("code,name\n1,\"cut o", 65, "s.csv:2:3: found a quote that never closes; expected a closing quote"),
    (
      "temporarily unavailable, try again\n", 65,
      "s.csv: the key column 'code' is missing; the columns are temporarily unavailable,  try again"
    ),
  ]) func `what is no such feed ends the import`(input: String, status: Int32, sentence: String) throws {
    try folder.write(
      "bolide: 1\nstore: s.sqlite\nentity: S\nshape: csv\nkey: code\nattributes: { code: string, name: string }",
      to: "s.yaml")
    try folder.write(input, to: "s.csv")
    let outcome = try folder.bolide("import", "s.yaml", "s.csv")
    #expect(outcome.status == status)
    #expect(outcome.errors.hasPrefix("Error: \(sentence)."), "\(outcome.errors)")
  }

  @Test func `a quote that is open at the input's end is told with its place, and what to do`() throws {
    try folder.write("id,name,level,tags\n1,a,1,\n2,\"cut o", to: "s.csv")
    #expect(
      try folder.bolide("import", "s.yaml", "s.csv")
        == .failure(
          65,
          "s.csv:3:3: found a quote that never closes; expected a closing quote. The record before it is in the store",
          "The input may be cut off: fetch it again and run the same command: no row is duplicated."))
  }

  /// As where files of two programs have been concatenated.
  @Test func `a line that repeats the names is no record, however its cells are quoted`() throws {
    try folder.write(
      "id,name,level\n1,a,1\n\"id\",name,\"level\"\n2,b,2\nid,name,level\n3,c,3\n", to: "s.csv")
    #expect(try folder.bolide("import", "s.yaml", "s.csv") == .silent)
    #expect(try stations() == ["1|a|1.0|", "2|b|2.0|", "3|c|3.0|"])
    try folder.write("\"id\",\"name\"\n4,d\nid,name\nid,names\n", to: "s.csv")
    let outcome = try folder.bolide("import", "s.yaml", "s.csv", "--max-rejects", "1", "-v")
    #expect(outcome.errors.contains("s: 2 read = 1 inserted + 1 rejected"), "\(outcome)")
  }

  @Test func `columns of the pipeline name the cells of a file without a header`() throws {
    try folder.write(
      """
      bolide: 1
      store: s.sqlite
      entity: S
      shape: tsv
      columns: [code, name]
      key: code
      attributes: { code: string, name: string }

      """, to: "s.yaml")
    #expect(try folder.shell("printf 'a\\tx,y\\nb\\t\\n' | \"$bolide\" import s.yaml -").status == 0)
    #expect(try folder.sqlite("s.sqlite", "SELECT code, name FROM S") == ["a|x,y", "b|"])
    #expect(
      try folder.bolide("check", "s.yaml", "-").output.hasPrefix("s.yaml: fine") == true)
  }

  // MARK: Drafts

  private func draft(_ text: String, as name: String) throws -> Outcome {
    try folder.write(text, to: name)
    return try folder.bolide("init", name)
  }

  @Test func `init recognizes commas, tabs, semicolons and bars, and numbers, days and empty cells in them`()
    throws
  {
    for (delimiter, lines) in [
      (",", ["shape: csv"]), ("\t", ["shape: tsv"]), (";", ["shape: csv", #"delimiter: ";""#]),
      ("|", ["shape: csv", #"delimiter: "|""#]),
    ] {
      let rows = [
        ["id", "zip", "at", "size"], ["1", "00501", "2026-01-02", ""], ["2", "20850", "2026-01-03", "1.5"],
      ]
      let text = rows.map { $0.joined(separator: delimiter) + "\n" }.joined()
      let outcome = try draft(text, as: "sizes.csv")
      let found = outcome.lines.filter { !$0.hasPrefix("#") }
      #expect(
        found.map { $0.split(separator: "#")[0].trimmingCharacters(in: .whitespaces) } == [
          "bolide: 1", "name: sizes", "store: sizes.sqlite", "entity: Sizes",
        ] + lines + [
          #"missing: [""]"#, "key: id", "attributes:", "id:   integer64", "zip:  string", "at:   day",
          "size: double",
        ])
    }
  }

  @Test func `init numbers the columns of lines without names`() throws {
    let outcome = try draft("1,2026-01-02,x\n2,2026-01-03,y\n", as: "bare.csv")
    #expect(outcome.output.contains("columns: [column1, column2, column3]\n"))
    #expect(
      outcome.output.contains(
        "From bare.csv: 2 records; lines of comma-separated values, with given names.\n"))
  }

  @Test func `init takes no message for CSV`() throws {
    let outcome = try draft("temporarily unavailable, try again\n", as: "feed.json")
    #expect(outcome.status == 65 && outcome.output.isEmpty)
  }
}
