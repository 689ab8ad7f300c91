import ImportModel
import Testing

/// What a pipeline's sources and links can be wrong in, word for word.
struct PipelineProblemTests {
  @Test(arguments: [
    Mistake("there is no attribute 'engy' in Fireball; did you mean 'energy'?") {
      $0.fields.append(Field("engy"))
    },
    Mistake("the attribute 'energy' has two sources") { $0.fields.append(Field("energy")) },
    Mistake("the source path of 'energy' is empty") { $0.fields[1].source = .path("") },
    Mistake("a check is empty") { $0.checks = [""] },
    Mistake("the expression of 'energy' is empty") { $0.fields[1].source = .expression("") },
    Mistake("'epoch' is for dates, and 'energy' is a double") {
      $0.fields[1].dateForm = .epochSeconds
    },
    Mistake("'format' is for dates and days, and 'energy' is a double") {
      $0.fields[1].dateForm = .dayFirst
    },
    Mistake("the key attribute 'date' has no source in the record") { $0.fields.removeFirst() },
    Mistake("the required attribute 'energy' has neither a source nor a default") {
      $0.fields.remove(at: 1)
      $0.fireball[attribute: 1].isRequired = true
    },
    Mistake("'n' is derived, and cannot have a source") {
      $0.fireball.attributes.append(
        Attribute(name: "n", type: .integer64, derivation: .count(relationship: "parts")))
      $0.fireball.relationships.append(
        Relationship(name: "parts", kind: .toMany, destination: "Fireball", inverse: "whole"))
      $0.fireball.relationships.append(
        Relationship(name: "whole", kind: .toOne, destination: "Fireball", inverse: "parts"))
      $0.fields.append(Field("n"))
    },
    Mistake("'columns' names no 'energy'; did you mean 'enrgy'?") {
      $0.records = .rows(names: ["date", "note", "lat", "enrgy"])
    },
    Mistake("the column 'lat' is named twice") {
      $0.records = .rows(names: ["date", "note", "lat", "energy", "lat"])
    },
    Mistake("the cells of delimited text have no children: remove 'children'") {
      $0.records = .delimited()
      $0.model.entities.append(
        Entity(
          name: "Part", key: ["whole", "n"], attributes: [Attribute(name: "n", type: .integer64)],
          relationships: [
            Relationship(name: "whole", kind: .toOne, destination: "Fireball", inverse: "parts")
          ]))
      $0.fireball.relationships.append(
        Relationship(
          name: "parts", kind: .toMany, destination: "Part", inverse: "whole", deleteRule: .cascade))
      $0.children = [Children("parts", records: "parts", fields: [Field("n")])]
    },
    Mistake("'..' leads out of children, and this is the record itself") {
      $0.fields[1].source = .path("../energy")
    },
    Mistake("the children 'parts' stand within Box, which no children before them become") {
      $0.children = [Children("parts", records: "parts", fields: [], within: "Box")]
    },
    Mistake("'columns' names no 'energy'; did you mean 'enrgy'?") {
      $0.records = .delimited(names: ["date", "note", "lat", "enrgy"])
    },
    Mistake("'columns' names no column") {
      $0.records = .rows(names: [])
      $0.fields = [Field("date", from: .expression("1"))]
    },
  ])
  func `Mistakes in sources have their sentences`(mistake: Mistake) {
    mistake.check()
  }

  @Test(arguments: [
    Mistake("the relationship 'group' is linked twice") { $0.links.append($0.links[0]) },
    Mistake("Fireball has no relationship 'grup' to link; did you mean 'group'?") {
      $0.links[0].relationship = "grup"
    },
    Mistake("a link from Fireball to itself is not supported") {
      $0.fireball.relationships.append(Relationship(name: "parent", kind: .toOne, destination: "Fireball"))
      $0.links.append(Link("parent", ownerKey: [Link.KeyPart("date", "date")]))
    },
    Mistake("only a to-one relationship can be linked, and 'fireballs' is to-many") {
      $0.entity = "Group"
      $0.fields = [Field("year")]
      $0.fireball.attributes.removeLast()
      $0.links = [Link("fireballs", ownerKey: [])]
    },
    Mistake("the link to Group does not set its key attribute 'year'") { $0.links[0].ownerKey = [] },
    Mistake("a link sets the owner's key, and 'count' is not in the key of Group; its key is year") {
      $0.links[0].ownerKey.append(Link.KeyPart("count", "1"))
    },
    Mistake("the link to Group sets 'year' twice") {
      $0.links[0].ownerKey.append(Link.KeyPart("year", "1"))
    },
    Mistake("the expression of 'year' is empty") { $0.links[0].ownerKey[0].expression = "" },
    Mistake("a link cannot insert a Group: its attribute 'title' is required and has no default") {
      $0.group.attributes.append(Attribute(name: "title", type: .string, isRequired: true))
    },
  ])
  func `Mistakes in links have their sentences`(mistake: Mistake) {
    mistake.check()
  }

  @Test func `A sound pipeline has no problems`() {
    #expect(Mistake.soundPipeline.problems().isEmpty)
  }

  @Test func `Paths into a column are in that column`() {
    var pipeline = Mistake.soundPipeline
    pipeline.records = .rows(names: ["date", "note", "lat", "data"])
    pipeline.fields[1].source = .path("data/0/energy")
    #expect(pipeline.problems().isEmpty)
  }

  @Test func `Problems of a pipeline without a file name the pipeline`() {
    var pipeline = Mistake.soundPipeline
    pipeline.links[0].ownerKey = []
    #expect(
      pipeline.problems().map(\.description) == [
        "fireballs: the link to Group does not set its key attribute 'year'"
      ])
  }
}
