import Foundation
import Testing

/// `bolide check PIPELINE INPUT`, from the outside.
struct CheckInputTests {
  private let pipeline = """
    bolide: 1
    store: quakes.sqlite
    entity: Quake
    key: id
    attributes:
      id: string
      magnitude: double
    """

  private func check(_ input: String) throws -> Tool {
    try Tool.inDirectory { directory in
      try Data(pipeline.utf8).write(to: directory.appending(path: "quakes.yaml"))
      let tool = try Tool(["check", "quakes.yaml", "-"], in: directory, input: input)
      let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      #expect(files == ["quakes.yaml"])
      return tool
    }
  }

  @Test func `an input that fits is told without a store`() throws {
    let tool = try check(#"{"id":"a","magnitude":1}"# + "\n" + #"{"id":"b","magnitude":2}"#)
    #expect(tool.status == 0)
    #expect(
      tool.output == """
        quakes.yaml: fine; quakes imports Quake by id into quakes.sqlite: Quake (2 attributes)
        stdin: one object a line, or concatenated; 2 records
          no record would be rejected
          no two records have the same key

        """)
    #expect(tool.errors.isEmpty)
  }

  @Test(arguments: ["me:secret@/db#x", "/db?user=me&password=secret#x"])
  func `a password in the store's address is not shown`(address: String) throws {
    let folder = try Folder()
    try folder.write(
      "bolide: 1\nname: q\nstore: \"postgresql://\(address)\"\nentity: Quake\nkey: id\nattributes: { id: string }\n",
      to: "quakes.yaml")
    try folder.write(#"[{"id": "a"}]"#, to: "feed.json")
    for arguments in [["quakes.yaml"], ["quakes.yaml", "feed.json"], ["quakes.yaml", "none.json"]] {
      let outcome = try folder.bolide(arguments: ["check"] + arguments)
      #expect(
        outcome.output.contains("into postgresql://") && !outcome.output.contains("secret"), "\(outcome)")
      #expect(!outcome.errors.contains("secret"))
    }
  }

  @Test func `a rejected record is status 65`() throws {
    let tool = try check(#"[{"id":"a","magnitude":1},{"id":"b","magnitude":"x"}]"#)
    #expect(tool.status == 65)
    #expect(
      tool.output.contains("  1 of 2 records would be rejected:\n    stdin:1:49: record 2: magnitude: "))
    #expect(tool.errors.isEmpty)
  }

  @Test func `an input that cannot be read is the import's own error`() throws {
    let tool = try check("[{\"id\":\"a\"},")
    #expect(tool.status == 65)
    #expect(tool.errors.hasPrefix("Error: stdin:1:13: the input ends after record 1"))
  }

  @Test func `no input, one line`() throws {
    try Tool.inDirectory { directory in
      try Data(pipeline.utf8).write(to: directory.appending(path: "quakes.yaml"))
      let tool = try Tool(["check", "quakes.yaml"], in: directory)
      #expect(tool.status == 0)
      #expect(tool.output.split(separator: "\n").count == 1)
    }
  }
}
