internal import FeedReading
internal import ImportModel

/// A pipeline in the making, with what is to be said about it.
struct PipelineDraft {
  let name: FeedName
  /// The inputs' names.
  let inputs: [String]
  /// Records in the inputs.
  let records: Int
  /// How many of them are not like the others.
  var nonconforming = 0
  var place = FoundLocation(.automatic, "")
  /// What the envelope's count is, what it says, and in which input.
  var count: (meaning: FeedCount, counted: Int, input: String)?
  /// Texts that mean null in all attributes: in delimited text, an empty cell.
  var missing: [String] {
    if case .delimited = place.record { [""] } else { [] }
  }
  /// Sentences for the head of the file.
  var notes: [String] = []
  var attributes: [DraftAttribute] = []
  var key: KeyFinding?
  /// Arrays of objects within the records.
  var children: [DraftChildren] = []
  /// Expressions that hold for every record.
  var checks: [String] = []

  init(_ name: FeedName, inputs: [String], records: Int) {
    self.name = name
    self.inputs = inputs
    self.records = records
  }

  /// The store's path.
  var storeName: String { name.pipeline + ".sqlite" }

  /// The pipeline, in which no key is required yet.
  var pipeline: Pipeline {
    let entity = Entity(
      name: name.entity, key: [],
      attributes: attributes.map { Attribute(name: $0.name, type: $0.choice.type) })
    let fields = attributes.filter { !$0.isComputed }.map {
      Field($0.name, from: .path($0.from), missing: $0.missing, dateForm: $0.choice.dateForm)
    }
    var pipeline = Pipeline(
      name: name.pipeline, entity: name.entity, model: Model(entities: [entity]), fields: fields,
      records: place.record, keepsText: false)
    pipeline.count = count?.meaning
    pipeline.takeMissing(missing)
    return pipeline
  }

  /// The pipeline with one of its lists of children, in which their record alone is their key.
  func pipeline(with children: DraftChildren) -> Pipeline {
    var pipeline = pipeline
    pipeline.model.entities[0].relationships = [
      Relationship(
        name: children.attribute, kind: .toMany, destination: children.entity, inverse: children.inverse)
    ]
    pipeline.model.entities.append(
      Entity(
        name: children.entity, key: [children.inverse],
        attributes: children.attributes.map { Attribute(name: $0.name, type: $0.choice.type) },
        relationships: [
          Relationship(
            name: children.inverse, kind: .toOne, destination: name.entity, inverse: children.attribute)
        ]))
    let fields = children.attributes.map {
      Field($0.name, from: .path($0.from), missing: $0.missing, dateForm: $0.choice.dateForm)
    }
    pipeline.children = [Children(children.attribute, records: children.path, fields: fields)]
    return pipeline
  }

  // MARK: Text

  /// The pipeline file.
  var text: String {
    (head + settings + attributeLines + checkLines + childLines).map { $0 + "\n" }.joined()
  }

  private var head: [String] {
    let count = records == 1 ? "1 record" : "\(records.grouped) records"
    let several = inputs.count > 1 ? "\(inputs.count.grouped) inputs, " : ""
    let shows = inputs.count > 1 ? "these \(inputs.count.grouped) inputs show" : "this one input shows"
    let sentences =
      ["From \(several)\(Self.list(inputs)): \(count); \(place.description)."] + notes
      + ["A draft from what \(shows): look at the key, the types and the names."]
    return sentences.map { "# " + YAMLText.comment($0) }
  }

  /// Inputs by their names, without folders where these do not tell them apart: `a.json, b.json and 2 more`.
  static func list(_ inputs: [String]) -> String {
    let files = inputs.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
    let names = Set(files).count == files.count ? files : inputs
    let shown = names.count > 3 ? names.prefix(2) + ["\((names.count - 2).grouped) more"] : names[...]
    return shown.count == 1
      ? shown[0] : "\(shown.dropLast().joined(separator: ", ")) and \(shown[shown.count - 1])"
  }

  private var settings: [String] {
    var lines = [
      "bolide: 1", "name: \(YAMLText.scalar(name.pipeline))",
      "store: \(YAMLText.scalar(storeName))",
      "entity: \(YAMLText.scalar(name.entity))",
    ]
    switch place.record {
    case .path(let path): lines.append("records: \(YAMLText.scalar(path))")
    case .lines: lines.append("shape: lines")
    case .rows(let names, let path):
      if !path.isEmpty { lines.append("records: \(YAMLText.scalar(path))") }
      lines.append("columns: \(YAMLText.list(names))")
    case .columnar: lines.append("shape: columnar")
    case .delimited(let delimiter, let names):
      let isTab = delimiter == UInt8(ascii: "\t")
      lines.append(isTab ? "shape: tsv" : "shape: csv")
      if !isTab, delimiter != UInt8(ascii: ",") {
        lines.append("delimiter: \(YAMLText.quoted(String(UnicodeScalar(delimiter))))")
      }
      if let names { lines.append("columns: \(YAMLText.list(names))") }
    case .automatic: break
    }
    if !missing.isEmpty { lines.append("missing: \(YAMLText.list(missing))") }
    if let count {
      let line = "count: \(count.meaning.rawValue)"
      let envelope = inputs.count > 1 ? "envelope of \(Self.list([count.input]))" : "envelope"
      lines.append(Self.commented(line, "the \(envelope) counts \(count.counted.grouped)", at: 32))
    }
    return lines + [keyLine]
  }

  private var keyLine: String {
    // A draft without attributes is none.
    guard let key else { return "key: []" }
    let names = key.attributes.map { attributes[$0].name }
    let text = names.count == 1 ? YAMLText.scalar(names[0]) : YAMLText.list(names)
    return Self.commented("key: \(text)", Self.evidence(key, attributes), at: 32)
  }

  /// What speaks for a key, and what else could be one.
  private static func evidence(
    _ key: KeyFinding, _ attributes: [DraftAttribute], _ noun: String = "record"
  ) -> String {
    // Of a few records almost everything is different.
    let others = key.read < 20 || key.isAlone ? [] : key.others.prefix(3).map { attributes[$0].name }
    return key.evidence(noun) + (others.isEmpty ? "" : "; so is \(others.joined(separator: ", so is "))")
  }

  private var attributeLines: [String] {
    let attributes = attributes.filter { $0.role != .children }
    return ["attributes:"] + Self.lines(attributes, of: records - nonconforming)
  }

  /// A line for each attribute, with what is to be said of it.
  private static func lines(_ attributes: [DraftAttribute], of records: Int) -> [String] {
    let names = attributes.map { YAMLText.scalar($0.name) + ":" }
    let width = min(names.map(\.count).max() ?? 0, 32) + 1
    let entries = zip(names, attributes).map { name, attribute in
      "  " + name.padded(to: width) + attribute.settings
    }
    let column = min(entries.map(\.count).max() ?? 0, 76) + 2
    return zip(entries, attributes).flatMap { entry, attribute -> [String] in
      let notes =
        attribute.isComputed
        ? [] : (attribute.choice.notes + [attribute.gap(of: records)].compactMap { $0 })
      let start = attribute.choice.isLeftOut ? "# " + entry.dropFirst(2) : entry
      let line = commented(start, notes.joined(separator: "; "), at: column)
      guard let alternative = attribute.alternativeSettings else { return [line] }
      return [line, "# " + "\(YAMLText.scalar(attribute.name)):".padded(to: width) + alternative]
    }
  }

  private var checkLines: [String] {
    checks.isEmpty ? [] : ["check: [\(checks.joined(separator: ", "))]"]
  }

  /// The arrays that become rows, and for the others comments: what each of them holds.
  private var childLines: [String] {
    let proposed = children.filter { $0.key != nil }
    let lists = proposed.flatMap { children -> [String] in
      guard let key = children.key else { return [] }
      let names = [children.inverse] + key.attributes.map { children.attributes[$0].name }
      return [
        "  \(YAMLText.scalar(children.attribute)):",
        Self.commented(
          "    entity: \(YAMLText.scalar(children.entity))", "each of the \(children.howMany) in these lists",
          at: 32),
        "    inverse: \(YAMLText.scalar(children.inverse))",
        "    records: \(YAMLText.scalar(children.path))",
        Self.commented(
          "    key: \(YAMLText.list(names))",
          Self.evidence(key, children.attributes, "object"), at: 32),
        "    attributes:",
      ]
        + Self.lines(children.attributes, of: children.objects).map { line in
          line.hasPrefix("#") ? "#     " + line.dropFirst(2) : "    " + line
        }
    }
    return (lists.isEmpty ? [] : ["children:"] + lists) + leftLines
  }

  private var leftLines: [String] {
    children.filter { $0.key == nil }.flatMap { children -> [String] in
      let name = YAMLText.comment(children.attribute)
      let names = children.attributes.map { YAMLText.scalar($0.name) + ":" }
      let width = min(names.map(\.count).max() ?? 0, 32) + 1
      return ["#", "# \(name) holds lists, kept as JSON; the \(children.howMany) in them have:"]
        + zip(names, children.attributes).map { name, attribute in
          let entry = "#   " + name.padded(to: width) + attribute.settings
          return Self.commented(entry, attribute.gap(of: children.objects) ?? "", at: entry.count + 2)
        }
    }
  }

  private static func commented(_ line: String, _ note: String, at column: Int) -> String {
    note.isEmpty ? line : line.padded(to: column - 1) + " # " + YAMLText.comment(note)
  }
}

/// What the objects in one attribute's arrays have.
struct DraftChildren {
  /// The attribute.
  let attribute: String
  /// The path of the arrays.
  let path: String
  /// Objects in all records.
  let objects: Int
  let attributes: [DraftAttribute]
  /// What tells the objects of one record apart; nil where nothing was found that does.
  var key: KeyFinding?
  /// What the objects become, and its relationship back to the record's.
  var entity = ""
  var inverse = ""

  /// `1 object`, `4,700 objects`
  var howMany: String { objects == 1 ? "1 object" : "\(objects.grouped) objects" }
}

extension DraftAttribute {
  /// `double`, or `{ type: double, from: alt }`
  fileprivate var settings: String {
    settings(choice.type, choice.dateForm, missing: missing)
  }

  /// The same with the spellings of missing that would give it another type.
  fileprivate var alternativeSettings: String? {
    choice.alternative.map { settings($0.type, $0.dateForm, missing: $0.missing) }
  }

  private func settings(_ type: AttributeType, _ form: DateForm?, missing: [String]) -> String {
    var parts = ["type: \(type.name)"]
    switch role {
    case .own, .children: break
    case .used: parts.append("transient: true")
    case .computed(let expression): return "{ type: \(type.name), value: \(YAMLText.quoted(expression)) }"
    }
    if from != name { parts.append("from: \(YAMLText.scalar(from))") }
    switch form {
    case .epochSeconds: parts.append("epoch: seconds")
    case .epochMilliseconds: parts.append("epoch: milliseconds")
    case .dayFirst: parts.append("format: day-first")
    case .monthFirst: parts.append("format: month-first")
    case .pattern(let text): parts.append("format: \(YAMLText.quoted(text))")
    case nil: break
    }
    if case .decimal(let scale) = type { parts.append("scale: \(scale)") }
    if case .date(let precision) = type, precision != .seconds {
      parts.append("precision: \(precision.rawValue)")
    }
    if case .date = type, form?.isEpoch != true, choice.hasLocalTimes { parts.append("zone: UTC") }
    if case .used(let oneOf) = role, !oneOf.isEmpty { parts.append("one-of: \(YAMLText.list(oneOf))") }
    if !missing.isEmpty { parts.append("missing: \(YAMLText.list(missing))") }
    return parts.count == 1 ? type.name : "{ \(parts.joined(separator: ", ")) }"
  }
}
