internal import FeedReading
package import ImportModel
internal import JSONStream

/// Attributes for fields that a feed has only since now, as a new pipeline would have them. Used by one thread.
package final class NewFieldInference {
  private var inference = RecordInference()
  private var nodes: [(key: String, node: InferredNode)] = []

  package init() {}

  /// Takes one value of a field, as JSON.
  package func take(_ key: String, _ value: Slice<UnsafeBufferPointer<UInt8>>) {
    let known = nodes.first { $0.key == key }?.node
    let node = known ?? InferredNode(key: Array(key.utf8))
    if known == nil { nodes.append((key, node)) }
    inference.take(value: UnsafeBufferPointer(rebasing: value), of: node)
  }

  /// Fields that never had a value, so that nobody knows their type.
  package var valueless: [String] { nodes.filter { $0.node.values.count == 0 }.map(\.key) }

  /// The fields that had values, with nullable attributes under names that are free. What should not be stored unasked, such
  /// as access keys, is left out, and so is what no path can name.
  ///
  /// - Parameter names: those that are not, in any case of letters.
  package func fields(besides names: Set<String>) -> [AddedField] {
    var taken = Set(names.map(\.caseFolded))
    return nodes.compactMap { key, node in
      let name = AttributeNames.name(of: [key])
      let choice = TypeChoice(node.values, name: key)
      guard !key.isEmpty, node.values.count > 0, !choice.isLeftOut else { return nil }
      var numbered = name
      var number = 2
      while !taken.insert(numbered.caseFolded).inserted {
        numbered = "\(name)\(number)"
        number += 1
      }
      return AddedField(
        key: key, path: FieldPath(key: key).description,
        attribute: Attribute(name: numbered, type: choice.type), dateForm: choice.dateForm)
    }
  }
}
