import ImportModel
import Testing

/// What a pipeline's model can be wrong in, word for word.
struct ModelProblemTests {
  @Test(arguments: [
    Mistake("the pipeline has no name") { $0.name = "" },
    Mistake("the name of the pipeline contains the character U+0000") { $0.name = "a\0" },
    Mistake("the author contains the character U+0000") { $0.author = "\0a" },
    Mistake("the path of the store contains the character U+0000") { $0.store = "a\0.sqlite" },
    Mistake("no entity is named: name the entity of the records, as in `entity: Quake`") {
      $0.entity = ""
    },
    Mistake("there is no entity 'Firball'; did you mean 'Fireball'?") { $0.entity = "Firball" },
    Mistake("the entity 'Tag' is declared twice") {
      $0.model.entities += [entity("Tag"), entity("Tag")]
    },
    Mistake("the entities 'Group' and 'group' differ by case only, which SQLite ignores: rename one") {
      $0.model.entities.append(entity("group"))
    },
    Mistake("the entity 'Bolide_x' needs another name: tables that start with 'bolide_' are reserved") {
      $0.model.entities.append(entity("Bolide_x"))
    },
    Mistake("the entity 'sqlite_x' needs another name: tables that start with 'sqlite_' are reserved") {
      $0.model.entities.append(entity("sqlite_x"))
    },
    Mistake("the name 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…' has 1001 bytes; the maximum is 1000") {
      $0.model.entities.append(entity(String(repeating: "x", count: 1001)))
    },
    Mistake("the name 'éééééééééééééééééééééééééééééééééééééééé…' has 1002 bytes; the maximum is 1000") {
      $0.fireball.attributes.append(
        Attribute(name: String(repeating: "é", count: 501), type: .string))
    },
    Mistake("an entity has no name") { $0.model.entities.append(entity("")) },
    Mistake("the name of an entity contains the character U+0000") {
      $0.model.entities.append(entity("a\0b"))
    },
    Mistake("an attribute of Fireball has no name") {
      $0.fireball.attributes.append(Attribute(name: "", type: .day))
    },
    Mistake("the name of an attribute contains the character U+0000") {
      $0.fireball.attributes.append(Attribute(name: "\0", type: .day))
    },
    Mistake(
      "names that start with 'bolide_' are reserved, as 'bolide_id' does: rename it and set `from: bolide_id`"
    ) { $0.fireball.attributes.append(Attribute(name: "bolide_id", type: .day)) },
    Mistake("names that start with 'bolide_' are reserved, as 'BOLIDE_ID' does: rename it") {
      $0.group.attributes.append(Attribute(name: "BOLIDE_ID", type: .day))
    },
    Mistake("the attribute 'energy' is declared twice") {
      $0.fireball.attributes.append(Attribute(name: "energy", type: .day))
    },
    Mistake(
      "the attributes 'energy' and 'Energy' differ by case only, which SQLite ignores: rename it and "
        + "set `from: Energy`"
    ) { $0.fireball.attributes.append(Attribute(name: "Energy", type: .day)) },
    Mistake(
      "the attribute 'GROUP_ID' collides with the column of the relationship 'group': rename it and "
        + "set `from: GROUP_ID`"
    ) { $0.fireball.attributes.append(Attribute(name: "GROUP_ID", type: .day)) },
    Mistake("'group' is an attribute and a relationship of Fireball: rename one") {
      $0.fireball.attributes.append(Attribute(name: "Group", type: .day))
    },
    Mistake("a relationship of Fireball has no name") {
      $0.fireball.relationships.append(toOne("", "Group"))
    },
    Mistake("the name of a relationship contains the character U+0000") {
      $0.fireball.relationships.append(toOne("\0", "Group"))
    },
    Mistake("the relationship 'bolide' needs another name: columns that start with 'bolide_' are reserved") {
      $0.fireball.relationships.append(toOne("bolide", "Group"))
    },
    Mistake("the relationship 'tag' is declared twice") {
      $0.fireball.relationships.append(toOne("tag", "Group"))
      $0.fireball.relationships.append(toOne("tag", "Group"))
    },
    Mistake("the relationships 'group' and 'GROUP' differ by case only, which SQLite ignores: rename one") {
      $0.fireball.relationships.append(toOne("GROUP", "Group"))
    },
  ])
  func `Mistakes in names have their sentences`(mistake: Mistake) {
    mistake.check()
  }

  @Test(arguments: [
    Mistake(
      "Tag has no attributes: declare at least one\n"
        + "the key attribute 'id' is not declared in Tag"
    ) { $0.model.entities.append(Entity(name: "Tag", key: ["id"], attributes: [])) },
    Mistake("Fireball has no key: name the attributes that identify an object, as in `key: id`") {
      $0.fireball.key = []
    },
    Mistake("the attribute 'date' is in the key twice") { $0.fireball.key = ["date", "date"] },
    Mistake("the key attribute 'data' is not declared in Fireball; did you mean 'date'?") {
      $0.fireball.key = ["data"]
    },
    Mistake("'lat' cannot be in a key: it is transient, and not stored") {
      $0.fireball.key = ["lat"]
    },
    Mistake("'date' cannot be in a key: it is volatile, and a key must not change") {
      $0.fireball[attribute: 0].isVolatile = true
    },
    Mistake(
      "'total' cannot be in a key: it is derived\nthe link to Group does not set its key attribute 'total'"
    ) { $0.group.key = ["year", "total"] },
    Mistake("'date' cannot be in a key: its default is null, and a key is always required") {
      $0.fireball[attribute: 0].isRequired = false
      $0.fireball[attribute: 0].defaultValue = .null
    },
  ])
  func `Mistakes in keys have their sentences`(mistake: Mistake) {
    mistake.check()
  }

  @Test(arguments: [
    Mistake("the scale of 'energy' is 19: it must be from 0 to 18") {
      $0.fireball[attribute: 1].type = .decimal(scale: 19)
      $0.group.attributes.removeLast()
    },
    Mistake("'one-of' is for strings and whole numbers, and 'energy' is a double") {
      $0.fireball[attribute: 1].oneOf = [.real(1)]
    },
    Mistake("'min' is for numbers, dates and days, and 'note' is a string") {
      $0.fireball[attribute: 2].minimum = .text("a")
    },
    Mistake("'max' is for numbers, dates and days, and 'note' is a string") {
      $0.fireball[attribute: 2].maximum = .text("a")
    },
    Mistake("'max-length' is for strings, json and binary, and 'energy' is a double") {
      $0.fireball[attribute: 1].maximumLength = 3
    },
    Mistake("the max-length of 'note' is 0: it must be at least 1") {
      $0.fireball[attribute: 2].maximumLength = 0
    },
    Mistake("'pattern' is for strings, and 'energy' is a double") {
      $0.fireball[attribute: 1].pattern = "[0-9]+"
    },
    Mistake("the pattern of 'note' cannot be used: expected ')'") {
      $0.fireball[attribute: 2].pattern = "(a"
    },
    Mistake("the default of 'note' does not match its 'pattern'") {
      $0.fireball[attribute: 2].pattern = "[a-z]"
      $0.fireball[attribute: 2].defaultValue = .text("ab")
    },
    Mistake("'note' is required, so its default cannot be null") {
      $0.fireball[attribute: 2].isRequired = true
      $0.fireball[attribute: 2].defaultValue = .null
    },
    Mistake("a value of 'min' of 'energy' is not a valid double") {
      $0.fireball[attribute: 1].minimum = .text("1")
    },
    Mistake("a value of 'max' of 'energy' is NaN or an infinity, which JSON cannot represent") {
      $0.fireball[attribute: 1].maximum = .real(.infinity)
    },
    Mistake("a value of 'one-of' of 'note' is not a valid string") {
      $0.fireball[attribute: 2].oneOf = [.text("a"), .integer(1)]
    },
    Mistake("the 'min' of 'energy' is greater than its 'max'") {
      $0.fireball[attribute: 1].minimum = .real(2)
      $0.fireball[attribute: 1].maximum = .real(1)
    },
    Mistake("the default of 'note' is not among its 'one-of'") {
      $0.fireball[attribute: 2].oneOf = [.text("a")]
      $0.fireball[attribute: 2].defaultValue = .text("b")
    },
    Mistake("the default of 'energy' is outside 'min' and 'max'") {
      $0.fireball[attribute: 1].minimum = .real(2)
      $0.fireball[attribute: 1].defaultValue = .real(1)
    },
    Mistake("the default of 'note' is longer than its 'max-length'") {
      $0.fireball[attribute: 2].maximumLength = 1
      $0.fireball[attribute: 2].defaultValue = .text("ab")
    },
    Mistake("'x' cannot be transient: no record becomes a Group") {
      $0.group.attributes.append(Attribute(name: "x", type: .day, isTransient: true))
    },
  ])
  func `Mistakes in rules have their sentences`(mistake: Mistake) {
    mistake.check()
  }

  @Test(arguments: [
    Mistake("'count' has both 'transient' and 'derived': remove one") {
      $0.group[attribute: 1].isTransient = true
    },
    Mistake("'count' has both 'volatile' and 'derived': remove one") {
      $0.group[attribute: 1].isVolatile = true
    },
    Mistake("'count' has both 'required' and 'derived': remove one") {
      $0.group[attribute: 1].isRequired = true
    },
    Mistake("'count' has both 'default' and 'derived': remove one") {
      $0.group[attribute: 1].defaultValue = .integer(0)
    },
    Mistake("'count' has both 'one-of' and 'derived': remove one") {
      $0.group[attribute: 1].oneOf = [.integer(0)]
    },
    Mistake("'count' has both 'min' and 'derived': remove one") {
      $0.group[attribute: 1].minimum = .integer(0)
    },
    Mistake("'count' has both 'max' and 'derived': remove one") {
      $0.group[attribute: 1].maximum = .integer(0)
    },
    Mistake("'count' has both 'max-length' and 'derived': remove one") {
      $0.group[attribute: 1].maximumLength = 1
    },
    Mistake("'count' has both 'pattern' and 'derived': remove one") {
      $0.group[attribute: 1].pattern = "a"
    },
    Mistake("'count' is derived as integer64, not integer32: remove the type") {
      $0.group[attribute: 1].type = .integer32
    },
    Mistake("Group has no relationship 'firebals' to derive 'count' over; did you mean 'fireballs'?") {
      $0.group[attribute: 1].derivation = .count(relationship: "firebals")
    },
    Mistake("'count' is derived over 'x', which is to-one: it needs a to-many relationship") {
      $0.group.relationships.append(toOne("x", "Group"))
      $0.group[attribute: 1].derivation = .count(relationship: "x")
    },
    Mistake("Fireball has no attribute 'enrgy' to sum; did you mean 'energy'?") {
      $0.group[attribute: 2].derivation = .sum(relationship: "fireballs", attribute: "enrgy")
    },
    Mistake("'total' cannot sum 'note': it is a string, not a number") {
      $0.group[attribute: 2].derivation = .sum(relationship: "fireballs", attribute: "note")
    },
    Mistake("'total' cannot sum 'lat': it is transient, and not stored") {
      $0.group[attribute: 2].derivation = .sum(relationship: "fireballs", attribute: "lat")
    },
    Mistake("'total' cannot average 'note': it is a string, not a number") {
      $0.group[attribute: 2].derivation = .aggregate(.init(.average, of: "note", over: "fireballs"))
    },
    Mistake("'total' cannot take the maximum of 'note': it is a string, not a number, a date or a day") {
      $0.group[attribute: 2].derivation = .aggregate(.init(.max, of: "note", over: "fireballs"))
    },
    Mistake("Fireball has no attribute 'enrgy' to take the minimum of; did you mean 'energy'?") {
      $0.group[attribute: 2].derivation = .aggregate(.init(.min, of: "enrgy", over: "fireballs"))
    },
    Mistake("'total' is derived as date, not double: remove the type") {
      $0.group[attribute: 2].derivation = .aggregate(.init(.min, of: "date", over: "fireballs"))
    },
    Mistake("Fireball has no relationship 'grp' to derive 'x' along; its to-one relationships are group") {
      $0.fireball.attributes.append(derived("x", .integer16, .copy(path: ["grp", "year"])))
    },
    Mistake("Group has no attribute 'yaer' to derive 'x' from; did you mean 'year'?") {
      $0.fireball.attributes.append(derived("x", .integer16, .copy(path: ["group", "yaer"])))
    },
    Mistake(
      "'x' is derived along 'fireballs', which is to-many: a path follows to-one relationships, "
        + "and what is to-many needs an operator at the end"
    ) {
      $0.fireball.attributes.append(derived("x", .double, .copy(path: ["group", "fireballs", "energy"])))
    },
    Mistake(
      "Fireball has no attribute 'xyzzy' to derive 'x' from; its attributes are date, energy, note, lat, x"
    ) {
      $0.fireball.attributes.append(derived("x", .double, .copy(path: ["xyzzy"])))
    },
    Mistake("Group has no relationship 'xyzzy' to derive 'x' over; its to-many relationships are fireballs") {
      $0.group.attributes.append(derived("x", .integer64, .count(relationship: "xyzzy")))
    },
    Mistake("Fireball has no attribute 'xyzzy' to sum; its numbers are energy, lat") {
      $0.group.attributes.append(derived("x", .double, .sum(relationship: "fireballs", attribute: "xyzzy")))
    },
    Mistake(
      "Fireball has no attribute 'xyzzy' to take the minimum of; its numbers, dates and days are date, energy, lat"
    ) {
      $0.group.attributes.append(
        derived("x", .double, .aggregate(.init(.min, of: "xyzzy", over: "fireballs"))))
    },
    Mistake("'x' cannot be derived from 'lat': it is transient, and not stored") {
      $0.fireball.attributes.append(derived("x", .double, .copy(path: ["lat"])))
    },
    Mistake("'x' cannot be derived from 'energy': it is a double, and canonical is for strings") {
      $0.fireball.attributes.append(derived("x", .string, .folded(.canonical, path: ["energy"])))
    },
    Mistake(
      "'a' is derived from itself: Fireball.a from Group.b from Fireball.a\n"
        + "'b' is derived from itself: Group.b from Fireball.a from Group.b"
    ) {
      $0.fireball.attributes.append(derived("a", .double, .copy(path: ["group", "b"])))
      $0.group.attributes.append(derived("b", .double, .sum(relationship: "fireballs", attribute: "a")))
    },
    Mistake("'a' is derived from itself: Fireball.a from Fireball.a") {
      $0.fireball.attributes.append(derived("a", .string, .copy(path: ["a"])))
    },
  ])
  func `Mistakes in derived attributes have their sentences`(mistake: Mistake) {
    mistake.check()
  }

  @Test(arguments: [
    Mistake(
      "the key attribute 'xyzzy' is not declared in Fireball; the attributes are date, energy, note, lat"
    ) { $0.fireball.key = ["date", "xyzzy"] },
    Mistake(
      "the unique attribute 'xyzzy' is not declared in Fireball; the attributes are date, energy, note, lat"
    ) { $0.fireball.uniquenessConstraints = [["xyzzy"]] },
    Mistake("there is no attribute 'xyzzy' in Fireball; the attributes are date, energy, note, lat") {
      $0.fields.append(Field("xyzzy"))
    },
  ])
  func `A far name gets the list`(mistake: Mistake) {
    mistake.check()
  }

  @Test func `What is derived may be derived from again`() {
    var pipeline = Mistake.soundPipeline
    pipeline.fireball.attributes.append(derived("all", .double, .copy(path: ["group", "total"])))
    pipeline.group.attributes.append(
      derived("largest", .double, .aggregate(.init(.max, of: "all", over: "fireballs"))))
    pipeline.group.attributes.append(derived("changed", .date(precision: .milliseconds), .now))
    pipeline.group.attributes.append(
      derived("copy", .date(precision: .milliseconds), .copy(path: ["changed"])))
    #expect(pipeline.problems() == [])
    let rank = { pipeline.model.rank(of: DerivedName(entity: $0, attribute: $1)) }
    #expect(rank("Group", "total") == 0 && rank("Fireball", "all") == 1 && rank("Group", "largest") == 2)
  }

  @Test(arguments: [
    Mistake("'on-delete' is for the to-many or has-one end of a relationship, and 'group' is to-one") {
      $0.fireball.relationships[0].deleteRule = .cascade
    },
    Mistake("the destination 'Grup' of the relationship 'owner' is not declared; did you mean 'Group'?") {
      $0.fireball.relationships.append(toOne("owner", "Grup"))
    },
    Mistake(
      "'fireballs' cannot be the inverse of 'group': it must have `inverse: group`\n"
        + "the to-many relationship 'fireballs' needs 'inverse', the relationship back"
    ) { $0.group.relationships[0].inverse = nil },
    Mistake(
      "'fireballs' cannot be the inverse of 'group': its own inverse is 'grp'\n"
        + "the inverse of 'fireballs' is not declared: Fireball has no 'grp'; its relationships are group"
    ) { $0.group.relationships[0].inverse = "grp" },
    Mistake(
      "the inverse of 'group' is not declared: Fireball has no 'fireballs'; its relationships are "
        + "group\n'group' cannot be the inverse of 'fireballs': its destination is Fireball, not Group"
    ) { ($0.fireball.relationships[0].destination, $0.links) = ("Fireball", []) },
    Mistake(
      "'group' and its inverse 'fireballs' are both to-one: make one end `has-one` for one object, "
        + "or `to-many` for several"
    ) {
      $0.group.relationships[0].deleteRule = .nullify
      $0.group.relationships[0].kind = .toOne
      $0.group.attributes.removeLast(2)
    },
  ])
  func `Mistakes in relationships have their sentences`(mistake: Mistake) {
    mistake.check()
  }
}
