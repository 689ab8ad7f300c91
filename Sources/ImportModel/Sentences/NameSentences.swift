// What is said of names.

extension Sentence {
  static let pipelineWithoutName = Sentence("the pipeline has no name")
  static let storeWithNull = Sentence("the path of the store contains the character U+0000")

  static func longName(_ name: String, _ limit: Int) -> Sentence {
    Sentence("the name '\(name.prefix(40))…' has \(name.utf8.count) bytes; the maximum is \(limit)")
  }

  // MARK: Entities

  static let entityWithoutName = Sentence("an entity has no name")
  static let entityNameWithNull = Sentence("the name of an entity contains the character U+0000")

  static func reserved(entity name: String, _ prefix: String) -> Sentence {
    Sentence("the entity '\(name)' needs another name: tables that start with '\(prefix)' are reserved")
  }

  static func entityTwice(_ name: String, after other: String) -> Sentence {
    other == name
      ? Sentence("the entity '\(name)' is declared twice")
      : Sentence(
        "the entities '\(other)' and '\(name)' differ by case only, which SQLite ignores: rename one")
  }

  // MARK: Attributes

  static func attributeWithoutName(_ entity: Entity) -> Sentence {
    Sentence("an attribute of \(entity.title) has no name")
  }

  static let attributeNameWithNull = Sentence("the name of an attribute contains the character U+0000")

  static func reserved(attribute name: String, _ advice: Reason) -> Sentence {
    Sentence("names that start with 'bolide_' are reserved, as '\(name)' does: \(advice.text)")
  }

  static func attributeTwice(_ name: String, after other: String, _ advice: Reason) -> Sentence {
    other == name
      ? Sentence("the attribute '\(name)' is declared twice")
      : Sentence(
        "the attributes '\(other)' and '\(name)' differ by case only, which SQLite ignores: \(advice.text)")
  }

  static func collision(_ attribute: String, with relationship: String, _ advice: Reason) -> Sentence {
    Sentence(
      "the attribute '\(attribute)' collides with the column of the relationship '\(relationship)': \(advice.text)"
    )
  }

  // MARK: Relationships

  static func relationshipWithoutName(_ entity: Entity) -> Sentence {
    Sentence("a relationship of \(entity.title) has no name")
  }

  static let relationshipNameWithNull = Sentence("the name of a relationship contains the character U+0000")

  static func reserved(relationship name: String) -> Sentence {
    Sentence("the relationship '\(name)' needs another name: columns that start with 'bolide_' are reserved")
  }

  static func relationshipTwice(_ name: String, after other: String) -> Sentence {
    other == name
      ? Sentence("the relationship '\(name)' is declared twice")
      : Sentence(
        "the relationships '\(other)' and '\(name)' differ by case only, which SQLite ignores: rename one")
  }

  static func attributeAndRelationship(_ name: String, of entity: Entity) -> Sentence {
    Sentence("'\(name)' is an attribute and a relationship of \(entity.title): rename one")
  }
}

extension Sentence {
  // MARK: Names before

  static let emptyWas = Sentence("the name in 'was' is empty")

  static func wasOfUndeclared(_ name: String) -> Sentence {
    Sentence("'was' is set for '\(name)', which is not declared")
  }

  static func wasOfDeclared(_ name: String, _ was: String) -> Sentence {
    Sentence("'\(name)' cannot have been '\(was)', which is still declared: a name has one meaning")
  }

  static func wasOfDeclared(_ name: String, _ was: String, in entity: Entity) -> Sentence {
    Sentence(
      "'\(name)' cannot have been '\(was)', which \(entity.title) still declares: a name has one meaning")
  }

  static func wasTwice(_ was: String) -> Sentence {
    Sentence("two declarations have `was: \(was)`: remove one")
  }

  // MARK: Tables of links

  static func tableOfLinksMissing(_ table: String) -> Sentence {
    Sentence("the links of a many-to-many relationship have no table '\(table)'")
  }

  static func tableOfLinks(_ table: String, of relationship: String, _ reason: Reason) -> Sentence {
    Sentence(
      "the relationship '\(relationship)' needs another name: its links would be stored in the table "
        + "'\(table)', \(reason.text)"
    )
  }
}

extension Reason {
  // Why a table of links cannot have its name.
  static func reserved(tables prefix: String) -> Reason {
    Reason("and tables that start with '\(prefix)' are reserved")
  }
  static func triggersOf(_ owner: Entity) -> Reason {
    Reason("and its triggers would have the names of \(owner.name)'s")
  }
  static func nameOf(entity: String) -> Reason { Reason("a name that the entity '\(entity)' has") }
  static func nameOf(linksOf relationship: String) -> Reason {
    Reason("a name that the links of '\(relationship)' have")
  }

  // What to do about a name.
  static let rename = Reason("rename it")
  static func rename(from key: String) -> Reason { Reason("rename it and set `from: \(key)`") }
}
