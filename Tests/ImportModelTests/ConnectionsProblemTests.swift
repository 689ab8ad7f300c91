import ImportModel
import PipelineFile
import Testing

/// What keeps records on one connection, word for word.
struct ConnectionsProblemTests {
  private static let order = "over several connections, records are not imported in the order of the input"

  private func problems(_ keys: String) -> [String] {
    let text = """
      bolide: 1
      entity: Passport
      key: number
      connections: 2
      attributes: { number: string, pages: { type: integer32, required: true }, held: { type: string, transient: true } }
      entities:
        Person:
          key: name
          attributes: { name: string }
          relationships:
            passport: { has-one: Passport, inverse: owner }

      """
    do {
      _ = try Pipeline(yaml: text + keys + "\n", file: "p.yaml", directory: "")
      return []
    } catch {
      return error.problems.map(\.message)
    }
  }

  @Test(arguments: [
    ("atomic: true", "'atomic' cannot be combined: a transaction uses one connection"),
    ("merge: fail", "`merge: fail` cannot be combined: a transaction uses one connection"),
    ("stop-on-reject: true", "'stop-on-reject' cannot be combined: \(Self.order)"),
    ("unique: pages", "the further unique constraint of Passport cannot be combined: \(Self.order)"),
    (
      "link: { owner: { to: { name: held } } }",
      "the one-to-one relationship 'owner' cannot be combined: \(Self.order)"
    ),
    (
      "children: { tags: { entity: Tag, inverse: passports, many-to-many: true, key: name, attributes: { name: string } } }",
      "the many-to-many relationship 'tags' cannot be combined: \(Self.order)"
    ),
  ]) func `what depends on the order of the input needs one connection`(keys: String, end: String) {
    #expect(problems(keys) == ["'connections' and \(end)"])
    #expect(problems(keys.contains("atomic") ? "atomic: false" : "commit: chunk") == [])
  }
}
