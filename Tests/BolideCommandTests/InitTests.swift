import Foundation
import Testing

/// `bolide init`, from the outside.
struct InitTests {
  @Test func `what init prints, check accepts and import runs`() throws {
    try Tool.inDirectory { directory in
      for arguments in [[], ["--data-first"]] {
        let feed = try Tool(["generate", "fireballs", "--rows", "500"] + arguments, in: directory)
        #expect(feed.status == 0)
        try Data(feed.output.utf8).write(to: directory.appending(path: "feed.json"))
        let draft = try Tool(["init", "feed.json"], in: directory)
        #expect(draft.status == 0)
        #expect(draft.errors.isEmpty)
        #expect(draft.output.contains("key: date                       # unique in all 500 records\n"))
        try Data(draft.output.utf8).write(to: directory.appending(path: "new.yaml"))
        let check = try Tool(["check", "new.yaml", "feed.json"], in: directory)
        #expect(check.status == 0)
        #expect(check.output.contains("\n  all of them would land\n"))
        let done = try Tool(["import", "new.yaml", "feed.json", "--json"], in: directory)
        #expect(done.status == 0)
        #expect(done.output.contains(#""read":500,"#))
        #expect(done.output.contains(#""rejected":0,"#))
      }
      #expect(FileManager.default.fileExists(atPath: directory.appending(path: "feed.sqlite").path))
    }
  }

  @Test func `standard input is read to disk, and its records have no other name`() throws {
    try Tool.inDirectory { directory in
      let draft = try Tool(["init"], in: directory, input: #"[{"id":1,"v":"x"},{"id":2,"v":"y"}]"#)
      #expect(draft.status == 0)
      #expect(
        draft.output == """
          # From standard input: 2 records; objects.
          # A draft from what this one input shows: look at the key, the types and the names.
          bolide: 1
          name: record
          store: record.sqlite
          entity: Record
          key: id                         # unique in all 2 records
          attributes:
            id: integer64
            v:  string

          """)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }
  }

  @Test(
    arguments: [
      ("[]", 65, "stdin: there are no records in it"), ("", 66, "stdin"),
      ("<html></html>", 65, "stdin:1:1: found an HTML or XML page; expected JSON"),
      (#"[{"a":1},{"a""#, 65, "stdin:1:14: the input ends inside record 2 (byte 13)"),
    ] as [(String, Int32, String)])
  func `an input without records is an error, and prints nothing`(
    input: String, status: Int32, sentence: String
  ) throws {
    try Tool.inDirectory { directory in
      let draft = try Tool(["init", "-"], in: directory, input: input)
      #expect(draft.status == status)
      #expect(draft.output.isEmpty)
      #expect(draft.errors.hasPrefix("Error: \(sentence)"))
    }
  }

  @Test func `a file that is not there is named`() throws {
    try Tool.inDirectory { directory in
      let draft = try Tool(["init", "nowhere.json"], in: directory)
      #expect(draft.status == 66)
      #expect(draft.errors.hasPrefix("Error: nowhere.json: no such file"))
    }
  }
}
