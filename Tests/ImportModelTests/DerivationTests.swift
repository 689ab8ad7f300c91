import ImportModel
import Testing

struct DerivationTests {
  @Test func `Counts and sums read back as they were written`() throws {
    #expect(try Derivation(parsing: "fireballs.@count") == .count(relationship: "fireballs"))
    let sum = try Derivation(parsing: "fireballs.impactEnergy.@sum")
    #expect(sum == .sum(relationship: "fireballs", attribute: "impactEnergy"))
    #expect(sum.text == "fireballs.impactEnergy.@sum")
    #expect(sum.relationship == "fireballs")
  }

  @Test(arguments: [
    ("now()", "the derivation 'now' is not supported; supported are @count and @sum"),
    ("canonical:(name)", "the derivation 'canonical' is not supported; supported are @count and @sum"),
    ("fireballs..@count", "'fireballs..@count' is not a path: a name is missing beside a dot"),
    ("fireballs.@count.energy", "the operator @count must come last"),
    (
      "group.name",
      "a derivation by copy is not supported; "
        + "supported are relationship.@count and relationship.attribute.@sum"
    ),
    ("a.@sum.@count", "a derivation has one operator, and it comes last"),
    ("a.b.@count", "@count follows one to-many relationship, as in fireballs.@count"),
    ("a.@sum", "@sum follows one to-many relationship and one attribute, as in fireballs.energy.@sum"),
    ("a.b.@max", "the operator @max is not supported; supported are @count and @sum"),
  ])
  func `Every other form is refused by name`(text: String, sentence: String) {
    let error = #expect(throws: DerivationError.self) { try Derivation(parsing: text) }
    #expect(error?.message == sentence)
  }
}
