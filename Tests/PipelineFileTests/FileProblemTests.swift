@testable import PipelineFile
import ImportModel
import Testing

/// What a pipeline file's form can be wrong in, word for word.
struct FileProblemTests {
  /// Another entity, behind what a case is about.
  private static let other = "\nentities: { B: { key: id, attributes: { id: string } } }"

  @Test(arguments: [
    (
      "bolide: 2\n" + rest,
      "1:9: the format's version is '2'; this version of Bolide reads version 1"
    ),
    (
      "entity: A\nkey: id\nattributes: { id: string }",
      "1:1: the key 'bolide' is missing: the first line of a pipeline file is `bolide: 1`"
    ),
    (head + "cadence: hourly", "6:1: unknown key 'cadence'"),
    (head + "feed: whole", "6:7: 'feed' is window or full, not 'whole'"),
    (
      head + "  n: { type: day, where: \"id = 1\" }",
      "6:26: 'where' has no meaning here, as 'n' is not derived"
    ),
    (
      head + "  n: { derived: canonical:(id), where: \"id = 1\" }",
      "6:17: 'where' is for aggregates, and 'canonical:(id)' is not one"
    ),
    (
      head + "  n: { derived: group.name }",
      "6:17: A has no relationship 'group' to derive 'n' along"
    ),
    (head + "shap: columnar", "6:1: unknown key 'shap'; did you mean 'shape'?"),
    (head + "  x: { type: string, form: y }", "6:22: unknown key 'form'; did you mean 'from'?"),
    (
      head + "link: { g: { too: x, to: { id: a } } }\nrelationships: { g: { to-one: B } }"
        + FileProblemTests.other,
      "6:14: unknown key 'too'; did you mean 'to'?"
    ),
    (
      head + "entities: { G: { keys: id, key: y, attributes: { y: day } } }",
      "6:18: unknown key 'keys'; did you mean 'key'?"
    ),
    (
      head + "entities: { G: { colour: id, key: y, attributes: { y: day } } }",
      "6:18: unknown key 'colour'; allowed here are was, key, unique, index, attributes, relationships, fetched"
    ),
    (head + "key: x", "6:1: the key 'key' is duplicated; the first is on line 3"),
    (head + "  id: date", "6:3: the key 'id' is duplicated; the first is on line 5"),
    (head + "  \"id\": date", "6:3: the key 'id' is duplicated; the first is on line 5"),
    (head + "  <<: { x: string }", "6:3: merge keys ('<<') are not supported; write the keys out"),
    (head + "  ? [a, b]\n  : string", "6:5: a key is plain text"),
    (head + "name:", "6:6: 'name' is empty"),
    (head + "name: \"\"", "6:7: 'name' is empty"),
    (head + "name: [a]", "6:1: 'name' is one text, not a list or a mapping"),
    (head + "check: [a, ]\nname: { a: b }", "7:1: 'name' is one text, not a list or a mapping"),
    (head + "check: [a, \"\"]", "6:12: 'check' is empty"),
    (head + "entities: G", "6:11: 'entities' is a mapping: names, each with a colon and a value"),
    (head + "keep-text: no", "6:12: 'keep-text' is true or false, not 'no'"),
    (
      head + "merge: replace",
      "6:8: 'merge' is update, update-non-null, ignore, fail or { update-if-newer: ATTRIBUTE }, not 'replace'"
    ),
    (
      head + "merge: update-if-newer",
      "6:8: 'update-if-newer' needs the attribute to compare, as in `merge: { update-if-newer: modified }`"
    ),
    (head + "merge: { newer: seen }", "6:10: unknown key 'newer'; allowed here are update-if-newer"),
    (head + "merge: [ignore]", "6:1: 'merge' is one text, not a list or a mapping"),
    (head + "repeated-key: all", "6:15: 'repeated-key' is last, first or reject, not 'all'"),
    (head + "unique: [[id, { a: b }]]", "6:15: 'unique' is one text, not a list or a mapping"),
    (
      head + "shape: table",
      "6:8: 'shape' is automatic, array, columnar, lines, rows, csv or tsv, not 'table'"
    ),
    (head + "shape: rows", "6:8: rows without names need 'columns', a list of names"),
    (
      head + "shape: lines\ncolumns: [id]",
      "7:1: 'columns' names the values of rows: set `shape: rows`, `csv` or `tsv`, or remove 'shape'"
    ),
    (
      head + "records: photos\nshape: columnar",
      "6:10: 'records' is the path of objects, or of rows with 'columns': remove 'shape'"
    ),
    (head + "shape: csv\nrecords: a", "7:10: delimited text has lines only: remove 'records'"),
    (head + "delimiter: ','", "6:12: only `shape: csv` has a 'delimiter'"),
    (head + "shape: tsv\ndelimiter: ','", "7:12: only `shape: csv` has a 'delimiter'"),
    (
      head + "shape: csv\ndelimiter: '||'",
      "7:12: 'delimiter' is one character between cells such as ';', not '||'"
    ),
    (
      head + "shape: csv\ndelimiter: \"\\\"\"",
      "7:12: 'delimiter' is one character between cells such as ';', not '\"'"
    ),
    (
      head + "  x: { type: double, zone: UTC }",
      "6:28: 'zone' is for dates, and 'x' is a double"
    ),
    (head + "count: page", "6:8: 'count' is total, exact or ignore, not 'page'"),
    (head + "  x: datte", "6:6: unknown type 'datte'; did you mean 'date'?"),
    (head + "  x: { type: colour }", "6:14: unknown type 'colour'; the types are \(types)"),
    (head + "  x: { required: true }", "6:3: the attribute 'x' has no type; the types are \(types)"),
    (head + "  x:", "6:3: the attribute 'x' has no type; the types are \(types)"),
    (head + "  x: [string]", "6:3: 'x' is one text, not a list or a mapping"),
    (head + "  x: decimal", "6:3: a decimal needs 'scale', the number of its decimals, from 0 to 18"),
    (head + "  x: { type: decimal, scale: 19 }", "6:30: 'scale' is a whole number from 0 to 18, not '19'"),
    (
      head + "  x: { type: double, scale: 2 }",
      "6:29: 'scale' has no meaning here, as only a decimal has a scale"
    ),
    (
      head + "  x: { type: day, precision: ms }",
      "6:30: 'precision' has no meaning here, as only a date has a precision"
    ),
    (
      head + "  x: { derived: id, scale: 2 }",
      "6:28: 'scale' has no meaning here, as the type of a derived attribute is inferred"
    ),
    (head + "  x: { type: string, minimum: 2 }", "6:22: unknown key 'minimum'; did you mean 'min'?"),
    (head + "  x: { type: date, precision: ns }", "6:31: 'precision' is seconds, ms or us, not 'ns'"),
    (
      head + "  x: { type: string, max-length: 1.5 }",
      "6:34: 'max-length' is a whole number from 1, not '1.5'"
    ),
    (
      head + "  x: { type: string, from: a, value: b }",
      "6:38: an attribute has either 'from' or 'value', not both"
    ),
    (
      head + "  x: { type: date, epoch: seconds, format: day-first }",
      "6:44: a date has either 'epoch' or 'format', not both"
    ),
    (head + "  x: { type: date, epoch: days }", "6:27: 'epoch' is seconds or milliseconds, not 'days'"),
    (
      head + "  x: { type: integer16, default: 40000 }",
      "6:34: '40000' is not a valid integer16: expected a whole number from -32768 to 32767"
    ),
    (
      head + "entities: { G: { key: y, attributes: { y: { type: day, from: z } } } }",
      "6:62: 'from' has no meaning here, as no record becomes a G: only links and other programs insert them"
    ),
    (
      head + "entities: { A: { key: y, attributes: { y: day } } }",
      "6:13: the entity 'A' is the entity of the records: declare it at the top of the file only"
    ),
    (
      head + "relationships: { r: { inverse: x } }",
      "6:18: the relationship 'r' needs one of 'to-many', 'has-one' and 'to-one', with its destination entity"
    ),
    (
      head + "relationships: { r: { to-one: A, on-delete: ignore } }",
      "6:45: 'on-delete' is nullify, cascade or deny, not 'ignore'"
    ),
    (
      head + "link: { g: { to: { id: x }, when: never } }\nrelationships: { g: { to-one: B } }"
        + FileProblemTests.other,
      "6:35: 'when' is insert or always, not 'never'"
    ),
    (head + "a: [", "7:1: this is not YAML: did not find expected node content"),
    (head + "a: 'x", "6:6: this is not YAML: found unexpected end of stream"),
    (
      head + "\tx: y",
      "6:1: this is not YAML: found a tab character that violates indentation "
        + "(while scanning a plain scalar, begun on line 5)"
    ),
    (head + "x: *y", "6:4: this is not YAML: found undefined alias"),
    (head + "x: \u{1}", "6:4: this is not YAML: control characters are not allowed"),
    (head + "---\na: b", "6:1: a second document begins here; a pipeline file has one"),
    ("- a", "1:1: a pipeline file is a mapping: names, each with a colon and a value"),
  ])
  func `Each mistake has its sentence`(text: String, sentence: String) {
    #expect(problems(in: text) == "p.yaml:" + sentence)
  }

  @Test(arguments: ["", "  \n", "# nothing\n"])
  func `An empty file`(text: String) {
    #expect(problems(in: text) == "p.yaml: the file is empty; its first line is `bolide: 1`")
  }

  @Test func `Everything is told at once, in the order of the lines`() {
    let text = """
      bolide: 1
      entity: Quake
      key: idd
      key: id
      attributes:
        id: { type: string, form: x }
        id: date
        id: day
        time: datte
        group_id: integer16
      relationships: { group: { to-one: Grup } }
      """
    #expect(
      problems(in: text) == """
        p.yaml:3:6: the key attribute 'idd' is not declared in Quake; did you mean 'id'?
        p.yaml:4:1: the key 'key' is duplicated; the first is on line 3
        p.yaml:6:23: unknown key 'form'; did you mean 'from'?
        p.yaml:7:3: the key 'id' is duplicated; the first is on line 6
        p.yaml:8:3: the key 'id' is duplicated; the first is on line 6
        p.yaml:9:9: unknown type 'datte'; did you mean 'date'?
        p.yaml:10:3: the attribute 'group_id' collides with the column of the relationship 'group': \
        rename it and set `from: group_id`
        p.yaml:11:35: the destination 'Grup' of the relationship 'group' is not declared; the entities are Quake
        """)
  }

  @Test(arguments: [
    "key: id\nattributes: 3",
    "key: x\nattributes: { id: string, x: datte }",
    "key: { a: b }\nattributes: { id: string }",
    "key: id\nattributes: { id: string }\nentities: x\nlink: { group: { to: { year: a } } }",
    "key: id\nattributes: { id: string }\nrelationships: { g: x }\nlink: { g: { to: { year: a } } }",
    "key: id\nattributes: { id: string, n: datte }\nentities: { G: { key: y, attributes: { y: day, "
      + "s: { derived: as.n.@sum } }, relationships: { as: { to-many: A, inverse: g } } } }",
  ])
  func `What could not be read makes no second problem`(text: String) {
    let found = problems(in: "bolide: 1\nentity: A\n" + text)
    #expect(!found.isEmpty && !found.contains("\n"), "\(found)")
  }

  @Test func `A further check is told with the file's own problems, if all could be read`() {
    let text = head + "autor: me\ncheck: idd > 1"
    #expect(
      problems(in: text, checksExpressions: true) == """
        p.yaml:6:1: unknown key 'autor'; did you mean 'author'?
        p.yaml:7:8: no attribute 'idd'
        """)
    #expect(!problems(in: text + "\nname:", checksExpressions: true).contains("'idd'"))
  }

  @Test func `A mask for a doubled key moves no other place`() {
    let text = """
      bolide: 1
      entity: A
      key: id
      attributes: { "id": string, 'b': day, 'b': day, größe: x, größe: y, z: datte }
      """
    #expect(
      problems(in: text) == """
        p.yaml:4:39: the key 'b' is duplicated; the first is on line 4
        p.yaml:4:56: unknown type 'x'; the types are \(types)
        p.yaml:4:59: the key 'größe' is duplicated; the first is on line 4
        p.yaml:4:72: unknown type 'datte'; did you mean 'date'?
        """)
  }

  @Test func `Many doubled keys end the search`() {
    let text = (0..<30).map { "k\($0): 1\nk\($0): 2\n" }.joined()
    #expect(problems(in: text).contains("is duplicated"))
    #expect(problems(in: "{ &a a: b, &b a: c }").hasPrefix("p.yaml:1:3: the key 'a' is duplicated"))
  }

  @Test func `A large file is rejected before it is parsed`() {
    let text = String(repeating: "#", count: 1 << 20) + "\n"
    #expect(
      problems(in: text) == "p.yaml: the file has 1048577 bytes; the maximum is 1048576 (1 MiB)")
  }

  @Test func `Aliases of aliases are rejected`() {
    var text = head + "  e: { type: string, missing: &a0 [x, x, x, x, x, x, x, x, x, x] }\n"
    for level in 1...30 {
      let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      text += "  e\(level): { type: string, missing: &a\(level) [\(aliases)] }\n"
    }
    #expect(problems(in: text).hasPrefix("p.yaml:6:31: 'missing' is one text, not a list or a mapping"))

    let names = (0..<2500).map { "a\($0): string" }.joined(separator: ", ")
    let entities = (0..<50).map { "E\($0): *e" }.joined(separator: ", ")
    let bomb = head + "entities: { E: &e { key: a0, attributes: { \(names) } }, \(entities) }"
    #expect(
      problems(in: bomb).hasSuffix(
        "the file has more than 100000 parts after its aliases are expanded; use fewer aliases"))
  }

  @Test func `Of a long value the beginning is shown, and the sentence ends`() {
    let problem = problems(in: head + "  d: { type: date, zone: \(String(repeating: "Z", count: 100_000)) }")
    #expect(problem.count < 2000)
    #expect(problem.hasPrefix("p.yaml:6:26: unknown time zone 'ZZZZ") && problem.contains("ZZ…ZZ"))
    #expect(problem.contains("ZZ' of 'd'"))
  }

  @Test func `Deep nesting is rejected`() {
    let text = head + "check: " + String(repeating: "[", count: 100_000)
    #expect(problems(in: text).contains("this is not YAML"))
  }

  private func problems(in text: String, checksExpressions: Bool = false) -> String {
    do {
      _ = try Pipeline(yaml: text, file: "p.yaml", directory: "") { pipeline in
        guard checksExpressions else { return [] }
        let place = pipeline.sourceMap.location(of: ["check", "0"])
        return [PipelineProblem(file: "p.yaml", location: place, message: "no attribute 'idd'")]
      }
      return ""
    } catch {
      return error.description
    }
  }
}

private let rest = "entity: A\nkey: id\nattributes:\n  id: string\n"
private let head = "bolide: 1\nentity: A\nkey: id\nattributes:\n  id: string\n"
private let types =
  "integer16, integer32, integer64, double, float, decimal, string, boolean, date, day, uuid, binary, json"
