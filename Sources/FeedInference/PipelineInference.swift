package import FeedReading
package import ImportInput
internal import ImportModel
internal import JSONStream
internal import PipelineFile

/// What a feed looks like, put into a pipeline that imports it.
public struct PipelineInference: Sendable {
  /// The text of a pipeline file, with its evidence in comments.
  public let pipelineText: String
  /// The store that it names, beside the pipeline.
  public let storeName: String

  /// Attributes at most, before objects within records are kept whole.
  private static let mostAttributes = 200

  /// Surveys files as one feed; `-` is standard input, which may be one of them.
  ///
  /// Reads each input two to six times, one after another, in bounded memory; what cannot be opened again is kept on disk
  /// meanwhile.
  /// - Throws: `ImportError`.
  package init(paths: [String], choices: InferenceChoices = InferenceChoices()) throws(ImportError) {
    try self.init(paths.map { (.path($0), nil) }, choices)
  }

  /// Surveys bytes in memory.
  package init(
    bytes: [UInt8], named name: String, choices: InferenceChoices = InferenceChoices()
  ) throws(ImportError) {
    try self.init([(bytes, name)], choices: choices)
  }

  /// Surveys bytes in memory as one feed.
  package init(
    _ inputs: [(bytes: [UInt8], name: String)], choices: InferenceChoices = InferenceChoices()
  ) throws(ImportError) {
    try self.init(inputs.map { (.bytes($0.bytes), $0.name) }, choices)
  }

  /// Surveys sources as one feed.
  ///
  /// - Parameter cancellation: ends the survey, by an error of the kind `cancelled`.
  package init(
    _ inputs: [(source: ByteInput.Source, label: String?)], _ choices: InferenceChoices,
    cancellation: Cancellation = Cancellation()
  ) throws(ImportError) {
    do {
      let sources = try inputs.map {
        try InferenceSource($0.source, label: $0.label, cancellation: cancellation)
      }
      let shape = try SharedShape(sources, at: choices.records)
      let draft = try Self.draft(shape, of: sources, choices)
      let text = draft.text
      // What an import would reject is no draft.
      let pipeline: Pipeline
      do {
        pipeline = try Pipeline(yaml: text, file: "draft", directory: "")
      } catch {
        throw ImportError.noDraft(sources[0].name, error)
      }
      if sources.count > 1 { try shape.check(pipeline) }
      (pipelineText, storeName) = (text, draft.storeName)
    } catch {
      throw ImportError(reading: error, input: inputs.first?.label ?? "stdin", isStored: false)
    }
  }

  private static func draft(
    _ shape: SharedShape, of sources: [InferenceSource], _ choices: InferenceChoices
  ) throws -> PipelineDraft {
    let pass = shape.pass
    let first = shape.sources[0].name
    var place = shape.place
    var feed = FeedName(inputs: choices.name.map { [$0] } ?? sources.filter { !$0.isStdin }.map(\.name))
    if let name = choices.name { feed.pipeline = name }
    if let entity = choices.entity { feed.entity = entity }
    var draft = PipelineDraft(
      feed, inputs: sources.map { $0.isStdin ? "standard input" : $0.name }, records: pass.records)
    draft.notes = shape.remarks + remarks(pass)
    pass.inference.root.keepWholeObjects()
    pass.inference.root.bound(leaves: mostAttributes)
    var leaves = pass.inference.root.leaves()
    leaves.removeAll { leaf in pass.repeatedNames.contains(leaf.path[0]) || leaf.path == [""] }
    if leaves.contains(where: { Self.meansElement($0.path) }) {
      leaves.removeAll { Self.meansElement($0.path) }
      draft.notes.append("A value under the key '.' is left out: no path leads there.")
    }
    var sources = PointSearch.sources(leaves, of: pass.records - pass.nonconforming)
    if place.hasWildcard {
      let isDay = !pass.wildcard.candidates.isDisjoint(with: .date)
      let wildcard = isDay ? "day" : "key"
      place.name(wildcard: wildcard)
      sources.insert(DraftSource([wildcard], from: "<\(wildcard)>", pass.wildcard), at: 0)
    }
    draft.place = place
    draft.count = pass.count
    draft.attributes = attributes(sources)
    draft.children = leaves.compactMap { leaf in
      let index = sources.firstIndex { $0.path == leaf.path }
      return index.flatMap { children(of: leaf.node, draft.attributes[$0]) }
    }
    if draft.attributes.allSatisfy(\.choice.isLeftOut) {
      for index in draft.attributes.indices { draft.attributes[index].choice.isLeftOut = false }
    }
    DirectionSearch.apply(to: &draft, sources.map(\.values))
    draft.nonconforming = pass.nonconforming
    let search = KeySearch(draft.attributes, of: pass.records, draft.pipeline, shape.sources)
    draft.key =
      try choices.key.isEmpty
      ? search.key() : search.finding(of: choices.key.map { try draft.index(of: $0, first) })
    guard draft.key != nil else { throw ImportError.noKeys(first) }
    try proposeChildren(&draft, shape.sources)
    return draft
  }

  /// Whether a pipeline would take the path for an element of an array.
  private static func meansElement(_ path: [String]) -> Bool { path == ["."] }

  private static func attributes(_ sources: [DraftSource]) -> [DraftAttribute] {
    var attributes = zip(AttributeNames.names(for: sources.map(\.path)), sources).map { name, source in
      DraftAttribute(
        name: name, from: source.from, choice: source.choice, key: source.path.last ?? "",
        depth: source.path.count, count: source.count)
    }
    MoneySearch.apply(to: &attributes, sources)
    return attributes
  }

  /// What arrays of objects, and of nothing else, hold.
  private static func children(of node: InferredNode, _ attribute: DraftAttribute) -> DraftChildren? {
    guard let elements = node.elements, node.otherElements == 0, node.values.scalars == 0 else { return nil }
    elements.keepWholeObjects()
    elements.bound(leaves: mostAttributes)
    let sources = PointSearch.sources(
      elements.leaves().filter { !meansElement($0.path) }, of: elements.objects)
    guard !sources.isEmpty else { return nil }
    return DraftChildren(
      attribute: attribute.name, path: attribute.from, objects: elements.objects,
      attributes: attributes(sources))
  }

  /// Lists whose objects can be told apart within their record become rows of another entity.
  private static func proposeChildren(_ draft: inout PipelineDraft, _ sources: [InferenceSource]) throws {
    var entities: Set<String> = [draft.name.entity.lowercased()]
    for index in draft.children.indices {
      var children = draft.children[index]
      let name = children.attribute.prefix(1).uppercased() + children.attribute.dropFirst()
      children.entity = name
      while !entities.insert(children.entity.lowercased()).inserted { children.entity += "Item" }
      let taken = Set(children.attributes.map { $0.name.lowercased() })
      let back = draft.name.entity.prefix(1).lowercased() + draft.name.entity.dropFirst()
      children.inverse = back
      while taken.contains(children.inverse.lowercased())
        || taken.contains("\(children.inverse)_id".lowercased())
      {
        children.inverse += "Owner"
      }
      let search = KeySearch(
        children.attributes, of: children.objects, draft.pipeline(with: children), sources, list: 0)
      let key = try search.key()
      guard let key, key.losesNothing else { continue }
      children.key = key
      draft.children[index] = children
      for place in draft.attributes.indices where draft.attributes[place].name == children.attribute {
        draft.attributes[place].role = .children
      }
    }
  }

  private static func remarks(_ pass: InferencePass) -> [String] {
    var remarks: [String] = []
    if pass.nonconforming > 0 {
      remarks.append("\(pass.nonconforming.grouped) of them are not like the others, and would be rejected.")
    }
    for name in Set(pass.repeatedNames).sorted() {
      remarks.append("The column \(YAMLText.quoted(name)) is there more than once, and is left out.")
    }
    if pass.inference.omittedKeys > 0 {
      remarks.append(
        "Records have more than \(RecordInference.mostKeys.grouped) keys; the others are left out.")
    }
    if pass.inference.unnamedKeys > 0 { remarks.append("A value under an empty or broken key is left out.") }
    return remarks
  }
}

extension PipelineDraft {
  /// The attribute of a name, or of a field.
  fileprivate func index(of name: String, _ input: String) throws(ImportError) -> Int {
    let found =
      attributes.firstIndex { $0.name == name } ?? attributes.firstIndex { $0.from == name || $0.key == name }
    guard let found else { throw .noSuchField(input, name, among: attributes.map(\.name)) }
    return found
  }
}
