import Foundation
import Testing

/// Arrays within arrays: each list's rows belong to those of the list around it, at every depth.
@Suite struct NestedChildrenTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try write("")
  }

  private func write(_ keys: String) throws {
    try folder.write(
      """
      bolide: 1
      store: o.sqlite
      entity: Order
      key: id
      \(keys)
      attributes:
        id: integer64
        note: string
        version: integer32
        shipped: { derived: shipments.@count }
        weight: { derived: shipments.grams.@sum }
      children:
        shipments:
          entity: Shipment
          inverse: order
          key: [order, no]
          attributes:
            no: integer32
            orderNote: { type: string, from: ../note }
            packed: { derived: packages.@count }
            grams: { derived: packages.grams.@sum }
          children:
            packages:
              entity: Package
              inverse: shipment
              records: boxes/list
              key: [shipment, code]
              attributes:
                code: string
                grams: { type: integer32, min: 0 }
                carrier: { type: string, from: ../carrier }
                orderID: { type: integer64, from: ../../id }
              check: code <> 'bad'
              children:
                labels:
                  entity: Label
                  inverse: package
                  key: [package, text]
                  attributes:
                    text: { type: string, from: . }
                    note: { type: string, from: ../../../note }
                tags:
                  entity: Tag
                  inverse: packages
                  many-to-many: true
                  key: name
                  attributes: { name: { type: string, from: . } }

      """, to: "o.yaml")
  }

  private func run(_ feed: String, _ options: String...) throws -> Outcome {
    try folder.write(feed, to: "feed.json")
    return try Running(
      Folder.tool, ["import", "o.yaml", "feed.json", "-v"] + options, in: folder, input: .nothing
    ).outcome()
  }

  private func rows() throws -> [String] {
    try folder.sqlite(
      "o.sqlite",
      """
      SELECT 'O', id, note, shipped, weight FROM "Order" UNION ALL
      SELECT 'S', o.id || '/' || no, orderNote, packed, grams FROM Shipment s JOIN "Order" o ON o.bolide_id = order_id UNION ALL
      SELECT 'P', o.id || '/' || no || '/' || code, carrier || ' ' || orderID, p.grams, (
        SELECT group_concat(name) FROM (SELECT name FROM Tag t JOIN Package_tags j ON j.tags_id = t.bolide_id
          WHERE j.packages_id = p.bolide_id ORDER BY name))
        FROM Package p JOIN Shipment s ON s.bolide_id = shipment_id JOIN "Order" o ON o.bolide_id = order_id UNION ALL
      SELECT 'L', code || '/' || text, l.note, '', '' FROM Label l JOIN Package p ON p.bolide_id = package_id
      ORDER BY 1, 2
      """)
  }

  private static let feed = """
    [{"id":1,"note":"say \\"hi\\"","shipments":[
       {"no":1,"carrier":"a\\tb","boxes":{"list":[
          {"code":"x","grams":5,"labels":["red","blue"],"tags":["t","u"]},{"code":"y","grams":7,"labels":[]}]}},
       {"no":2,"carrier":"c","boxes":{"list":{"code":"x","grams":1,"tags":["t"]}}},
       {"no":3,"boxes":null}]},
     {"id":2,"shipments":[{"no":1,"carrier":"d","boxes":{"list":[{"code":"z","grams":2,"labels":["red"]}]}}]},
     {"id":3}]
    """

  @Test(arguments: [["--chunk-rows", "1"], ["--atomic"], []])
  func `every level becomes rows of its own, with fields of what stands around`(options: [String]) throws {
    try folder.write(Self.feed, to: "feed.json")
    func importAgain() throws -> Outcome {
      try Running(
        Folder.tool, ["import", "o.yaml", "feed.json", "-v", "--force"] + options, in: folder, input: .nothing
      ).outcome()
    }
    let first = try importAgain()
    #expect(first.status == 0, "\(first.errors)")
    #expect(
      first.errors.hasPrefix(
        "o: 3 read = 3 inserted; Shipment 4 read = 4 inserted; Package 4 read = 4 inserted; Label 3 read = 3 inserted; Tag 3 read"
      ), "\(first.errors)")
    let found = try rows()
    #expect(
      found == [
        "L|x/blue|say \"hi\"||", "L|x/red|say \"hi\"||", "L|z/red|||",
        "O|1|say \"hi\"|3|13", "O|2||1|2", "O|3||0|0",
        "P|1/1/x|a\tb 1|5|t,u", "P|1/1/y|a\tb 1|7|", "P|1/2/x|c 1|1|t", "P|2/1/z|d 2|2|",
        "S|1/1|say \"hi\"|2|12", "S|1/2|say \"hi\"|1|1", "S|1/3|say \"hi\"|0|0", "S|2/1||1|2",
      ])
    let again = try importAgain()
    #expect(
      again.errors.hasPrefix(
        "o: 3 read = 3 unchanged; Shipment 4 read = 4 unchanged; Package 4 read = 4 unchanged;"))
    #expect(try rows() == found)
    #expect(try folder.bolide("verify", "o.sqlite") == .silent)
  }

  @Test func `what is rejected takes with it what it holds, and a replay brings all of it`() throws {
    let feed = """
      [{"id":1,"shipments":[
         {"no":"x","boxes":{"list":[{"code":"a","grams":1}]}},
         {"no":2,"boxes":{"list":[
           {"code":"bad","grams":1,"labels":["p"],"tags":["k"]},{"code":"b","grams":-1,"labels":["q"]},
           {"code":"c","grams":3,"labels":["r",{}],"tags":"no list"},{"code":"d","grams":4,"labels":["s",{}]}]}},
         {"no":3,"boxes":{"list":7}}]},
       {"id":"?","shipments":[{"no":1,"boxes":{"list":[{"code":"e","grams":1}]}}]}]
      """
    let outcome = try run(feed, "--max-rejects", "9")
    #expect(outcome.status == 3)
    let lines = outcome.errors.split(separator: "\n").map(String.init)
    #expect(
      lines.dropLast() == [
        "feed.json:2:10: record 1: Shipment 1: no: expected a whole number such as 12",
        "feed.json:4:6: record 1: Package 1: the check does not hold: code <> 'bad'",
        "feed.json:4:79: record 1: Package 2: grams is less than its minimum",
        "feed.json:5:53: record 1: Package 3: tags: expected an array, found a text",
        "feed.json:5:100: record 1: Label 2: text: expected one value, found an object or an array",
        "feed.json:6:28: record 1: Shipment 3: boxes/list: expected an array of objects, found a number",
        "feed.json:7:8: record 2: id: expected a whole number such as 12",
      ], "\(outcome.errors)")
    #expect(
      lines.last?.hasPrefix(
        "o: 2 read = 1 inserted + 1 rejected; Shipment 3 read = 1 inserted + 2 rejected; Package 4 read = 1 inserted + 3 rejected; Label 2 read = 1 inserted + 1 rejected; Tag 0 read"
      ) == true, "\(outcome.errors)")
    #expect(try rows() == ["L|d/s|||", "O|1||1|4", "P|1/2/d||4|", "S|1/2||1|4"])
    // The pipeline is widened: what was rejected lands, once.
    let text = try String(contentsOf: folder.url.appending(path: "o.yaml"), encoding: .utf8)
    try folder.write(
      text.replacing("grams: { type: integer32, min: 0 }", with: "grams: integer32").replacing(
        "        check: code <> 'bad'\n", with: ""), to: "o.yaml")
    let replay = try folder.bolide("import", "o.yaml", "--replay", "-v")
    #expect(replay.status == 65, "\(replay.errors)")
    #expect(
      try rows().filter { $0.hasPrefix("P") || $0.hasPrefix("L") } == [
        "L|b/q|||", "L|bad/p|||", "L|d/s|||", "P|1/2/b||-1|", "P|1/2/bad||1|k", "P|1/2/d||4|",
      ])
    #expect(try folder.bolide("verify", "o.sqlite") == .silent)
  }

  @Test func `an import that stops at a reject keeps what was read before it, at every level`() throws {
    let feed = """
      [{"id":1,"shipments":[{"no":1,"boxes":{"list":[{"code":"a","grams":1},{"code":"b","grams":-1},{"code":"c","grams":1}]}},
         {"no":2,"boxes":{"list":[{"code":"d","grams":1}]}}]},{"id":2}]
      """
    let outcome = try run(feed, "--stop-on-reject")
    #expect(outcome.status == 65)
    #expect(try rows() == ["O|1||1|1", "P|1/1/a||1|", "S|1/1||1|1"])
  }

  @Test func `what is older is left alone with all that it holds`() throws {
    try write("merge: { update-if-newer: version }")
    #expect(
      try run(#"[{"id":1,"version":2,"shipments":[{"no":1,"boxes":{"list":[{"code":"a","grams":1}]}}]}]"#)
        .status == 0)
    let older = try run(
      #"[{"id":1,"version":1,"note":"n","shipments":[{"no":1,"boxes":{"list":[{"code":"a","grams":9},{"code":"b","grams":9,"labels":["l"]}]}},{"no":2}]}]"#
    )
    #expect(
      older.errors.hasPrefix(
        "o: 1 read = 1 ignored; Shipment 2 read = 2 ignored; Package 2 read = 2 ignored; Label 1 read = 1 ignored"
      ), "\(older.errors)")
    #expect(try rows() == ["O|1||1|1", "P|1/1/a||1|", "S|1/1||1|1"])
  }

  // MARK: Against Python

  /// Random feeds, repeated keys and changes included, against a few lines of Python over a dictionary.
  @Test(arguments: 0..<6) func `random feeds become the rows that Python makes of them`(seed: Int) throws {
    let program = """
      import json, random, sys
      random.seed(\(seed)); rows = {}
      def some(most): return range(random.randint(0, most))
      for feed in range(3):
        records = []
        for _ in range(random.randint(1, 40)):
          o = {"id": random.randint(1, 15), "note": random.choice(["a", "b\\n", "c\\"d"]), "shipments": [
            {"no": random.randint(1, 3), "carrier": random.choice("xyz"), "boxes": {"list": [
              {"code": random.choice("pqrs"), "grams": random.randint(0, 9),
               "labels": [random.choice(["red", "blue", "green"]) for _ in some(3)]} for _ in some(3)]}} for _ in some(3)]}
          records.append(o)
          rows[("O", o["id"])] = o["note"]
          for s in o["shipments"]:
            rows[("S", o["id"], s["no"])] = o["note"]
            for p in s["boxes"]["list"]:
              key = (o["id"], s["no"], p["code"])
              rows[("P",) + key] = "%s %d %d" % (s["carrier"], o["id"], p["grams"])
              for l in p["labels"]: rows[("L",) + key + (l,)] = o["note"]
        open("feed%d.json" % feed, "w").write(json.dumps(records))
      for key in sorted(rows): print("|".join(map(str, key)) + "|" + rows[key].replace("\\n", "/"))
      """
    let expected = try folder.run("python3", ["-c", program]).lines
    for feed in 0..<3 {
      let outcome = try folder.bolide(
        "import", "o.yaml", "feed\(feed).json", "--chunk-rows", "\(5 + seed * 3)")
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    let found = try folder.sqlite(
      "o.sqlite",
      """
      SELECT 'O', id, replace(note, char(10), '/') FROM "Order" UNION ALL
      SELECT 'S', o.id || '|' || no, replace(orderNote, char(10), '/') FROM Shipment JOIN "Order" o ON o.bolide_id = order_id
      UNION ALL SELECT 'P', o.id || '|' || no || '|' || code, carrier || ' ' || orderID || ' ' || p.grams
        FROM Package p JOIN Shipment s ON s.bolide_id = shipment_id JOIN "Order" o ON o.bolide_id = order_id
      UNION ALL SELECT 'L', o.id || '|' || no || '|' || code || '|' || text, replace(l.note, char(10), '/') FROM Label l
        JOIN Package p ON p.bolide_id = package_id JOIN Shipment s ON s.bolide_id = shipment_id
        JOIN "Order" o ON o.bolide_id = order_id
      """)
    #expect(found.sorted() == expected.sorted())
    #expect(try folder.bolide("verify", "o.sqlite") == .silent)
  }
}
