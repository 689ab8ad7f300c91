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
        // The second draft would go into the store of the first.
        #expect(draft.errors.isEmpty == arguments.isEmpty)
        #expect(draft.output.contains("key: date                       # unique in all 500 records\n"))
        try Data(draft.output.utf8).write(to: directory.appending(path: "new.yaml"))
        let check = try Tool(["check", "new.yaml", "feed.json"], in: directory)
        #expect(check.status == 0)
        #expect(check.output.contains("\n  no record would be rejected\n"))
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

  @Test func `several inputs are one feed, standard input among them`() throws {
    try Tool.inDirectory { directory in
      let inputs = [
        "day-1.json": #"{"events":[{"id":1,"v":1},{"id":2,"v":2}]}"#, "day-2.json": #"{"events":[]}"#,
        "other.json": #"{"rows":[{"id":1}]}"#,
      ]
      for (name, text) in inputs { try Data(text.utf8).write(to: directory.appending(path: name)) }
      let events = #"{"events":[{"id":3,"v":2.5},{"id":4,"w":"x"}]}"#
      let draft = try Tool(["init", "day-1.json", "day-2.json", "-"], in: directory, input: events)
      #expect(
        draft.output == """
          # From 3 inputs, day-1.json, day-2.json and standard input: 4 records; objects under events.
          # There are no records in day-2.json.
          # A draft from what these 3 inputs show: look at the key, the types and the names.
          bolide: 1
          name: day
          store: day.sqlite
          entity: Day
          records: events
          key: id                         # unique in all 4 records
          attributes:
            id: integer64
            v:  double     # missing in 1
            w:  string     # missing in 3

          """, "\(draft.output)\(draft.errors)")
      try Data(draft.output.utf8).write(to: directory.appending(path: "day.yaml"))
      let done = try Tool(
        ["import", "day.yaml", "day-1.json", "day-2.json", "-", "--json"], in: directory, input: events)
      #expect(done.status == 0 && done.output.contains(#""inserted":4,"#))
      let twice = try Tool(["init", "-", "day-1.json", "-"], in: directory, input: events)
      #expect(twice.status == 64 && twice.errors.hasPrefix("Error: - can be given only once\n"))
      let unlike = try Tool(["init", "day-1.json", "other.json", "day-2.json"], in: directory)
      #expect(unlike.status == 65 && unlike.output.isEmpty)
      #expect(
        unlike.errors == """
          Error: other.json: found objects under rows, but day-1.json has objects under events.
                 Use inputs of one shape: one pipeline reads them all in the same way.

          """, "\(unlike.errors)")
    }
  }

  @Test func `money and places are drafted, imported and fetched to the last digit`() throws {
    try Tool.inDirectory { directory in
      let parts = [
        #"{"orders":[{"id":1,"currency":"EUR","total":49.90,"at":{"type":"Point","coordinates":[13.4,52.5]}}]}"#,
        #"{"orders":[{"id":2,"currency":"JPY","total":70368744177664.1,"at":{"type":"Point","coordinates":[-73.98,40.75,3]}}]}"#,
      ]
      for (index, text) in parts.enumerated() {
        try Data(text.utf8).write(to: directory.appending(path: "orders-\(index).json"))
      }
      let draft = try Tool(["init", "orders-0.json", "orders-1.json"], in: directory)
      #expect(
        draft.output == """
          # From 2 inputs, orders-0.json and orders-1.json: 2 records; objects under orders.
          # A draft from what these 2 inputs show: look at the key, the types and the names.
          bolide: 1
          name: orders
          store: orders.sqlite
          entity: Orders
          records: orders
          key: id                         # unique in all 2 records
          attributes:
            id:            integer64
            currency:      string
            total:         { type: decimal, scale: 2 }               # money, by its name and `currency` beside it, at most 2 decimals
            atType:        { type: string, from: at/type }
            longitude:     { type: double, from: at/coordinates/0 }
            latitude:      { type: double, from: at/coordinates/1 }
            heightOrDepth: { type: double, from: at/coordinates/2 }  # the third coordinate: name it by what it is; missing in 1

          """, "\(draft.output)\(draft.errors)")
      try Data(draft.output.utf8).write(to: directory.appending(path: "orders.yaml"))
      for input in ["orders-0.json", "orders-1.json"] {
        #expect(try Tool(["check", "orders.yaml", input], in: directory).status == 0)
      }
      #expect(
        try Tool(["import", "orders.yaml", "orders-0.json", "orders-1.json"], in: directory).status == 0)
      let fetched = try Tool(
        ["fetch", "orders.sqlite", "Orders", "--only", "total,longitude,latitude,heightOrDepth"],
        in: directory)
      #expect(
        fetched.output == """
          {"total":49.90,"longitude":13.4,"latitude":52.5,"heightOrDepth":null}
          {"total":70368744177664.10,"longitude":-73.98,"latitude":40.75,"heightOrDepth":3}

          """, "\(fetched.output)\(fetched.errors)")
    }
  }

  @Test func `the records' path, the key and the names can be chosen`() throws {
    let feed =
      #"{"days":{"2026-01-01":{"rows":[{"id":1,"n":{"code":"a"}},{"id":2,"n":{"code":"a"}}]}},"other":[{"x":1},{"x":2}]}"#
    try Tool.inDirectory { directory in
      let draft = try Tool(
        [
          "init", "--records", "days/<when>/rows", "--key", "id,n/code", "--name", "my-feed", "--entity",
          "Row",
        ], in: directory, input: feed)
      #expect(
        draft.output == """
          # From standard input: 2 records; objects under days/<day>/rows.
          # A draft from what this one input shows: look at the key, the types and the names.
          bolide: 1
          name: my-feed
          store: my-feed.sqlite
          entity: Row
          records: days/<day>/rows
          key: [id, nCode]                # unique in all 2 records
          attributes:
            day:   { type: day, from: <day> }
            id:    integer64
            nCode: { type: string, from: n/code }

          """, "\(draft.output)\(draft.errors)")
      let named = try Tool(
        ["init", "--name", "my-feed", "--key", "code"], in: directory,
        input: #"[{"code":1,"n":1},{"code":1,"n":2}]"#)
      #expect(named.output.contains("entity: MyFeed\n"))
      #expect(
        named.output.contains(
          "key: code                       # not unique: 1 record has the key of an earlier one, out of 2; the last one counts\n"
        ),
        "\(named.output)")
      let none = try Tool(["init", "--key", "cod"], in: directory, input: #"[{"code":1},{"code":2}]"#)
      #expect(none.status == 64 && none.output.isEmpty)
      #expect(
        none.errors == """
          Error: stdin: its records have no field 'cod'; did you mean 'code'?
                 Name an attribute of the draft, or the field that it is read from.

          """, "\(none.errors)")
      let nowhere = try Tool(["init", "--records", "rows"], in: directory, input: feed)
      #expect(nowhere.status == 65 && nowhere.output.isEmpty)
    }
  }

  @Test(
    arguments: [
      ("[]", 65, "stdin: there are no records in it"), ("", 66, "stdin"),
      ("<html></html>", 65, "stdin:1:1: found an HTML or XML page; expected records"),
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

  @Test func `a store that is there already is told, and what a draft is unsure of ends check with 65`()
    throws
  {
    try Tool.inDirectory { directory in
      let feed = (0..<40).map { #"{"s":"\#($0 % 20)","v":\#($0).5}"# }.joined(separator: ",\n")
      try Data("[\(feed)]".utf8).write(to: directory.appending(path: "cities500.json"))
      let draft = try Tool(["init", "cities500.json"], in: directory)
      #expect(draft.status == 0 && draft.errors.isEmpty)
      #expect(
        draft.output.contains(
          "key: s                          # not unique: 20 records have the key of an earlier one"))
      try Data(draft.output.utf8).write(to: directory.appending(path: "cities500.yaml"))
      #expect(try Tool(["check", "cities500.yaml", "cities500.json"], in: directory).status == 65)
      #expect(try Tool(["import", "cities500.yaml", "cities500.json"], in: directory).status == 0)
      let again = try Tool(["init", "cities500.json"], in: directory)
      #expect(
        again.errors == """
          Note: cities500.sqlite exists, and this pipeline imports into it. To use another store, change `store`.

          """)
    }
  }

  @Test func `rows that nothing names are drafted under their path`() throws {
    try Tool.inDirectory { directory in
      let rows = (0..<40).map { #"["name \#($0)","1 \#($0)","2 \#($0)"]"# }.joined(separator: ",")
      try Data("{\"at\":1,\"sats\":[\(rows)]}".utf8).write(to: directory.appending(path: "tle.json"))
      let draft = try Tool(["init", "tle.json"], in: directory)
      #expect(draft.output.contains("\nrecords: sats\ncolumns: [column1, column2, column3]\nkey: column1 "))
      try Data(draft.output.utf8).write(to: directory.appending(path: "tle.yaml"))
      let done = try Tool(["import", "tle.yaml", "tle.json", "--json"], in: directory)
      #expect(done.status == 0 && done.output.contains(#""inserted":40,"#))
    }
  }
}
