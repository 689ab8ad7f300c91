import Foundation
import Testing

/// Generated feeds with every kind of damage, against a Python program that reads them by the same rules.
///
/// Whatever is refused, left out or landed, all counts add up: in the report, in the run's row and in the rejects; and the
/// rows are those that Python has.
@Suite struct HostileFeedTests {
  private static let yaml = """
    bolide: 1
    store: quakes.sqlite
    entity: Quake
    key: [net, id]
    check: mag IS NULL OR mag < 9.5
    attributes:
      net:   string
      id:    integer32
      mag:   { type: double, missing: [NA, ""] }
      depth: { type: integer16, min: 0, max: 700 }
      place: { type: string, max-length: 20 }
      kind:  { type: string, one-of: [quake, blast], default: quake }
      felt:  { type: integer64, required: true }
      near:  { type: string, transient: true, from: more/near/0 }
      where: { type: string, value: "near || '!'" }
    """

  /// Writes a feed, and what an import of it in chunks of any size has to come to.
  private static let program = """
    import json, random, sys
    seed, shape, known = int(sys.argv[1]), sys.argv[2], {}
    r = random.Random(seed)
    names = ["net", "id", "mag", "depth", "place", "kind", "felt", "more"]
    ABSENT = object()

    def row():
      return {"net": r.choice("ab"), "id": r.randrange(60), "mag": r.choice([1.5, "2.25", None, "NA", "", 9]),
        "depth": r.choice([0, 10, "700", None]), "place": r.choice(["x", "", None, "M\\u00fcnchen", "\\U0001f30d" * 20]),
        "kind": r.choice(["quake", "blast"]), "felt": r.choice([0, 5, "9007199254740993", 2**63 - 1]),
        "more": r.choice([{"near": ["z", 1]}, {"near": []}, None, {}])}

    def damage(record):
      name = r.choice(names)
      record[name] = r.choice([None, True, [], {}, [1], {"a": 1}, "x", "\\u0000", 1e300, -1, 40000, 2**31,
        "9223372036854775808", "1.5", " 1", "1 ", 2.5, "\\U0001f30d" * 21, "\\ud800", ABSENT, ABSENT, 9.5, 701, "NaN"])
      return record

    records, raw = [], []
    for _ in range(r.choice([1, 40, 400])):
      record = row()
      for _ in range(r.choice([0, 0, 0, 0, 1, 1, 2])): damage(record)
      if shape == "objects" and r.random() < 0.1: record["extra"] = {"deep": [[{}]]}
      records.append(record)
      if shape == "objects":
        if r.random() < 0.02: raw.append(r.choice(["5", '"x"', "null", "[1]", "true"]))
        else: raw.append(json.dumps({k: v for k, v in record.items() if v is not ABSENT}))
      else:
        cells = [None if record[n] is ABSENT else record[n] for n in names]
        if r.random() < 0.02: cells = cells[:-1]
        raw.append(json.dumps(cells) if r.random() > 0.01 else "{}")
    if shape == "objects": text = "[" + ",\\n".join(raw) + "]"
    elif shape == "turned": text = '{"data": [' + ",\\n".join(raw) + '], "count": %d, "fields": %s}' % (len(raw), json.dumps(names))
    else: text = '{"fields": %s, "count": "%d", "data": [' % (json.dumps(names), len(raw)) + ",\\n".join(raw) + "]}"
    open("feed.json", "w").write(text)
    open("records.json", "w").write("[" + ",".join(raw) + "]")
    print(len(raw))
    """

  @Test(arguments: 0..<3) func `all counts add up, and the rejected records are those that are not there`(
    seed: Int
  ) throws {
    let folder = try Folder()
    try folder.write(Self.yaml, to: "quakes.yaml")
    let shape = ["objects", "columns", "turned"][seed % 3]
    let read = try #require(
      Int(try folder.python(Self.program, "\(seed)", shape).trimmingCharacters(in: .whitespacesAndNewlines)))
    // One record a chunk is the plainest import there is; every other way has to come to the same.
    var rows: [String]?
    var refused: [String]?
    for (run, arguments) in [
      ["--chunk-rows", "1"], ["--chunk-rows", "7"], [], ["--atomic", "--chunk-rows", "20"],
    ].enumerated() {
      let store = "\(run).sqlite"
      let outcome = try Running(
        Folder.tool,
        ["import", "quakes.yaml", "feed.json", "--store", store, "--max-rejects", "100%", "--json", "-q"]
          + arguments,
        in: folder, input: .nothing
      ).outcome()
      let counts = try Counts(outcome)
      #expect(
        outcome.status == (counts.rejected == 0 ? 0 : counts.rejected == read ? 65 : 3), "\(outcome.errors)")
      #expect(counts.read == read)
      let landed = counts.inserted + counts.updated + counts.unchanged + counts.duplicates + counts.superseded
      if !(run == 3 && counts.rejected == read) { #expect(read == landed + counts.rejected) }
      #expect(
        try folder.sqlite(
          store, "SELECT read, inserted, updated, unchanged, duplicates, superseded, rejected FROM bolide_run"
        )
          == [
            "\(read)|\(counts.inserted)|\(counts.updated)|\(counts.unchanged)|\(counts.duplicates)|\(counts.superseded)|\(counts.rejected)"
          ])
      #expect(
        try folder.sqlite(store, "SELECT ifnull(sum(times), 0) FROM bolide_reject") == ["\(counts.rejected)"])
      #expect(try folder.count("Quake", in: store) == counts.inserted)
      #expect(try folder.bolide("verify", store) == .silent)
      let found = try folder.sqlite(
        store, "SELECT net, id, mag, depth, quote(place), kind, felt, \"where\" FROM Quake ORDER BY 1, 2")
      let texts = try folder.sqlite(
        store,
        """
        SELECT quote(t.text), code, times FROM bolide_reject
        LEFT JOIN bolide_reject_text AS t ON t.id = bolide_reject.text ORDER BY 1, 2
        """)
      #expect(found == rows ?? found, "the rows of chunks \(arguments)")
      #expect(texts == refused ?? texts, "the rejects of chunks \(arguments)")
      (rows, refused) = (found, texts)
      // A record that was not refused has landed: its key is in the table, with the last value that is not absent.
      try folder.python(Self.check, store)
      // Once more: the same verdict, the same rejects, and no row is written.
      let again = try folder.bolide(
        "import", "quakes.yaml", "feed.json", "--store", store, "--max-rejects", "100%", "--json", "-q")
      #expect(again.status == outcome.status)
      #expect(try Counts(again).rejected == counts.rejected && Counts(again).inserted == 0)
      #expect(
        try folder.sqlite(store, "SELECT ifnull(sum(times), 0) FROM bolide_reject")
          == ["\(counts.rejected == 0 ? 0 : 2 * counts.rejected)"])
    }
  }

  /// Which records Python takes, field by field, and what their rows are then.
  private static let check = """
    import json, sqlite3, sys
    store = sqlite3.connect(sys.argv[1])
    names = ["net", "id", "mag", "depth", "place", "kind", "felt", "more"]
    class Number(float):
      def __new__(cls, text):
        number = float.__new__(cls, text)
        number.text = text
        return number
    records = json.load(open("records.json"), parse_float=Number)
    texts = open("feed.json").read()
    class Bad(Exception): pass

    def text(value):
      # A number is the text that the feed has for it.
      if isinstance(value, Number): return value.text
      if isinstance(value, int) and not isinstance(value, bool): return str(value)
      if isinstance(value, str):
        try: value.encode()
        except UnicodeEncodeError: raise Bad
        return value
      raise Bad

    def whole(value, low, high):
      if isinstance(value, bool) or not isinstance(value, (int, float, str)): raise Bad
      if isinstance(value, str):
        digits = value[1:] if value[:1] == "-" else value
        if not digits.isascii() or not digits.isdigit(): raise Bad
        value = int(value)
      if value != int(value) or not low <= value <= high: raise Bad
      return int(value)

    def double(value):
      if isinstance(value, bool) or not isinstance(value, (int, float, str)): raise Bad
      if isinstance(value, str):
        if value in ("NA", ""): return None
        if not value or not set(value) <= set("0123456789.-+eE"): raise Bad
      try: return float(value)
      except ValueError: raise Bad

    def take(record):
      if not isinstance(record, (dict, list)): raise Bad
      if isinstance(record, list):
        if not columnar or len(record) != len(names): raise Bad
        record = dict(zip(names, record))
      elif columnar: raise Bad
      row = {}
      for name in names[:7]:
        if name not in record: continue
        value = record[name]
        if value is None:
          if name in ("net", "id", "felt"): raise Bad
          row[name] = None
        elif name in ("net", "place", "kind"):
          row[name] = text(value)
          if name == "place" and len(row[name]) > 20: raise Bad
          if name == "kind" and row[name] not in ("quake", "blast"): raise Bad
        elif name == "id": row[name] = whole(value, -2**31, 2**31 - 1)
        elif name == "depth": row[name] = whole(value, 0, 700)
        elif name == "felt": row[name] = whole(value, -2**63, 2**63 - 1)
        else: row[name] = double(value)
      if "net" not in row or "id" not in row: raise Bad
      if row.get("mag") is not None and not row["mag"] < 9.5: raise Bad
      return row

    columnar = texts.startswith("{")
    rows, bad = {}, 0
    for record in records:
      try: row = take(record)
      except Bad:
        bad += 1
        continue
      key = (row["net"], row["id"])
      if key not in rows and "felt" not in row:
        bad += 1
        continue
      rows.setdefault(key, {"kind": "quake"}).update(row)
    found = {(r[0], r[1]): r for r in store.execute("SELECT net, id, mag, depth, place, kind, felt FROM Quake")}
    wanted = {k: (k[0], k[1], v.get("mag"), v.get("depth"), v.get("place"), v.get("kind"), v.get("felt")) for k, v in rows.items()}
    for key in sorted(set(found) | set(wanted), key=str):
      assert found.get(key) == wanted.get(key), (key, found.get(key), wanted.get(key))
    total = store.execute("SELECT rejected FROM bolide_run").fetchone()[0]
    assert total == bad, (total, bad)
    """
}
