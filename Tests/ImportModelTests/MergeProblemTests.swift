import PipelineFile
import ImportModel
import Testing

/// What a pipeline says of rows that are there and of values that are unique: read, and what can be wrong, word for word.
struct MergeProblemTests {
  private static let head = """
    bolide: 1
    entity: A
    key: id
    attributes:
      id: string
      code: string
      at: { type: date, epoch: seconds }
      region: { type: integer16, default: 1 }
      note: { type: string, transient: true }

    """

  private func read(_ settings: String) throws -> Pipeline {
    try Pipeline(yaml: Self.head + settings, file: "a.yaml", directory: ".")
  }

  @Test(arguments: [
    ("", MergePolicy.update, RepeatedKeyPolicy?.none), ("merge: update\nrepeated-key: last", .update, .last),
    ("merge: ignore\nrepeated-key: first", .ignore, .first),
    ("merge: fail\nrepeated-key: reject", .fail, .reject),
    ("merge: { update-if-newer: at }", .updateIfNewer(attribute: "at"), nil),
    ("merge: update-non-null", .updateNonNull, nil),
  ])
  func `Every policy is read`(settings: String, merge: MergePolicy, repeated: RepeatedKeyPolicy?) throws {
    let pipeline = try read(settings)
    #expect(pipeline.mergePolicy == merge && pipeline.repeatedKeyPolicy == repeated)
  }

  @Test(arguments: [
    ("unique: code", [["code"]]), ("unique: [code]", [["code"]]),
    ("unique: [code, region]", [["code"], ["region"]]),
    ("unique: [[code, region]]", [["code", "region"]]),
    ("unique: [code, [region, id]]", [["code"], ["region", "id"]]),
  ])
  func `Each element of unique is a constraint, and its attributes are required`(
    settings: String, constraints: [[String]]
  ) throws {
    let entity = try #require(try read(settings).model.entities.first)
    #expect(entity.uniquenessConstraints == constraints)
    let required = entity.attributes.filter(\.isRequired).map(\.name)
    #expect(Set(required) == Set(["id"] + constraints.joined()))
  }

  @Test(arguments: [
    ("merge: { update-if-newer: att }", "10:27: there is no attribute 'att' in A; did you mean 'at'?"),
    (
      "merge: { update-if-newer: code }",
      "10:27: 'code' cannot be used by 'update-if-newer': it is a string, not a number, a date or a day"
    ),
    (
      "merge: { update-if-newer: note }",
      "10:27: 'note' cannot be used by 'update-if-newer': it is transient, and not stored"
    ),
    ("merge: { update-if-newer: [at] }", "10:10: 'update-if-newer' is one text, not a list or a mapping"),
    ("unique: [cod]", "10:10: the unique attribute 'cod' is not declared in A; did you mean 'code'?"),
    ("unique: [[code, code]]", "10:17: the attribute 'code' is in the constraint twice"),
    (
      "unique: [[code, region], [region, code]]", "10:26: the constraint on region and code is declared twice"
    ),
    ("unique: id", "10:9: the key of A is always unique: remove it from 'unique'"),
    ("unique: [[]]", "10:10: a constraint of A names no attribute"),
    ("unique: note", "10:9: 'note' cannot be unique: it is transient, and not stored"),
  ])
  func `Mistakes in a file have their places and sentences`(settings: String, sentence: String) {
    let error = #expect(throws: PipelineError.self) { try read(settings) }
    #expect(error?.problems.map(\.description) == ["a.yaml:\(sentence)"])
  }

  @Test(arguments: [
    Mistake("'date' cannot be used by 'update-if-newer': it is part of the key, and never changes") {
      $0.mergePolicy = .updateIfNewer(attribute: "date")
    },
    Mistake(
      "'energy' cannot be used by 'update-if-newer': it is volatile, so its stored value may be outdated"
    ) {
      $0.mergePolicy = .updateIfNewer(attribute: "energy")
      $0.fireball[attribute: 1].isVolatile = true
    },
    Mistake("'energy' cannot be used by 'update-if-newer': it has no source in the record") {
      $0.mergePolicy = .updateIfNewer(attribute: "energy")
      $0.fields.remove(at: 1)
    },
    Mistake("'count' cannot be used by 'update-if-newer': it is derived") {
      $0.mergePolicy = .updateIfNewer(attribute: "count")
      $0.entity = "Group"
      $0.fields = [Field("year")]
      $0.links = []
      $0.fireball.attributes.removeLast()
    },
    Mistake("'energy' cannot be unique: it is not required, and nulls are never equal") {
      $0.fireball.uniquenessConstraints = [["energy"]]
    },
    Mistake("'energy' cannot be unique: it is volatile, so its stored value may be outdated") {
      $0.fireball[attribute: 1].isRequired = true
      $0.fireball[attribute: 1].isVolatile = true
      $0.fireball.uniquenessConstraints = [["energy"]]
    },
    Mistake(
      "'energy' is required, so its default cannot be null\n"
        + "'energy' cannot be unique: its default is null, and a unique attribute is always required"
    ) {
      $0.fireball[attribute: 1].isRequired = true
      $0.fireball[attribute: 1].defaultValue = .null
      $0.fireball.uniquenessConstraints = [["energy"]]
    },
    Mistake("'total' cannot be unique: it is derived") {
      $0.group.uniquenessConstraints = [["year", "total"]]
    },
    Mistake("a link inserts a Group with its key alone, and code would be the same in all of them") {
      $0.group.attributes.append(
        Attribute(name: "code", type: .string, isRequired: true, defaultValue: .text("x")))
      $0.group.uniquenessConstraints = [["code"], ["year", "code"]]
    },
  ])
  func `Mistakes in a pipeline built in code have their sentences`(mistake: Mistake) {
    mistake.check()
  }
}
