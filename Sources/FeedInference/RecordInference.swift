internal import FeedReading

/// Takes records one after another into a tree of their keys.
struct RecordInference {
  /// The records' own keys.
  let root = InferredNode()
  /// Keys of records past the most that are told apart.
  private(set) var omittedKeys = 0
  /// Keys that no path can name: empty ones, and those with half of a character.
  private(set) var unnamedKeys = 0
  private var escaped = EscapedText()
  private var nodeCount = 0

  /// Keys of a record that are told apart.
  static let mostKeys = 1000
  /// Keys of an object within a record; one with more is a map, and stays whole.
  static let mostInnerKeys = 64
  /// Objects are gone into this deep.
  static let deepest = 4
  private static let mostNodes = 4096

  /// Names the columns of rows.
  mutating func setColumns(_ names: [String]) {
    for (place, name) in names.enumerated() {
      Array(name.utf8).withUnsafeBufferPointer { _ = root.child($0, at: place, most: Self.mostKeys) }
    }
  }

  /// Takes a record that is an object.
  mutating func take(object bytes: UnsafeBufferPointer<UInt8>) {
    var cursor = JSONCursor(bytes)
    guard case .object = cursor.item() else { return }
    takeMembers(of: root, &cursor, depth: 0)
  }

  /// Takes a record that is a row; the columns have names already.
  mutating func take(row bytes: UnsafeBufferPointer<UInt8>, columns: [InferredNode]) {
    var cursor = JSONCursor(bytes)
    guard case .array = cursor.item() else { return }
    var place = 0
    while cursor.hasElement() {
      takeValue(of: place < columns.count ? columns[place] : nil, &cursor, depth: 1)
      place += 1
    }
  }

  /// Takes one value of a key; objects stay whole.
  mutating func take(value bytes: UnsafeBufferPointer<UInt8>, of node: InferredNode) {
    var cursor = JSONCursor(bytes)
    takeValue(of: node, &cursor, depth: Self.deepest)
  }

  private mutating func takeMembers(of node: InferredNode, _ cursor: inout JSONCursor, depth: Int) {
    var place = 0
    while let key = cursor.key() {
      let most = depth == 0 ? Self.mostKeys : Self.mostInnerKeys
      let known = node.children.count
      let isFull = nodeCount >= Self.mostNodes
      let child = escaped.withContent(of: key) { key -> InferredNode? in
        isFull || (key.isEmpty && depth == 0) ? nil : node.child(key, at: place, most: most)
      }
      if node.children.count > known { nodeCount += 1 }
      if let found = child ?? nil {
        takeValue(of: found, &cursor, depth: depth + 1)
      } else {
        if child == nil || key.isEmpty { unnamedKeys += 1 } else { omittedKeys += 1 }
        takeValue(of: nil, &cursor, depth: depth + 1)
        if depth > 0 {
          // Too many keys for attributes: the object stays whole.
          node.keepWhole()
          cursor.leave()
          return
        }
      }
      place += 1
    }
  }

  /// Takes an element of an array that is kept whole: what its objects have may be of use.
  ///
  /// - Returns: the element, or the beginning of it.
  private mutating func takeElement(
    of node: InferredNode?, _ cursor: inout JSONCursor, depth: Int
  ) -> JSONCursor.Item {
    let element = cursor.item()
    switch element {
    case .object:
      if let node, depth < Self.deepest {
        takeMembers(of: node.element(), &cursor, depth: depth + 1)
      } else {
        cursor.leave()
      }
    case .array:
      node?.otherElements += 1
      cursor.leave()
    default: node?.otherElements += 1
    }
    return element
  }

  private mutating func takeValue(of node: InferredNode?, _ cursor: inout JSONCursor, depth: Int) {
    switch cursor.item() {
    case .null: node?.values.takeNull()
    case .boolean: node?.values.takeBoolean()
    case .number(let bytes): node?.values.take(number: bytes)
    case .string(let bytes):
      guard let node else { return }
      // A text with half of a character is rejected by the import, and says nothing of the type.
      _ = escaped.withContent(of: bytes) { node.values.take(text: $0) }
    case .array:
      var elements = PointValues.Elements()
      while cursor.hasElement() { elements.take(takeElement(of: node, &cursor, depth: depth)) }
      node?.values.takeArray(elements)
    case .object:
      guard let node, !node.isWhole, depth < Self.deepest else {
        cursor.leave()
        node?.values.takeObject()
        return
      }
      node.objects += 1
      takeMembers(of: node, &cursor, depth: depth)
    }
  }
}
