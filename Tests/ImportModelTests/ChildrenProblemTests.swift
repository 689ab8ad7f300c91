import PipelineFile
import ImportModel
import Testing

/// What can be wrong with children, word for word and with its place.
struct ChildrenProblemTests {
  /// The lines of the children, from line 8 on.
  private func problems(_ children: String, records: String = "") -> String {
    let text = """
      bolide: 1
      entity: Asteroid
      key: id
      attributes:
        id: integer64
        nearest: { derived: approaches.missKm.@min }
      \(records.isEmpty ? "children:" : records + "\nchildren:")
      \(children)
      """
    do {
      _ = try Pipeline(yaml: text, file: "neows.yaml", directory: "")
      return ""
    } catch {
      return error.description.replacing("neows.yaml:", with: "")
    }
  }

  private let sound = """
      approaches:
        entity: Approach
        inverse: asteroid
        records: close_approach_data
        key: [asteroid, at]
        attributes:
          at: { type: date, from: epoch, epoch: milliseconds }
          missKm: { type: double, from: miss_distance/kilometers }
          speed: { type: double, transient: true }
          isFast: { type: boolean, value: speed > 20 }
        check: speed > 0
    """

  @Test func `a sound pipeline has both ends of the relationship, and cascades`() throws {
    #expect(problems(sound) == "")
    let pipeline = try Pipeline(
      yaml: "bolide: 1\nentity: Asteroid\nkey: id\nattributes: { id: integer64 }\nchildren:\n\(sound)",
      file: "neows.yaml", directory: "")
    #expect(pipeline.problems() == [])
    #expect(
      pipeline.model.entity(named: "Asteroid")?.relationships == [
        Relationship(
          name: "approaches", kind: .toMany, destination: "Approach", inverse: "asteroid",
          deleteRule: .cascade)
      ])
    let approach = try #require(pipeline.model.entity(named: "Approach"))
    #expect(
      approach.relationships == [
        Relationship(name: "asteroid", kind: .toOne, destination: "Asteroid", inverse: "approaches")
      ])
    #expect(approach.key == ["asteroid", "at"])
    #expect(approach.attribute(named: "at")?.isRequired == true)
    #expect(pipeline.children.map(\.relationship) == ["approaches"])
    #expect(pipeline.children.first?.records == "close_approach_data")
    #expect(pipeline.children.first?.checks == ["speed > 0"])
    #expect(pipeline.fields.map(\.attribute) == ["id"])
  }

  @Test func `the array stands under the relationship's name unless said`() throws {
    let pipeline = try Pipeline(
      yaml: """
        bolide: 1
        entity: Order
        key: id
        attributes: { id: integer64 }
        children: { lines: { entity: Line, inverse: order, key: [order, n], attributes: { n: integer16 }, on-delete: deny } }
        """, file: "orders.yaml", directory: "")
    #expect(pipeline.children.first?.records == "lines")
    #expect(pipeline.model.entity(named: "Order")?.relationships.first?.deleteRule == .deny)
  }

  @Test(arguments: [
    (
      "entity: Approach", "entity: Asteroid",
      "9:13: 'Asteroid' is the entity of the records: children need another entity"
    ),
    ("    entity: Approach\n", "", "8:3: the children 'approaches' need 'entity', the entity of their rows"),
    (
      "    inverse: asteroid\n", "",
      "8:3: the children 'approaches' need 'inverse', the relationship back, as in `inverse: asteroid`"
    ),
    (
      "[asteroid, at]", "[at]",
      "12:5: the key of Approach needs 'asteroid', the Asteroid that it belongs to, as in `key: "
        + "[asteroid, at]`; or set `many-to-many: true` if several records may contain the same one"
    ),
    (
      "[asteroid, at]", "asteroid",
      "12:10: the key of Approach is 'asteroid' alone: it needs an attribute of its own too, as in `key: [asteroid, at]`"
    ),
    (
      "[asteroid, at]", "[asteroid, att]",
      "12:21: the key attribute 'att' is not declared in Approach; did you mean 'at'?"
    ),
    (
      "[asteroid, at]", "[asteriod, at]",
      """
      12:5: the key of Approach needs 'asteroid', the Asteroid that it belongs to, as in `key: [asteroid, asteriod, at]`; or set `many-to-many: true` if several records may contain the same one
      12:11: the key attribute 'asteriod' is not declared in Approach; did you mean 'asteroid'?
      """
    ),
    (
      "    key: [asteroid, at]\n", "",
      "8:3: Approach has no key: name the attributes that identify an object, as in `key: [asteroid, at]`"
    ),
    ("records:", "record:", "11:5: unknown key 'record'; did you mean 'records'?"),
    (
      "records: close_approach_data", "records: <day>/close",
      "11:14: the path of children has no wildcards: each list of children is one array of the record"
    ),
    (
      "check: speed > 0", "children: { inner: { entity: Inner } }",
      "18:17: the children 'inner' need 'inverse', the relationship back, as in `inverse: approach`"
    ),
    (
      "check: speed > 0",
      "children: { inner: { entity: Approach, inverse: approach, key: [approach, n], attributes: { n: integer16 } } }",
      "18:34: the entity 'Approach' is used by other children: each list of children needs its own"
    ),
    (
      "miss_distance/kilometers", "../../name",
      "15:37: the path leads out of the record: there is one level around the children"
    ),
    (
      "miss_distance/kilometers", "..",
      "15:37: '..' is what holds the children: name a field of it, as in `../id`"
    ),
    ("check: speed > 0", "on-delete: nullify", "18:16: 'on-delete' is cascade or deny, not 'nullify'"),
    (
      "check: speed > 0", "when: always",
      "18:11: children that belong to their record are always linked to it: 'when' is for those of `many-to-many: true`"
    ),
    (
      "check: speed > 0", "many-to-many: true",
      "12:11: the key attribute 'asteroid' is not declared in Approach; the attributes are at, missKm, speed, isFast"
    ),
    ("check: speed > 0", "many-to-many: yes", "18:19: 'many-to-many' is true or false, not 'yes'"),
    (
      "type: double, from: miss", "type: duble, from: miss",
      "15:23: unknown type 'duble'; did you mean 'double'?"
    ),
    (
      "missKm:", "missKM:",
      "6:23: Approach has no attribute 'missKm' to take the minimum of; did you mean 'missKM'?"
    ),
    (
      "isFast: {", "asteroid_id: {",
      "17:7: the attribute 'asteroid_id' collides with the column of the relationship 'asteroid': rename it and set `from: asteroid_id`"
    ),
    (
      "isFast: {", "asteroid: {",
      "10:14: 'asteroid' is an attribute and a relationship of Approach: rename one"
    ),
    (
      "epoch: milliseconds }", "epoch: milliseconds, transient: true }",
      "12:21: 'at' cannot be in a key: it is transient, and not stored"
    ),
  ])
  func `each mistake is told with its place`(text: String, replacement: String, sentences: String) {
    #expect(sound.contains(text))
    #expect(problems(sound.replacing(text, with: replacement)) == sentences)
  }

  @Test func `objects that many records may hold are related from both sides`() throws {
    let tags = """
      bolide: 1
      entity: Post
      key: id
      attributes: { id: integer64 }
      children:
        tags:
          entity: Tag
          inverse: posts
          many-to-many: true
          key: name
          attributes: { name: { type: string, from: . }, posted: { derived: posts.@count } }
      """
    let pipeline = try Pipeline(yaml: tags, file: "blog.yaml", directory: "")
    #expect(
      pipeline.model.entities.flatMap(\.relationships) == [
        Relationship(name: "tags", kind: .toMany, destination: "Tag", inverse: "posts"),
        Relationship(name: "posts", kind: .toMany, destination: "Post", inverse: "tags"),
      ])
    #expect(pipeline.children.map(\.timing) == [.insert])
    #expect(pipeline.children.first?.fields == [Field("name", from: .path("."))])
    func problem(_ more: String) -> String? {
      do {
        _ = try Pipeline(yaml: "\(tags)\n\(more)", file: "blog.yaml", directory: "")
        return nil
      } catch {
        return error.description
      }
    }
    #expect(problem("    when: always\n    on-delete: deny") == nil)
    #expect(problem("    on-delete: nullify") == nil)
    #expect(
      problem("    on-delete: cascade")
        == "blog.yaml:12:16: 'cascade' is not supported in a many-to-many relationship, as a Tag may "
        + "belong to other objects: remove it to delete the links alone, or set `deny`")
    #expect(problem("    when: never") == "blog.yaml:12:11: 'when' is insert or always, not 'never'")
    #expect(
      problem("entities: { Post_tags: { key: a, attributes: { a: string } } }")
        == "blog.yaml:6:3: the relationship 'tags' needs another name: its links would be stored in the "
        + "table 'Post_tags', a name that the entity 'Post_tags' has")
  }

  @Test func `a record is never its own value`() throws {
    #expect(throws: PipelineError.self) {
      try Pipeline(
        yaml: "bolide: 1\nentity: Tag\nkey: name\nattributes: { name: { type: string, from: . } }",
        file: "t.yaml",
        directory: "")
    }
    do {
      _ = try Pipeline(
        yaml: "bolide: 1\nentity: Tag\nkey: name\nattributes: { name: { type: string, from: . } }",
        file: "t.yaml",
        directory: "")
    } catch {
      #expect(
        error.description
          == "t.yaml:4:43: '.' is an element of a nested array, and a record is an object: name its key")
    }
  }

  @Test func `other declarations do not clash with children in silence`() {
    let second = sound.replacing("approaches:", with: "others:").replacing("close_", with: "other_")
    #expect(
      problems(sound + "\n" + second)
        == "20:13: the entity 'Approach' is used by other children: each list of children needs its own")
    #expect(
      problems(sound, records: "entities: { Approach: { key: at, attributes: { at: date } } }")
        == "10:13: the entity 'Approach' is also declared under 'entities': declare it here only")
    #expect(
      problems(sound, records: "relationships: { approaches: { to-many: Approach, inverse: asteroid } }")
        .contains(
          "the relationship 'approaches' is also declared under 'relationships': declare it here only"))
    #expect(
      problems(sound, records: "columns: [id, close]")
        == "12:14: 'columns' names no 'close_approach_data'; the columns are id, close")
    #expect(problems("  approaches: close_approach_data").contains("'approaches' is a mapping"))
  }

  @Test func `pipelines that were built in code are checked alike`() {
    var pipeline = Mistake.soundPipeline
    pipeline.children = [Children("parts", records: "parts", fields: [])]
    #expect(
      pipeline.problems().map(\.message) == [
        "Fireball has no to-many relationship 'parts' with an inverse"
      ])
    pipeline.model.entities.append(
      Entity(
        name: "Part", key: ["fireball", "n"],
        attributes: [Attribute(name: "n", type: .integer16, isRequired: true)],
        relationships: [
          Relationship(name: "fireball", kind: .toOne, destination: "Fireball", inverse: "parts")
        ]))
    pipeline.fireball.relationships.append(
      Relationship(name: "parts", kind: .toMany, destination: "Part", inverse: "fireball"))
    #expect(
      pipeline.problems().map(\.message) == [
        "'nullify' is not supported for children: their key contains 'fireball', which is never null",
        "the key attribute 'n' has no source in the record",
      ])
    pipeline.fireball.relationships[1].deleteRule = .cascade
    pipeline.children[0].fields = [Field("n")]
    #expect(pipeline.problems() == [])
    pipeline.children[0].records = ""
    #expect(pipeline.problems().map(\.message) == ["the path of the children is empty"])
    pipeline.links.append(Link("part", ownerKey: [Link.KeyPart("fireball", "1"), Link.KeyPart("n", "1")]))
    pipeline.fireball.relationships.append(Relationship(name: "part", kind: .toOne, destination: "Part"))
    #expect(
      pipeline.problems().map(\.message).contains(
        "a link cannot find a Part: its key contains its parent"))
    pipeline.children.append(Children("xyzzy", records: "parts", fields: []))
    #expect(
      pipeline.problems().map(\.message).contains(
        "Fireball has no to-many relationship 'xyzzy' with an inverse; its to-many relationships are parts"))
    pipeline.fireball.relationships.append(
      Relationship(name: "others", kind: .toMany, destination: "Part", inverse: "other", deleteRule: .cascade)
    )
    pipeline.model.entities[2].relationships.append(
      Relationship(name: "other", kind: .toOne, destination: "Fireball", inverse: "others"))
    pipeline.children[1] = Children("others", records: "others", fields: [])
    #expect(
      pipeline.problems().map(\.message).contains(
        "the children 'others' need an entity of their own, and Part is that of others"))
    pipeline.children = [pipeline.children[0], pipeline.children[0]]
    #expect(pipeline.problems().map(\.message).contains("the children 'parts' are declared twice"))
  }
}
