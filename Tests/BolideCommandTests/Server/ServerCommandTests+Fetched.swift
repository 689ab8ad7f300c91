import Testing

extension ServerCommandTests {
  @Test func `fetched properties are printed, counted and asked for as of a file`() throws {
    try folder.write(
      """
      bolide: 1
      entity: Quake
      key: id
      attributes: { id: string, magnitude: double, place: string, cost: { type: decimal, scale: 2 } }
      fetched:
        weaker:
          entity: Quake
          where: place = $FETCH_SOURCE.place AND magnitude < $FETCH_SOURCE.magnitude AND cost > 0.25
          sort: -magnitude
        next: { entity: Quake, where: magnitude > $FETCH_SOURCE.magnitude, sort: magnitude, limit: 1, finds: optional }
        dearer: { entity: Quake, where: cost > $FETCH_SOURCE.cost, limit: 1, finds: one }
        away: { entity: Quake, store: other.sqlite }

      """, to: "quakes.yaml")
    func write(_ third: Double) throws {
      try folder.write(
        """
        [{"id": "a", "magnitude": 1, "place": "X", "cost": 2.5}, {"id": "b", "magnitude": 2, "place": "X", "cost": 0.25},
         {"id": "c", "magnitude": \(third), "place": "X", "cost": 7.25}, {"id": "d", "place": "Y"}]
        """, to: "feed.json")
      try same("import", "quakes.yaml", "feed.json", "--store", "S", "-q")
    }
    try write(3)
    let tokens = try ["quakes.sqlite", address].map {
      String(try folder.bolide("token", $0).output.prefix { $0 != "\n" })
    }
    try write(1.5)
    let found = try same("fetch", "S", "Quake", "--sort", "-id", "--with", "weaker,next", "--only", "id")
    #expect(
      found.output.contains(
        #"{"id":"c","weaker":[{"bolide_id":1,"id":"a","magnitude":1,"place":"X","cost":2.50}],"next":{"#),
      "\(found)")
    for format in ["json", "jsonl", "table", "csv"] {
      try same("fetch", "S", "Quake", "--with", "weaker,next", "--format", format)
      try same("fetch", "S", "Quake", "--with", "next", "--format", format, "--limit", "2", "--offset", "1")
    }
    #expect(try same("fetch", "S", "Quake", "--dangling", "weaker", "--only", "id").output.contains("\"d\""))
    #expect(try same("fetch", "S", "Quake", "--dangling", "next", "--count").output == "2\n")
    let refused = try same("fetch", "S", "Quake", "--with", "dearer")
    #expect(refused.status == 65 && refused.errors.contains("List such objects: --dangling dearer"))
    try same("fetch", "S", "Quake", "--dangling", "dearer")
    for arguments in [
      ["--with", "nxt"], ["--dangling", "place"], ["--where", "next = 1"], ["--sort", "next"],
    ] {
      #expect(try same(running: ["fetch", "S", "Quake"] + arguments).status == 64)
    }
    let past = try [("quakes.sqlite", tokens[0]), (address, tokens[1])].map { store, token in
      try folder.bolide("fetch", store, "Quake", "--with", "weaker", "--at", token)
    }
    #expect(past[0] == past[1] && past[0].status == 0 && past[0] != found)
    for option in ["--with", "--dangling"] {
      let elsewhere = try folder.bolide("fetch", address, "Quake", option, "away")
      #expect(
        elsewhere.errors.contains(
          "PostgreSQL stores do not support Quake.away, which is fetched from another store."), "\(elsewhere)"
      )
    }
  }
}
