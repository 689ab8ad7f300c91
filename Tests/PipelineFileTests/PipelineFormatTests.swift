import Testing

@testable import ImportModel
@testable import PipelineFile

/// The keys that the schema and the reference are made from are those that the parser reads.
struct PipelineFormatTests {
  /// A pipeline in which one key of a section has a value.
  private func pipeline(_ section: FormatSection, _ key: String, _ value: String) -> String {
    var tops = [
      "bolide": "1", "entity": "Quake", "key": "id", "link": "{ region: { to: { name: place } } }",
      "attributes": "{ id: string, place: string, modified: date, magnitude: double, time: date }",
      "entities":
        "{ Region: { key: name, attributes: { name: string }, relationships: { quakes: { to-many: Quake, inverse: region } } } }",
    ]
    var attribute = ["type": "string"]
    if key == "derived" || key == "value" || key == "from" {
      attribute["type"] = key == "derived" ? nil : "string"
    }
    if key == "scale" { attribute["type"] = "decimal" }
    if ["precision", "epoch", "format", "zone"].contains(key) { attribute["type"] = "date" }
    var parts = ["key": "name", "attributes": "{ name: string }"]
    var relationship = ["to-many": "Quake", "inverse": "region"]
    if key == "to-one" { relationship["to-many"] = nil }
    func flow(_ keys: [String: String]) -> String {
      "{ \(keys.map { "\($0): \($1)" }.joined(separator: ", ")) }"
    }
    switch section {
    case .pipeline: tops[key] = value
    case .entity:
      parts[key] = value
      tops["entities"] = "{ Other: \(flow(parts)) }"
      tops["link"] = nil
    case .attribute:
      attribute[key] = value
      tops["attributes"] = "{ id: string, extra: \(flow(attribute)) }"
      tops["link"] = nil
      tops["entities"] = nil
    case .relationship:
      relationship[key] = value
      tops["entities"] =
        "{ Region: { key: name, attributes: { name: string }, relationships: { quakes: \(flow(relationship)) } } }"
      tops["link"] = nil
    case .fetched:
      var fetched = ["entity": "Quake"]
      fetched[key] = value
      tops["fetched"] = "{ twins: \(flow(fetched)) }"
    case .link:
      var link = ["to": "{ name: place }"]
      link[key] = value
      tops["link"] = "{ region: \(flow(link)) }"
    case .children:
      var children = [
        "entity": "Part", "inverse": "quake", "key": "[quake, n]", "attributes": "{ n: integer16 }",
      ]
      if ["when", "on-delete"].contains(key) {
        (children["key"], children["many-to-many"]) = ("n", "true")
      }
      children[key] = value
      tops["children"] = "{ parts: \(flow(children)) }"
    case .retention: tops["history"] = flow([key: value])
    case .merge: tops["merge"] = flow([key: value])
    case .gone: tops["gone"] = flow([key: value])
    }
    return tops.map { "\($0): \($1)\n" }.joined()
  }

  /// The problems that a pipeline's form has.
  private func problems(_ text: String) -> [String] {
    do {
      _ = try Pipeline(yaml: text, file: "new.yaml", directory: "")
      return []
    } catch {
      return error.problems.map(\.message)
    }
  }

  private static let all = FormatSection.allCases.flatMap { section in
    PipelineFormat.keys(of: section).map { (section, $0.name) }
  }

  @Test(arguments: all) func `the parser reads every key`(section: FormatSection, key: String) throws {
    // No key takes this, so a key that brings no problem with it is not read.
    let nonsense = ["unique", "index"].contains(key) ? "{ a: b }" : "[[{ a: [b] }]]"
    let found = problems(pipeline(section, key, nonsense))
    #expect(!found.isEmpty)
    #expect(!found.contains { $0.contains("unknown key '\(key)'") })
  }

  @Test(arguments: all) func `the parser takes what the format says`(section: FormatSection, key: String)
    throws
  {
    let format = try #require(PipelineFormat.keys(of: section).first { $0.name == key })
    for value in format.examples + words(format.value) {
      let found = problems(pipeline(section, key, value))
      // What a value means for the rest of the model is another matter.
      #expect(
        !found.contains {
          $0.contains("'\(key)' is ") || $0.contains("unknown key") || $0.contains("expected")
        }, "\(value): \(found)")
    }
  }

  private func words(_ value: FormatValue) -> [String] {
    switch value {
    case .words(let words): words
    case .boolean: ["true", "false"]
    case .number(let range): ["\(range.lowerBound)", "\(range.upperBound)"]
    case .either(let kinds): kinds.flatMap(words)
    case .list(let element): words(element)
    default: []
    }
  }

  @Test func `no key stands twice in a section`() {
    for section in FormatSection.allCases {
      let names = PipelineFormat.keys(of: section).names
      #expect(Set(names).count == names.count)
    }
  }
}
