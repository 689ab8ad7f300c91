import Foundation
import Testing

/// A folder with a store of people, addresses, cities and countries, in which one person's values are found by their bytes.
struct PeopleFolder {
  let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(Self.pipeline, to: "people.yaml")
    try folder.write(Self.feed, to: "1.json")
    // Another name, mail, score and day of birth, and a rank that can be read.
    let second = Self.feed.replacing("SecretOne", with: "SecretTwo").replacing(
      "SecretMail1", with: "SecretMail2"
    )
    .replacing("77.125", with: "78.25").replacing("1987-06-05", with: "1988-07-06").replacing(
      "\"rank\": \"x\"", with: "\"rank\": 2")
    try folder.write(second, to: "2.json")
    try folder.write(
      #"[{"id": "bert", "name": "Bert", "email": "b@x", "score": 2, "born": "1940-01-01", "town": "Rome"}]"#,
      to: "other.json")
  }

  /// Imports what is hers twice, with other values.
  func importTwice() throws {
    for feed in ["1.json", "2.json"] {
      #expect(try folder.bolide("import", "people.yaml", feed, "-q").status == 65)
    }
  }

  /// Writes as a program that leaves deleted bytes in free pages, and copies of rows beside tables.
  func writeByHand() throws {
    try folder.sqlite(
      "people.sqlite",
      """
      PRAGMA secure_delete = OFF; INSERT INTO Country(name) VALUES ('Italy'); UPDATE City SET country_id = 1;
      UPDATE Person SET name = 'SecretThree' WHERE id = 'secretKey';
      UPDATE OR REPLACE Person SET email = 'Z' WHERE id = 'anna';
      INSERT INTO Person(id, name, email) VALUES ('temporary', hex(zeroblob(30000)) || 'SecretLong', 'SecretMail9');
      UPDATE Person SET email = hex(zeroblob(30000)) || 'SecretLong' WHERE id = 'secretKey';
      UPDATE Person SET email = 'SecretMail3', name = 'SecretFour' WHERE id = 'secretKey';
      DELETE FROM Person WHERE id = 'temporary';
      """)
    _ = try folder.bolide("changes", "people.sqlite", "--count")
    // What is free now has held hers.
    try folder.sqlite(
      "people.sqlite",
      """
      PRAGMA secure_delete = OFF; DELETE FROM bolide_previous WHERE value LIKE '%SecretLong' OR value = 'SecretMail9';
      """)
  }

  func token() throws -> String {
    try folder.bolide("token", "people.sqlite").output.trimmingCharacters(in: .newlines)
  }

  func rows(_ table: String) throws -> [String] {
    try folder.sqlite("people.sqlite", "SELECT * FROM \(table) ORDER BY 1")
  }

  /// A text without times.
  func plain(_ text: String) -> String {
    text.replacing(#/20\d\d-\d\d-\d\dT[\d:.]+Z/#, with: "TIME")
  }

  /// Her values as bytes: texts in any case, days, and reals as SQLite stores them.
  static let traces: [String] = ["secret", "1987-06-05", "1988-07-06"]
  static let numbers: [Double] = [77.125, 78.25]

  /// Which of her values stand in which of the store's files, as often as they do.
  func found(_ traces: [String] = traces) throws -> [String] {
    var found: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path("."))
    where name.hasPrefix("people.sqlite") {
      let bytes = Data(try folder.bytes(of: name).map { (65...90).contains($0) ? $0 + 32 : $0 })
      var patterns = traces.map { ($0, Data($0.lowercased().utf8)) }
      if traces == Self.traces {
        patterns += Self.numbers.map { number in
          let big = withUnsafeBytes(of: number.bitPattern.bigEndian) { Data($0) }
          return ("\(number)", Data(big.map { (65...90).contains($0) ? $0 + 32 : $0 }))
        }
      }
      for (text, pattern) in patterns {
        var place = bytes.startIndex
        while let range = bytes.range(of: pattern, in: place..<bytes.endIndex) {
          found.append("\(name): \(text)")
          place = range.upperBound
        }
      }
    }
    return found
  }

  private static let feed = """
    [{"id": "anna", "name": "Alice", "email": "a@x", "born": "1950-01-01", "score": 3, "town": "Rome",
      "addresses": [{"street": "via A", "rank": 1}]},
     {"id": "secretKey", "name": "SecretOne", "email": "SecretMail1", "born": "1987-06-05", "score": 77.125, "town": "Rome",
      "addresses": [{"street": "SecretStreet1", "rank": 1}, {"street": "SecretStreet2", "rank": "x"}]},
     {"id": "secretKey", "name": "SecretOne", "email": 5, "score": "SecretBad"}]
    """

  private static let pipeline = """
    bolide: 1
    store: people.sqlite
    entity: Person
    key: id
    attributes:
      id:    string
      name:  string
      email: string
      score: double
      born:  day
      loud:  { derived: "uppercase:(name)" }
      town:  { type: string, transient: true }
    link:
      city: { to: { name: town } }
    children:
      addresses:
        entity: Address
        inverse: person
        key: [person, street]
        attributes:
          street: string
          rank:   integer64
          owner:  { derived: person.name }
    entities:
      City:
        key: name
        attributes:
          name:       string
          lastBorn:   { derived: people.born.@max }
          best:       { derived: people.score.@max }
          population: { derived: people.@count }
        relationships:
          people:  { to-many: Person, inverse: city, on-delete: nullify }
          country: { to-one: Country, inverse: cities }
      Country:
        key: name
        attributes:
          name:    string
          topBorn: { derived: cities.lastBorn.@max }
        relationships:
          cities: { to-many: City, inverse: country, on-delete: nullify }
    """
}
