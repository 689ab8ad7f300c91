import Foundation
import Testing

/// What STRICT does not hold is held by CHECK constraints against other programs, and no text makes a line lie.
@Suite struct ColumnCheckTests {
  private let folder: Folder

  private static let feed =
    #"{"id":1,"i":-32768,"l":2147483647,"b":true,"day":"2024-02-29","at":"2024-02-29T23:59:59Z","ms":"0000-01-01T00:00:00.999Z","us":"9999-12-31T23:59:59.999999Z","u":"6f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a01","j":{"a":[1]}}"#

  init() throws {
    folder = try Folder()
    try folder.write(
      """
      bolide: 1
      store: s.sqlite
      entity: T
      key: id
      attributes:
        id:  integer64
        i:   integer16
        l:   integer32
        b:   boolean
        day: day
        at:  date
        ms:  { type: date, precision: ms }
        us:  { type: date, precision: us }
        u:   uuid
        j:   json
      """, to: "p.yaml")
    try folder.write(Self.feed, to: "feed.json")
    #expect(try folder.bolide("import", "p.yaml", "feed.json", "-q").status == 0)
  }

  @Test(arguments: [
    "i = 32768", "i = -32769", "l = 2147483648", "b = 2", "b = -1", "day = '2023-02-30'", "day = '2023-2-3'",
    "day = 'now'", "day = '2023-02-03x'", "day = ''", "at = 'garbage'", "at = '2023-02-03'",
    "at = '2023-02-03 04:05:06'",
    "at = '2023-02-03T04:05:06'", "at = '2023-02-03T04:05:06.5Z'", "at = '2023-02-03T24:05:06Z'",
    "at = '2023-02-03T04:05:60Z'", "at = '2023-02-03T04:05:06+01:00'",
    "at = '2023-02-03T04:05:06Z' || char(0) || 'x'",
    "ms = '2023-02-03T04:05:06Z'", "ms = '2023-02-03T04:05:06.5Z'", "ms = '2023-02-30T04:05:06.500Z'",
    "us = '2023-02-03T04:05:06.500Z'", "us = '2023-02-03T04:05:06.50000xZ'",
    "us = '2023-02-30T04:05:06.500000Z'",
    "us = '2023-02-03T04:05:06.500000Z' || char(0) || 'x'", "u = 'x'",
    "u = '6F1C2F0E-8D0B-4F43-9A55-0F2D8F6F7A01'",
    "u = '------------------------------------'", "u = '6f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a01' || char(0)",
    "u = '6f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a0g'",
  ])
  func `another program cannot store what is no value`(assignment: String) throws {
    let outcome = try folder.run("sqlite3", ["-bail", "s.sqlite", "UPDATE T SET \(assignment)"])
    #expect(outcome.status != 0 && outcome.errors.contains("CHECK constraint"), "\(outcome.errors)")
  }

  @Test func `every value of a type can be stored, and null`() throws {
    try folder.python(
      """
      import sqlite3, uuid, datetime, random
      db = sqlite3.connect("s.sqlite")
      r = random.Random(7)
      for n in range(4000):
        ms = n % 1000
        day = datetime.date.fromordinal(r.randrange(1, 3652059)).isoformat()
        time = f"{day}T{r.randrange(24):02}:{r.randrange(60):02}:{r.randrange(60):02}"
        db.execute("INSERT INTO T(id, i, l, b, day, at, ms, us, u, j) VALUES (?,?,?,?,?,?,?,?,?,?)", (n + 10,
          r.randrange(-2**15, 2**15), r.randrange(-2**31, 2**31), n % 2, day, time + "Z", f"{time}.{ms:03}Z",
          f"{time}.{r.randrange(10**6):06}Z", str(uuid.UUID(int=r.getrandbits(128))), r.choice(['{"a":1}', '"x"', "7", "null"])))
      db.execute("INSERT INTO T(id) VALUES (9)")
      db.commit()
      """)
    #expect(try folder.bolide("verify", "s.sqlite").output == "")
    #expect(try folder.bolide("import", "p.yaml", "feed.json", "-v").errors.contains("1 read = 1 unchanged"))
  }

  @Test func `what was stored past the CHECKs is told, and no line lies`() throws {
    try folder.sqlite(
      "s.sqlite",
      #"PRAGMA ignore_check_constraints = ON; UPDATE T SET j = '1,"id":7', at = 'a' || char(10) || '"b'; INSERT INTO T(id, j) VALUES (2, 'x')"#
    )
    for arguments in [
      ["fetch", "s.sqlite", "T"], ["snapshot", "s.sqlite"],
      ["changes", "s.sqlite", "--values", "--previous"],
    ] {
      let outcome = try folder.run(Folder.tool, arguments)
      try folder.write(outcome.output, to: "lines")
      try folder.python(
        """
        import json
        def once(pairs):
          assert len({k for k, v in pairs}) == len(pairs), pairs
          return dict(pairs)
        found = [json.loads(line, object_pairs_hook=once) for line in open("lines")]
        rows = [x.get("values", x) for x in found]
        assert any(x.get("j") == '1,"id":7' and x["id"] == 1 and x["at"] == 'a\\n"b' for x in rows if x), rows
        """)
    }
    let verified = try folder.bolide("verify", "s.sqlite")
    #expect(verified.status == 65)
    #expect(verified.output.contains("T 1 j: the stored value is not a valid json\n"))
    #expect(verified.output.contains("T 1 at: the stored value is not a valid date\n"))
    #expect(verified.output.contains("T 2 j: the stored value is not a valid json\n"))
    // What cannot be put right is copied as it is.
    #expect(try folder.bolide("snapshot", "s.sqlite", "--sqlite", "copy.sqlite").status == 0)
  }

  @Test func `columns that are added, renamed and widened keep their CHECKs`() throws {
    try folder.write(
      """
      bolide: 1
      store: s.sqlite
      entity: T
      key: id
      attributes:
        id:    integer64
        short: { type: integer32, was: i }
        at:    { type: date, precision: ms }
        flag:  boolean
        day:   { type: day, required: true }
      """, to: "q.yaml")
    try folder.write(
      #"{"id":2,"short":40000,"at":"2024-02-29T23:59:59.5Z","flag":false,"day":"2024-01-01"}"#,
      to: "more.json")
    let outcome = try folder.bolide("import", "q.yaml", "more.json", "-q")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      try folder.sqlite("s.sqlite", "SELECT short, at FROM T ORDER BY id") == [
        "-32768|2024-02-29T23:59:59.000Z", "40000|2024-02-29T23:59:59.500Z",
      ])
    for assignment in [
      "short = 2147483648", "at = '2024-02-29T23:59:59Z'", "flag = 2", "day = 'x'", "day = NULL",
    ] {
      #expect(try folder.run("sqlite3", ["-bail", "s.sqlite", "UPDATE T SET \(assignment)"]).status != 0)
    }
    try folder.sqlite("s.sqlite", "UPDATE T SET short = 70000, flag = 1")
    #expect(try folder.bolide("verify", "s.sqlite").output == "")
    #expect(try folder.bolide("migrate", "s.sqlite", "q.yaml", "--drop", "T.u").status == 0)
    #expect(try folder.bolide("verify", "s.sqlite").output == "")
  }

  @Test func `what an expression gives for json is JSON`() throws {
    try folder.write(
      """
      bolide: 1
      store: e.sqlite
      entity: E
      key: id
      attributes:
        id:   string
        raw:  { type: json, value: id }
      """, to: "e.yaml")
    try folder.write(#"[{"id":"{\"a\":1}"},{"id":"1,2"},{"id":"7"}]"#, to: "e.json")
    let outcome = try folder.bolide("import", "e.yaml", "e.json", "--max-rejects", "1", "-v")
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("raw: expected JSON; use `json_quote(…)` for a text"))
    #expect(try folder.sqlite("e.sqlite", "SELECT raw FROM E") == ["7", #"{"a":1}"#])
  }
}
