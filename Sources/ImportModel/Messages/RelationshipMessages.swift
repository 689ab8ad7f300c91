// What is said of relationships, of children and of links.

extension Message {
  // MARK: Relationships

  static func deleteRuleOfToOne(_ name: String) -> Message {
    Message("'on-delete' is for the to-many or has-one end of a relationship, and '\(name)' is to-one")
  }

  static func leadsNowhere(_ relationship: Relationship, _ model: Model) -> Message {
    let ending = Suggestion.ending(
      for: relationship.destination, among: model.entities.map(\.name), plural: "the entities are")
    return Message(
      "the destination '\(relationship.destination)' of the relationship '\(relationship.name)' is "
        + "not declared\(ending)")
  }

  static func withoutInverse(_ name: String, _ kind: Relationship.Kind) -> Message {
    Message("the \(kind.word) relationship '\(name)' needs 'inverse', the relationship back")
  }

  static func undeclaredInverse(_ inverse: String, of name: String, in destination: Entity) -> Message {
    let ending = Suggestion.ending(
      for: inverse, among: destination.relationships.map(\.name), plural: "its relationships are")
    return Message(
      "the inverse of '\(name)' is not declared: \(destination.name) has no '\(inverse)'\(ending)")
  }

  static func notInverse(_ inverse: String, of name: String, _ reason: Reason) -> Message {
    Message("'\(inverse)' cannot be the inverse of '\(name)': \(reason.text)")
  }

  static func bothToOne(_ name: String, _ inverse: String) -> Message {
    Message(
      "'\(name)' and its inverse '\(inverse)' are both to-one: make one end `has-one` for one "
        + "object, or `to-many` for several")
  }

  static func bothHasOne(_ name: String, _ inverse: String) -> Message {
    Message(
      "'\(name)' and its inverse '\(inverse)' are both has-one: make the end that has the column `to-one`"
    )
  }

  static func oneAndMany(_ name: String, _ inverse: String) -> Message {
    Message(
      "'\(name)' is has-one and its inverse '\(inverse)' is to-many: the inverse of a has-one relationship is to-one"
    )
  }

  static func cascadeToShared(_ destination: Entity) -> Message {
    Message(
      "'cascade' is not supported in a many-to-many relationship, as a \(destination.name) may "
        + "belong to other objects: remove it to delete the links alone, or set `deny`")
  }

  static func sameNamesOfLinks(_ name: String, _ inverse: String) -> Message {
    Message(
      "'\(name)' and its inverse '\(inverse)' need different names: the table of their links has a column for each"
    )
  }

  // MARK: Children

  static func childrenTwice(_ name: String) -> Message {
    Message("the children '\(name)' are declared twice")
  }

  static func childrenOfNobody(_ name: String, within entity: String) -> Message {
    Message("the children '\(name)' stand within \(entity), which no children before them become")
  }

  /// - Parameters:
  ///   - levels: what the path has.
  ///   - depth: how many there are around the children.
  static func outOfRecord(_ levels: Int, _ depth: Int) -> Message {
    if levels <= depth {
      return Message("'..' is what holds the children: name a field of it, as in `../id`")
    }
    return depth == 0
      ? Message("'..' leads out of children, and this is the record itself")
      : Message(
        "the path leads out of the record: there \(depth == 1 ? "is one level" : "are \(depth) levels") around the children"
      )
  }

  static func noChildrenRelationship(_ name: String, of owner: Entity) -> Message {
    let toMany = owner.relationships.filter { $0.kind == .toMany }.map(\.name)
    let ending = Suggestion.ending(for: name, among: toMany, plural: "its to-many relationships are")
    return Message("\(owner.title) has no to-many relationship '\(name)' with an inverse\(ending)")
  }

  static func sharedChildren(_ name: String, _ entity: Entity) -> Message {
    Message("the children '\(name)' need an entity of their own, and \(entity.name) is that of others")
  }

  static func childrenLeftBehind(_ toOne: String) -> Message {
    Message(
      "'nullify' is not supported for children: their key contains '\(toOne)', which is never null")
  }

  static let emptyChildrenPath = Message("the path of the children is empty")
  static let wildcardInChildren = Message(
    "the path of children has no wildcards: each list of children is one array of the record")

  static func childKeyWithoutOwner(_ entity: Entity, _ toOne: String, _ owner: Entity) -> Message {
    Message(
      "the key of \(entity.title) needs '\(toOne)', the \(owner.title) that it belongs to, as in "
        + "`key: [\(([toOne] + entity.key).joined(separator: ", "))]`; or set `many-to-many: true` if "
        + "several records may contain the same one")
  }

  static let ownChildrenWhen = Message(
    "children that belong to their record are always linked to it: 'when' is for those of `many-to-many: true`"
  )

  static let elementOfRecord = Message(
    "'.' is an element of a nested array, and a record is an object: name its key")

  static func childKeyOfOwnerAlone(_ entity: Entity, _ toOne: String, example: String) -> Message {
    Message(
      "the key of \(entity.title) is '\(toOne)' alone: it needs an attribute of its own too, as in "
        + "`key: [\(toOne), \(example)]`")
  }

  // MARK: Links

  static func linkedTwice(_ name: String) -> Message {
    Message("the relationship '\(name)' is linked twice")
  }

  static func nothingToLink(_ name: String, of entity: Entity) -> Message {
    let toOne = entity.toOneRelationships.map(\.name)
    let ending = Suggestion.ending(for: name, among: toOne, plural: "its to-one relationships are")
    return Message("\(entity.title) has no relationship '\(name)' to link\(ending)")
  }

  static func linkToItself(_ entity: Entity) -> Message {
    Message("a link from \(entity.title) to itself is not supported")
  }

  static func linkOfOtherEnd(_ name: String, _ kind: Relationship.Kind) -> Message {
    Message("only a to-one relationship can be linked, and '\(name)' is \(kind.word)")
  }

  static func linkToChildren(_ entity: String) -> Message {
    Message("a link cannot find a \(entity): its key contains its parent")
  }

  static func linkWithoutKey(_ owner: Entity, _ name: String) -> Message {
    Message("the link to \(owner.name) does not set its key attribute '\(name)'")
  }

  static func linkGivesTwice(_ owner: Entity, _ name: String) -> Message {
    Message("the link to \(owner.name) sets '\(name)' twice")
  }

  static func linkGivesMore(_ owner: Entity, _ name: String) -> Message {
    let ending = Suggestion.ending(for: name, among: owner.key, plural: "its key is")
    return Message("a link sets the owner's key, and '\(name)' is not in the key of \(owner.name)\(ending)")
  }

  static func linkCannotMake(_ owner: Entity, without attribute: String) -> Message {
    Message(
      "a link cannot insert a \(owner.name): its attribute '\(attribute)' is required and has no default")
  }

  static func linkMakesTheSame(_ owner: Entity, _ constraint: [String]) -> Message {
    Message(
      "a link inserts a \(owner.name) with its key alone, and \(constraint.listed) would be the same "
        + "in all of them"
    )
  }
}

extension Reason {
  static func leads(to destination: String, not entity: Entity) -> Reason {
    Reason("its destination is \(destination), not \(entity.title)")
  }

  static func otherInverse(_ name: String) -> Reason { Reason("its own inverse is '\(name)'") }
  static func mustSayInverse(_ name: String) -> Reason { Reason("it must have `inverse: \(name)`") }
}
