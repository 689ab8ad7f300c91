internal import ImportModel
import Yams

/// One node of a pipeline file, and which part of the pipeline it is.
struct YAMLPart {
  /// The way to it through the file's keys.
  var path: [String]
  /// The node.
  var node: Node
  /// What a sentence about the part points at: the name that leads to it, or its own first character.
  var place: PipelineProblem.Location

  /// Where the node itself begins.
  var placeOfValue: PipelineProblem.Location { node.mark.map(PipelineProblem.Location.init) ?? place }

  /// Whether the node is a mapping.
  var isMapping: Bool { node.mapping != nil }

  /// Whether nothing stands where the node should be.
  var isEmpty: Bool {
    guard let scalar = node.scalar else { return false }
    return scalar.style == .plain && scalar.string.isEmpty
  }

  /// Whether the node is a text without quotes.
  var isPlain: Bool { node.scalar?.style == .plain }

  /// Whether the node is YAML's null, unquoted.
  ///
  /// Only a default asks this; elsewhere it is a word like any other.
  var isNull: Bool {
    guard let scalar = node.scalar, scalar.style == .plain else { return false }
    return scalar.string == "null" || scalar.string == "~"
  }
}

extension YAMLDocument {
  /// The whole document as a part; nil for a text that says nothing.
  var top: YAMLPart? {
    guard let root else { return nil }
    let start = PipelineProblem.Location(line: 1, column: 1)
    return YAMLPart(path: [], node: root, place: root.mark.map(PipelineProblem.Location.init) ?? start)
  }
}
