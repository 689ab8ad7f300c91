import BolideBench
import Foundation
import Testing

/// An input that is none, or cannot be read as one: one sentence and what to do, and good rows before it stay.
@Suite struct InputProblemTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var input: String
    var status: Int32
    var sentence: String
    var hint: String
    /// How many rows are in the store afterwards; nil where there is no store.
    var rows: Int?
    var testDescription: String { name }
  }

  private static let again = "Fetch the input again and run the same command: no row is duplicated."
  private static let count =
    "Fetch the input again and run the same command: no row is duplicated. If `count` is the "
    + "total of several pages, set `count: total` in the pipeline."
  private static let mend =
    "Repair the input, or fetch it again, and run the same command: no row is duplicated."
  private static let shape =
    "Check that the input is JSON. If it is CSV, set `shape: csv`; if its records are elsewhere, `records: PATH`."
  private static let page =
    "The input may be an error page: check its URL."
  private static let sender = "The input may be an error message of the server: check it."

  private static let cases = [
    Case(
      name: "an empty file", input: "", status: 66, sentence: "feed.json: the file is empty",
      hint: "Fetch the file again."),
    Case(
      name: "white space alone", input: " \n\n", status: 66,
      sentence: "feed.json:3:1: found no JSON, the input is empty; expected an array or an object",
      hint: again,
      rows: 0),
    Case(
      name: "not JSON", input: "hello", status: 65,
      sentence: "feed.json:1:1: found a word that is not true, false or null; expected a value", hint: shape,
      rows: 0),
    Case(
      name: "HTML", input: "<!DOCTYPE html>\n<html><body>Bad gateway</body></html>", status: 65,
      sentence: "feed.json:1:1: found an HTML or XML page; expected records", hint: page, rows: 0),
    Case(
      name: "one number", input: "5", status: 65,
      sentence:
        "feed.json:1:1: found text that begins with '5' where the records should be; expected an array or an object",
      hint: shape, rows: 0),
    Case(
      name: "a sentence", input: "temporarily unavailable", status: 65,
      sentence:
        "feed.json:1:1: found text that begins with 't' where the records should be; expected an array or an object",
      hint: shape, rows: 0),
    Case(
      name: "cut inside a record", input: quakes + #", {"id": "c", "ti"#, status: 65,
      sentence:
        "feed.json:3:18: the input ends inside record 3 (byte \(quakes.utf8.count + 17)). The 2 records before it are in the store",
      hint: again, rows: 2),
    Case(
      name: "cut after a record", input: quakes, status: 65,
      sentence:
        "feed.json:3:1: the input ends after record 2, before its last bracket (byte \(quakes.utf8.count))."
        + " The 2 records before it are in the store",
      hint: again, rows: 2),
    Case(
      name: "more than a document", input: "{\"quakes\": \(quakes)]}\n}", status: 65,
      sentence: "feed.json:4:1: found '}' after the end of the document; expected nothing more."
        + " The 2 records before it are in the store",
      hint: mend, rows: 2),
    Case(
      name: "a second document that is an error message",
      input: "{\"quakes\": \(quakes)]}\n{\"error\": 429}", status: 65,
      sentence: "feed.json: there are no rows; the input is an object with the key 'error'."
        + " The 2 records read are in the store",
      hint: sender, rows: 2),
    Case(
      name: "a second document whose count disagrees",
      input: "{\"count\": 2, \"quakes\": \(quakes)]}\n{\"count\": 1, \"quakes\": []}", status: 65,
      sentence:
        "feed.json: the feed's `count` is 1, but 0 records were read. The 2 records read are in the store",
      hint: count, rows: 2),
    Case(
      name: "a page with more records than there are",
      input: #"{"next": null, "count": 1, "quakes": \#(quakes)]}"#, status: 65,
      sentence:
        "feed.json: the feed's `count` is 1, but 2 records were read. The 2 records read are in the store",
      hint: count, rows: 2),
    Case(
      name: "a page without rows", input: #"{"next": null, "count": 7, "page": 1}"#, status: 65,
      sentence: "feed.json: there are no rows; the input is an object with the keys 'next', 'count', 'page'",
      hint: sender, rows: 0),
    Case(
      name: "a word in the rows", input: quakes + ", nul]", status: 65,
      sentence: "feed.json:3:3: found a word that is not true, false or null; expected a value."
        + " The 2 records before it are in the store",
      hint: mend, rows: 2),
    Case(
      name: "an error message", input: #"{"error": {"code": 429}}"#, status: 65,
      sentence: "feed.json: there are no rows; the input is an object with the key 'error'", hint: sender,
      rows: 0),
    Case(
      name: "a count that disagrees", input: #"{"count": 3, "quakes": \#(quakes)]}"#, status: 65,
      sentence:
        "feed.json: the feed's `count` is 3, but 2 records were read. The 2 records read are in the store",
      hint: count, rows: 2),
    Case(
      name: "a count of text that disagrees", input: #"{"quakes": \#(quakes)], "count": "1"}"#, status: 65,
      sentence:
        "feed.json: the feed's `count` is 1, but 2 records were read. The 2 records read are in the store",
      hint: count, rows: 2),
    Case(
      name: "cut after the first record", input: #"[{"id": "a"}, {"id""#, status: 65,
      sentence:
        "feed.json:1:20: the input ends inside record 2 (byte 19). The record before it is in the store",
      hint: again, rows: 1),
    Case(
      name: "another feed's columns", input: #"{"fields": ["a", "b"], "data": [["x", 1]]}"#, status: 65,
      sentence: "feed.json: the key column 'id' is missing; the columns are a, b",
      hint: "If the feed has renamed the column, set its new name with `from:` in the pipeline.", rows: 0),
    Case(
      name: "UTF-16", input: "[\0]\0", status: 65, sentence: "feed.json:1:1: found UTF-16; expected UTF-8",
      hint: "Convert the input first: iconv -f UTF-16 -t UTF-8", rows: 0),
    Case(
      name: "UTF-32", input: "[\0\0\0", status: 65, sentence: "feed.json:1:1: found UTF-32; expected UTF-8",
      hint: "Convert the input first: iconv -f UTF-32 -t UTF-8", rows: 0),
    Case(
      name: "several lists", input: #"{"a": [{"id": "a"}], "b": [{"id": "b"}]}"#, status: 65,
      sentence: "feed.json:1:1: found several arrays that could be the records: 'a', 'b';"
        + " expected one array, or a path",
      hint: "Set the path of the records in the pipeline: `records: PATH`.", rows: 0),
    Case(
      name: "xz", input: "\u{fd}7zXZ\u{0}", status: 65,
      sentence: "feed.json: this is xz data; expected plain text, gzip or zstd",
      hint: "Unpack it first: xz -dc FILE"),
  ]

  private static let quakes = """
    [{"id": "a", "time": "2020-01-01"},
    {"id": "b", "time": "2020-01-02", "magnitude": 1}

    """

  @Test(arguments: cases) func `a bad input gets one sentence, and what was good before it stays`(
    problem: Case
  ) throws {
    // Latin 1 writes each character as one byte.
    try folder.write(try #require(problem.input.data(using: .isoLatin1)), to: "feed.json")
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json")
    #expect(outcome == .failure(problem.status, problem.sentence, problem.hint))
    if let rows = problem.rows {
      #expect(try folder.sqlite("quakes.sqlite", "SELECT count(*) FROM Quake") == ["\(rows)"])
    }
    // The mended input gives what a clean run gives.
    try folder.write(Self.quakes + #", {"id": "c", "magnitude": 2.5}]"#, to: "feed.json")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--store", "clean.sqlite") == .silent)
    let rows = "SELECT id, time, magnitude FROM Quake ORDER BY id"
    #expect(try folder.sqlite("quakes.sqlite", rows) == folder.sqlite("clean.sqlite", rows))
    #expect(try folder.sqlite("quakes.sqlite", rows).count == 3)
  }

  @Test(arguments: [
    "[]", "[ ]\n", #"{"count": 0}"#, #"{"signature": {}, "count": "0"}"#, #"{"quakes": []}"#,
    #"{"fields": ["id"], "data": []}"#,
  ]) func `a feed of no records is a success`(input: String) throws {
    try folder.write(input, to: "feed.json")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    #expect(try folder.sqlite("quakes.sqlite", "SELECT outcome, read FROM bolide_run") == ["ok|0"])
  }

  @Test func `no such file and a folder are no input, and make no store`() throws {
    let missing = try folder.bolide("import", "quakes.yaml", "nowhere.json")
    #expect(
      missing
        == .failure(
          66, "nowhere.json: no such file", "Check the path; a relative path starts at the working directory."
        ))
    let directory = try folder.bolide("import", "quakes.yaml", ".")
    #expect(directory == .failure(66, ".: this is a directory; expected a file", "Name the files in it."))
    #expect(!FileManager.default.fileExists(atPath: folder.path("quakes.sqlite")))
  }

  @Test func `not a byte on standard input is no input, and a run that says so`() throws {
    for input in [Input.nothing, .closed, .pipe(Data())] {
      let silent = try folder.bolide("import", "quakes.yaml", "-", input: input)
      #expect(
        silent
          == .failure(
            66, "stdin: the input is empty; did the command before the pipe fail?",
            "Run the command before the pipe by itself, and check its exit status."))
    }
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT outcome, read FROM bolide_run") == [
        "empty|0", "empty|0", "empty|0",
      ])
  }

  @Test func `a terminal is no input`() throws {
    let output = try folder.python(
      """
      import os, pty, subprocess, sys
      terminal, side = pty.openpty()
      tool = subprocess.run([sys.argv[1], "import", "quakes.yaml"], stdin=side, capture_output=True, timeout=30)
      print(tool.returncode, tool.stdout, tool.stderr.decode(), sep="|", end="")
      """, Folder.tool)
    #expect(
      output == """
        64|b''|Error: stdin: this is a terminal; expected a pipe or a file.
               Use a file, or pipe the feed into standard input.

        """)
  }
}
