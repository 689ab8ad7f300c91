import Testing

extension ServerCommandTests {
  /// Sees that the stores are right, and that history leads from the same beginning to the same end.
  private func sameHistory() throws {
    #expect(try same("verify", "S").status == 0)
    try same("changes", "S", "--from", "oldest", "--net", "--previous")
  }

  @Test func `objects are deleted and linked as in a file`() throws {
    try same("import", "quakes.yaml", "first.json", "--store", "S", "-q")
    for words in [
      ["delete", "S", "Quake", "--where", "region.name = ? AND magnitude > ?", "--bind", "X", "--bind", "1"],
      ["delete", "S", "Quake", "--where", "magnitude > 9"],
      ["link", "S", "Quake", "region", "--where", "id = 'c'", "--to", "name=X"],
      ["link", "S", "Quake", "region", "--all", "--to", "name=X"],
      ["link", "S", "Quake", "region", "--where", "id = 'a'", "--remove", "name=X"],
      ["link", "S", "Quake", "region", "--where", "id = 'a'", "--to", "name=X", "--author", "anna"],
      ["link", "S", "Quake", "region", "--all", "--to-none"],
      ["link", "S", "Quake", "region", "--all", "--to", "name=X"],
      ["delete", "S", "Region", "--all"], ["delete", "S", "Quake", "--all"],
    ] {
      let tried = try same(running: words + ["--dry-run"])
      #expect(tried.status == 0 && !tried.output.isEmpty)
      let made = try same(running: words + ["-v"])
      #expect(made.status == 0 && made.errors.isEmpty == false)
      #expect(try same(running: words + ["--json"]).status == 0)
    }
    try sameHistory()
  }

  @Test func `edits are refused as in a file, and change nothing`() throws {
    try folder.write(
      Folder.quakes.replacing("on-delete: nullify", with: "on-delete: deny"), to: "quakes.yaml")
    try same("import", "quakes.yaml", "first.json", "--store", "S", "-q")
    let token = try folder.bolide("token", address)
    for (status, words) in [
      (65, ["delete", "S", "Region", "--all"]), (64, ["delete", "S", "Nothing", "--all"]),
      (64, ["delete", "S", "Quake", "--where", "deep > 1"]),
      (64, ["link", "S", "Quake", "nothing", "--all", "--to-none"]),
      (64, ["link", "S", "Region", "quakes", "--all", "--to", "id=a"]),
      (64, ["link", "S", "Quake", "region", "--all", "--to", "deep=1"]),
      (65, ["link", "S", "Quake", "region", "--all", "--to", "name=Y"]),
      (65, ["link", "S", "Quake", "region", "--all", "--remove", "name=Y"]),
    ] as [(Int32, [String])] {
      let refused = try same(running: words)
      #expect(refused.status == status && !refused.errors.isEmpty, "\(refused)")
    }
    #expect(try folder.bolide("token", address) == token)
    try sameHistory()
  }

  @Test func `many-to-many links and owned children are edited as in a file`() throws {
    try folder.write(Folder.blog, to: "blog.yaml")
    try folder.write(
      """
      [{"id": 1, "words": 10, "tags": ["moon", "sky"], "notes": [{"number": 1}, {"number": 2}]},
       {"id": 2, "words": 20, "tags": ["moon"]}, {"id": 3, "words": 40, "tags": [], "notes": [{"number": 1}]}]
      """, to: "blog.json")
    try same("import", "blog.yaml", "blog.json", "--store", "S", "-q")
    for words in [
      ["link", "S", "Post", "tags", "--where", "words >= 20", "--to", "name=sky"],
      ["link", "S", "Tag", "posts", "--where", "name = 'moon'", "--remove", "id=1"],
      ["link", "S", "Note", "post", "--where", "number = 1", "--to", "id=2"],
      ["link", "S", "Note", "post", "--where", "number = 2", "--to-none"],
      ["link", "S", "Post", "tags", "--where", "id > 1", "--to-none"],
      ["delete", "S", "Post", "--where", "id <= 1"],
    ] { try same(running: words + ["--json"]) }
    try sameHistory()
    try same("fetch", "S", "Post")
    try same("fetch", "S", "Tag")
    try same("fetch", "S", "Note")
  }

  @Test func `a run, or all since a token, is reverted as in a file`() throws {
    for feed in ["first.json", "second.json"] {
      try same("import", "quakes.yaml", feed, "--store", "S", "-q")
    }
    try folder.write(
      #"[{"id": "a", "magnitude": 3}, {"id": "e", "magnitude": 5, "place": "Z"}]"#, to: "third.json")
    try same("import", "quakes.yaml", "third.json", "--store", "S", "-q")
    let tokens = try ["quakes.sqlite", address].map { try folder.bolide("token", $0).lines[0] }
    try same("link", "S", "Quake", "region", "--where", "id = 'c'", "--to", "name=Z")
    // Region Z is new, and somebody is linked to it; quake a was changed since.
    for (status, words) in [
      (3, ["--run", "2"]), (3, ["--run", "3"]), (0, ["--run", "3", "--force"]), (0, ["--run", "3"]),
      (64, ["--run", "9"]),
    ] as [(Int32, [String])] {
      for options in [["--plan"], ["-v"], ["--json"]] {
        let outcome = try same(running: ["revert", "S"] + words + options)
        if options == ["--plan"] { #expect(outcome.status == status, "\(outcome)") }
      }
      try same("fetch", "S", "Quake")
      try same("fetch", "S", "Region")
      let reverted = try ["quakes.sqlite", address].map { store in
        try folder.bolide("runs", store).lines.map { $0.firstMatch(of: /"reverted":[0-9]+/)?.output }
      }
      #expect(reverted[0] == reverted[1])
    }
    try same("delete", "S", "Region", "--all")
    try same("delete", "S", "Quake", "--where", "magnitude > 2")
    let (file, server) = (
      try folder.bolide("revert", "quakes.sqlite", "--to", tokens[0], "--json"),
      try folder.bolide("revert", address, "--to", tokens[1], "--json")
    )
    #expect(file.status == 0 && masked(file.output) == masked(server.output))
    for entity in ["Quake", "Region"] { try same("fetch", "S", entity) }
    #expect(
      try folder.bolide("changes", address, "--since", tokens[1], "--net", "--count").output == "0\n")
    try sameHistory()
    try same("import", "quakes.yaml", "third.json", "--store", "S", "-v")
    for store in ["quakes.sqlite", address] {
      #expect(try folder.bolide("prune", store, "--keep-transactions", "1").status == 0)
    }
    #expect(try same("revert", "S", "--run", "1").status == 80)
  }
}
