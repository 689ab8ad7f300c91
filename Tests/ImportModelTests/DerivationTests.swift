import ImportModel
import Testing

struct DerivationTests {
  @Test(arguments: [
    ("fireballs.@count", Derivation.count(relationship: "fireballs")),
    ("fireballs.impactEnergy.@sum", .sum(relationship: "fireballs", attribute: "impactEnergy")),
    ("a.b.@min", .aggregate(.init(.min, of: "b", over: "a"))),
    ("a.b.@max", .aggregate(.init(.max, of: "b", over: "a"))),
    ("a.b.@average", .aggregate(.init(.average, of: "b", over: "a"))),
    ("name", .copy(path: ["name"])),
    ("group.country.name", .copy(path: ["group", "country", "name"])),
    ("canonical:(name)", .folded(.canonical, path: ["name"])),
    ("uppercase:(group.name)", .folded(.uppercase, path: ["group", "name"])),
    ("lowercase:(name)", .folded(.lowercase, path: ["name"])),
    ("now()", .now),
  ])
  func `Every form reads back as it was written`(text: String, derivation: Derivation) throws {
    #expect(try Derivation(parsing: text) == derivation)
    #expect(derivation.text == text)
  }

  @Test func `A filter belongs to an aggregate`() throws {
    let filtered = try Derivation(parsing: "parts.@count", where: "size > 3")
    #expect(filtered == .count(relationship: "parts", where: "size > 3") && filtered.text == "parts.@count")
    for text in ["now()", "name", "canonical:(name)"] {
      let error = #expect(throws: DerivationError.self) { try Derivation(parsing: text, where: "1") }
      #expect(error?.message == "'where' is for aggregates, and '\(text)' is not one")
    }
  }

  private static let forms =
    "supported are a path such as group.name, relationship.@count, relationship.attribute.@sum, @min, @max or "
    + "@average, canonical:(path), uppercase:(path), lowercase:(path) and now()"

  @Test(arguments: [
    ("today()", "the derivation 'today' is not supported; \(forms)"),
    ("lower(name)", "the derivation 'lower' is not supported; \(forms)"),
    ("now(2)", "now() takes no argument"),
    ("canonical(name)", "canonical is written with a colon, as in canonical:(group.name)"),
    ("canonical:(name", "canonical is written with a colon, as in canonical:(group.name)"),
    ("canonical:(lowercase:(name))", "canonical takes a path of names, and 'lowercase:(name)' is not a name"),
    ("uppercase:(a.@count)", "uppercase takes a path of names, and '@count' is not a name"),
    ("canonical:()", "'' is not a path: a name is missing beside a dot"),
    ("fireballs..@count", "'fireballs..@count' is not a path: a name is missing beside a dot"),
    ("fireballs.@count.energy", "the operator @count must come last"),
    ("a.@sum.@count", "a derivation has one operator, and it comes last"),
    ("a.b.@count", "@count follows one to-many relationship, as in fireballs.@count"),
    ("a.@sum", "@sum follows one to-many relationship and one attribute, as in fireballs.energy.@sum"),
    ("a.b.c.@max", "@max follows one to-many relationship and one attribute, as in fireballs.energy.@max"),
    (
      "a.b.@median",
      "the operator @median is not supported; the operators are @count, @sum, @min, @max and @average"
    ),
  ])
  func `Every other form is rejected by name`(text: String, sentence: String) {
    let error = #expect(throws: DerivationError.self) { try Derivation(parsing: text) }
    #expect(error?.message == sentence)
  }

  @Test func `Canonical texts have neither case nor diacritics`() {
    #expect(
      TextFolding.canonical.apply("A Title With Case and Díäcrîtįcs") == "a title with case and diacritics")
    #expect(TextFolding.uppercase.apply("straße, Ωmega, ﬁ") == "STRASSE, ΩMEGA, FI")
    #expect(TextFolding.lowercase.apply("ÀÉÎ ΣΑΣ I") == "àéî σας i")
    #expect(TextFolding.canonical.apply("e\u{301}\0İ") == "e\0i")
  }
}
