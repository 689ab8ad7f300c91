import Foundation
import TestServer
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

  @Test(arguments: [true, false]) func `a run that is at work is not reverted`(isServer: Bool) throws {
    let store = isServer ? address : "quakes.sqlite"
    try folder.write(#"{"id": "b", "magnitude": 2}"#, to: "one.json")
    #expect(try folder.bolide("import", "quakes.yaml", "one.json", "--store", store, "-q") == .silent)
    let token = try folder.bolide("token", store).lines[0]
    let importing = try folder.starting("import", "quakes.yaml", "-", "--store", store)
    try eventually { try folder.bolide("runs", store, "--format", "ndjson").output.contains(#""run":2"#) }
    // What is at work, and has written nothing since, is not concerned.
    #expect(try folder.bolide("revert", store, "--to", token).status == 0)
    try importing.write(Data(#"{"id": "a", "magnitude": 1}"#.utf8))
    try eventually { try folder.bolide("token", store).lines[0] != token }
    for words in [["--run", "2"], ["--to", token]] {
      #expect(
        try folder.bolide(arguments: ["revert", store] + words)
          == .failure(
            75, "\(store): run 2 is at work: what it writes from now on would not be reverted",
            "Stop it, or wait for its end."))
    }
    try importing.close()
    #expect(try importing.outcome().status == 0)
    #expect(try folder.bolide("revert", store, "--run", "2").status == 0)
    #expect(try folder.bolide("runs", store, "--format", "table").output.contains("reverted"))
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

  @Test func `an object is erased as from a file`() throws {
    let people = try PeopleFolder()
    let folder = people.folder
    let server = self.server.freshAddress()
    let stores = ["people.sqlite", server]
    func plain(_ text: String) -> String {
      masked(text).naming(server, "S").replacing("people.sqlite", with: "S")
    }
    /// Runs a command on both, and expects the same.
    func same(_ words: String...) throws -> Outcome {
      let outcomes = try stores.map { store in
        var outcome = try folder.bolide(arguments: words.map { $0 == "S" ? store : $0 })
        (outcome.output, outcome.errors) = (plain(outcome.output), plain(outcome.errors))
        return outcome
      }
      #expect(outcomes[1] == outcomes[0], "\(words)")
      return outcomes[0]
    }
    for feed in ["1.json", "2.json"] {
      #expect(try same("import", "people.yaml", feed, "--store", "S", "-q").status == 65)
    }
    let tokens = try stores.map { try folder.bolide("token", $0).lines[0] }
    let key = "secretKey"
    #expect(try same("erase", "S", "Address", "person=2", "street=SecretStreet1", "--plan").status == 0)
    for options in [["--plan"], ["--plan", "--json"], ["--author", "office", "--json"]] {
      let outcomes = try stores.map { try folder.bolide(arguments: ["erase", $0, "Person", key] + options) }
      #expect(outcomes[0].status == 0 && outcomes[0].output.contains("Person"), "\(outcomes)")
      #expect(plain(outcomes[1].output) == plain(outcomes[0].output) && outcomes[1].errors.isEmpty)
    }
    let gone = try same("erase", "S", "Person", key)
    #expect(gone.status == 64 && gone.errors.contains("history knows of none"))
    let again = try same("erase", "S", "Person", "--id", "2")
    #expect(again.errors.contains("Person 2 was erased at D: there is nothing left to erase"))
    #expect(try same("erase", "S", "Nobody", key).status == 64)
    for words in [["Person"], ["City"], ["Address"], ["Country"]] {
      let past = try zip(stores, tokens).map { store, token in
        try folder.bolide(arguments: ["fetch", store, "--at", token] + words)
      }
      #expect(past[0].status == past[1].status && plain(past[0].errors) == plain(past[1].errors))
      #expect(words == ["Country"] || past[0].status == 80, "\(past)")
    }
    let net = try same("changes", "S", "--since", "1", "--net", "--previous", "--values")
    #expect(net.output.contains(#""kind":"delete","entity":"Person","id":2,"key":{},"erased":"object""#))
    let log = try same("log", "S", "Address", "--id", "2")
    #expect(log.output.contains(#""erased":true"#))
    #expect(try same("revert", "S", "--run", "2", "--plan").output.contains("not reverted, as it was erased"))
    #expect(try same("rejects", "S").status == 0)
    #expect(try same("verify", "S") == .silent)
    for entity in ["Person", "Address", "City", "Country"] { _ = try same("fetch", "S", entity) }
    let dump = try server.split(separator: "#").last.map { schema in
      try folder.run(
        "pg_dump", ["-h", self.server.folder, "-U", "postgres", "-n", "\(schema)", "postgres"]
      ).output.lowercased()
    }
    #expect(dump?.contains("alice") == true)
    for trace in PeopleFolder.traces + ["77.125", "78.25"] {
      #expect(dump?.contains(trace) == false, "\(trace)")
    }
  }
}
