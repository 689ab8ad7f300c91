import ImportModel
import Testing

/// What many-to-many relationships can be wrong in, word for word.
struct ManyToManyProblemTests {
  @Test(arguments: [
    Mistake(
      "'Fireballs' and its inverse 'fireballs' need different names: the table of their links has a column for each"
    ) {
      manyToMany(&$0, "Fireballs", "fireballs")
    },
    Mistake(
      "'cascade' is not supported in a many-to-many relationship, as a Fireball may belong to other "
        + "objects: remove it to delete the links alone, or set `deny`"
    ) {
      manyToMany(&$0, "groups", "fireballs")
      $0.group.relationships[0].deleteRule = .cascade
    },
    Mistake(
      "the relationship 'groups' needs another name: its links would be stored in the table "
        + "'Fireball_groups', a name that the entity 'fireball_Groups' has"
    ) {
      manyToMany(&$0, "groups", "fireballs")
      $0.model.entities.append(entity("fireball_Groups"))
    },
    Mistake(
      "the relationship 'c' needs another name: its links would be stored in the table 'A_b_c', a "
        + "name that the links of 'b_c' have"
    ) {
      var (one, two) = (entity("A"), entity("A_b"))
      one.relationships = [toMany("b_c", "A", "z"), toMany("z", "A", "b_c")]
      two.relationships = [toMany("c", "A_b", "z"), toMany("z", "A_b", "c")]
      $0.model.entities += [one, two]
    },
    Mistake(
      "the relationship 'x' needs another name: its links would be stored in the table 'bolide_x', "
        + "and tables that start with 'bolide_' are reserved"
    ) {
      var one = entity("bolide")
      one.relationships = [toMany("x", "bolide", "y"), toMany("y", "bolide", "x")]
      $0.model.entities.append(one)
    },
    Mistake(
      "the relationship 'before' needs another name: its links would be stored in the table "
        + "'Post_before', and its triggers would have the names of Post's"
    ) {
      var one = entity("Post")
      one.relationships = [toMany("before", "Post", "later"), toMany("later", "Post", "before")]
      $0.model.entities.append(one)
    },
    Mistake(
      "'friends' and its inverse 'friends' need different names: the table of their links has a column for each"
    ) {
      var one = entity("Person")
      one.relationships = [toMany("friends", "Person", "friends")]
      $0.model.entities.append(one)
    },
    Mistake("Fireball has no attribute 'energi' to sum; did you mean 'energy'?") {
      manyToMany(&$0, "groups", "fireballs")
      $0.group.attributes.append(sum("x", "fireballs", "energi"))
    },
    Mistake(
      "'y' is derived from itself: Fireball.y from Group.x from Fireball.y\n"
        + "'x' is derived from itself: Group.x from Fireball.y from Group.x"
    ) {
      manyToMany(&$0, "groups", "fireballs")
      $0.fireball.attributes.append(sum("y", "groups", "x"))
      $0.group.attributes.append(sum("x", "fireballs", "y"))
    },
  ])
  func `Mistakes in many-to-many relationships have their sentences`(mistake: Mistake) {
    mistake.check()
  }
}

/// Makes the two entities many-to-many, without links.
private func manyToMany(_ pipeline: inout Pipeline, _ groups: String, _ fireballs: String) {
  pipeline.links = []
  pipeline.fireball.relationships = [toMany(groups, "Group", fireballs)]
  pipeline.group.relationships = [toMany(fireballs, "Fireball", groups)]
}

private func toMany(_ name: String, _ destination: String, _ inverse: String) -> Relationship {
  Relationship(name: name, kind: .toMany, destination: destination, inverse: inverse)
}

private func sum(_ name: String, _ relationship: String, _ attribute: String) -> Attribute {
  Attribute(name: name, type: .double, derivation: .sum(relationship: relationship, attribute: attribute))
}
