import Bolide
import Foundation

/// The JSON Schema of pipeline files, made from what the parser checks.
enum PipelineSchema {
  /// The schema, as an editor reads it.
  static var text: String {
    var schema = object(.pipeline, required: ["bolide", "entity", "key", "attributes"])
    schema["$schema"] = "http://json-schema.org/draft-07/schema#"
    schema["title"] = "A pipeline of Bolide"
    schema["definitions"] = Dictionary(
      uniqueKeysWithValues: FormatSection.allCases.filter { $0 != .pipeline }.map {
        ($0.rawValue, object($0))
      })
    let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let data = (try? JSONSerialization.data(withJSONObject: schema, options: options)) ?? Data()
    return String(decoding: data, as: UTF8.self) + "\n"
  }

  private typealias Object = [String: Any]

  private static func object(_ section: FormatSection, required: [String] = []) -> Object {
    var properties: Object = [:]
    for key in PipelineFormat.keys(of: section) {
      var property = schema(key.value)
      property["description"] = key.meaning.plain
      if !key.examples.isEmpty { property["examples"] = key.examples }
      properties[key.name] = property
    }
    var object: Object = ["type": "object", "additionalProperties": false, "properties": properties]
    if !required.isEmpty { object["required"] = required }
    return object
  }

  /// What an editor's YAML parser makes of the values that our own takes as texts.
  private static func schema(_ value: FormatValue) -> Object {
    switch value {
    case .text: ["type": ["string", "number", "boolean"]]
    case .scalar: ["type": ["string", "number", "boolean", "null"]]
    case .form(let pattern):
      // A number has no form that could be looked at.
      pattern.matches("5")
        ? ["type": ["string", "number"], "pattern": pattern, "minimum": 0]
        : ["type": "string", "pattern": pattern]
    case .boolean: ["type": "boolean"]
    case .number(let range): ["type": "integer", "minimum": range.lowerBound, "maximum": range.upperBound]
    case .words(let words): ["enum": words.map { Int($0) as Any? ?? $0 }]
    case .list(let element): ["anyOf": [schema(element), ["type": "array", "items": schema(element)]]]
    case .either(let kinds): ["anyOf": kinds.map(schema)]
    case .keys(let section): ["allOf": [["$ref": "#/definitions/\(section.rawValue)"]]]
    case .names(let value): ["type": "object", "additionalProperties": schema(value)]
    }
  }
}

extension String {
  fileprivate func matches(_ text: String) -> Bool {
    (try? Regex(self)).flatMap { try? $0.wholeMatch(in: text) } != nil
  }

  /// Without the marks that the reference page has around words.
  fileprivate var plain: String {
    replacing(#/, see (\[.*?\]\(.*?\)|<.*?>)/#, with: "").replacing("`", with: "'")
  }
}

/// The tables of the reference page.
enum PipelineReference {
  static var text: String {
    FormatSection.allCases.map { section in
      "<!-- \(section.rawValue) -->\n| key | meaning |\n|---|---|\n"
        + PipelineFormat.keys(of: section).map { "| `\($0.name)` | \($0.meaning) |\n" }.joined()
    }.joined(separator: "\n")
  }
}
