// What is said of names.

extension Message {
  static let pipelineWithoutName = Message("the pipeline has no name")
  static let pipelineNameWithNull = Message("the name of the pipeline contains the character U+0000")
  static let authorWithNull = Message("the author contains the character U+0000")
  static let storeWithNull = Message("the path of the store contains the character U+0000")

  static func longName(_ name: String, _ limit: Int) -> Message {
    Message("the name '\(name.prefix(40))…' has \(name.utf8.count) bytes; the maximum is \(limit)")
  }

  // MARK: Entities

  static let entityWithoutName = Message("an entity has no name")
  static let entityNameWithNull = Message("the name of an entity contains the character U+0000")

  static func reserved(entity name: String, _ prefix: String) -> Message {
    Message("the entity '\(name)' needs another name: tables that start with '\(prefix)' are reserved")
  }

  static func entityTwice(_ name: String, after other: String) -> Message {
    other == name
      ? Message("the entity '\(name)' is declared twice")
      : Message(
        "the entities '\(other)' and '\(name)' differ by case only, which SQLite ignores: rename one")
  }

  // MARK: Attributes

  static func attributeWithoutName(_ entity: Entity) -> Message {
    Message("an attribute of \(entity.title) has no name")
  }

  static let attributeNameWithNull = Message("the name of an attribute contains the character U+0000")

  static func reserved(attribute name: String, _ advice: Reason) -> Message {
    Message("names that start with 'bolide_' are reserved, as '\(name)' does: \(advice.text)")
  }

  static func attributeTwice(_ name: String, after other: String, _ advice: Reason) -> Message {
    other == name
      ? Message("the attribute '\(name)' is declared twice")
      : Message(
        "the attributes '\(other)' and '\(name)' differ by case only, which SQLite ignores: \(advice.text)")
  }

  static func collision(_ attribute: String, with relationship: String, _ advice: Reason) -> Message {
    Message(
      "the attribute '\(attribute)' collides with the column of the relationship '\(relationship)': \(advice.text)"
    )
  }

  // MARK: Relationships

  static func relationshipWithoutName(_ entity: Entity) -> Message {
    Message("a relationship of \(entity.title) has no name")
  }

  static let relationshipNameWithNull = Message("the name of a relationship contains the character U+0000")

  static func reserved(relationship name: String) -> Message {
    Message("the relationship '\(name)' needs another name: columns that start with 'bolide_' are reserved")
  }

  static func relationshipTwice(_ name: String, after other: String) -> Message {
    other == name
      ? Message("the relationship '\(name)' is declared twice")
      : Message(
        "the relationships '\(other)' and '\(name)' differ by case only, which SQLite ignores: rename one")
  }

  static func attributeAndRelationship(_ name: String, of entity: Entity) -> Message {
    Message("'\(name)' is an attribute and a relationship of \(entity.title): rename one")
  }
}

extension Message {
  // MARK: Names before

  static let emptyWas = Message("the name in 'was' is empty")

  static func wasOfUndeclared(_ name: String) -> Message {
    Message("'was' is set for '\(name)', which is not declared")
  }

  static func wasOfDeclared(_ name: String, _ was: String) -> Message {
    Message("'\(name)' cannot have been '\(was)', which is still declared: a name has one meaning")
  }

  static func wasOfDeclared(_ name: String, _ was: String, in entity: Entity) -> Message {
    Message(
      "'\(name)' cannot have been '\(was)', which \(entity.title) still declares: a name has one meaning")
  }

  static func wasTwice(_ was: String) -> Message {
    Message("two declarations have `was: \(was)`: remove one")
  }

  // MARK: Tables of links

  static func tableOfLinksMissing(_ table: String) -> Message {
    Message("the links of a many-to-many relationship have no table '\(table)'")
  }

  static func tableOfLinks(_ table: String, of relationship: String, _ reason: Reason) -> Message {
    Message(
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
