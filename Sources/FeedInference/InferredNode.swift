internal import TypedRows

/// One key of the records, as a tree: what stands under it in all records, taken together.
///
///     (record) ─┬─ id
///               ├─ diameter ── meters ─┬─ min
///               │                      └─ max
///               └─ approaches                  an array: kept whole
final class InferredNode {
  /// The key as the feed has it, escapes resolved.
  let key: [UInt8]
  /// The keys under it, in the order of their first coming.
  private(set) var children: [InferredNode] = []
  /// What stands here besides objects that are gone into.
  var values = ColumnValues()
  /// Records in which an object stood here that was gone into.
  var objects = 0
  /// Objects here are kept whole: they go too deep, or have too many keys.
  private(set) var isWhole = false
  /// What the objects in arrays here have; nil while there was none.
  private(set) var elements: InferredNode?
  /// Elements of arrays here that are no objects.
  var otherElements = 0
  private var indexes: [[UInt8]: Int] = [:]

  init(key: [UInt8] = []) {
    self.key = key
  }

  var name: String { String(decoding: key, as: UTF8.self) }

  /// The child for a key, made if it is new.
  ///
  /// - Parameters:
  ///   - place: the key's place among the object's keys: nearly always the child's.
  ///   - most: how many children there may be.
  /// - Returns: nil when there would be more.
  func child(_ key: UnsafeBufferPointer<UInt8>, at place: Int, most: Int) -> InferredNode? {
    if place < children.count, children[place].key.elementsEqual(key) { return children[place] }
    let bytes = Array(key)
    if let index = indexes[bytes] { return children[index] }
    guard children.count < most else { return nil }
    indexes[bytes] = children.count
    let child = InferredNode(key: bytes)
    children.append(child)
    return child
  }

  /// The node of the objects in arrays here, one more of which has come.
  func element() -> InferredNode {
    let node = elements ?? InferredNode()
    elements = node
    node.objects += 1
    return node
  }

  /// From now on objects here are kept whole.
  func keepWhole() {
    isWhole = true
    children.removeAll()
    indexes.removeAll()
    for _ in 0..<objects { values.takeObject() }
    objects = 0
  }

  /// Whether the object here is taken apart into attributes.
  var isTakenApart: Bool {
    !isWhole && objects > 0 && values.count == 0 && !children.isEmpty && !children.allSatisfy(\.hasDataKey)
  }

  /// Decides, after the last record, which objects stay whole.
  func keepWholeObjects() {
    for child in children {
      if child.objects > 0, !child.isTakenApart { child.keepWhole() }
      child.keepWholeObjects()
    }
  }

  /// Whether the key looks like a date or a number rather than a name.
  var hasDataKey: Bool { key.first?.isDigit ?? false }

  /// Whether one object holds objects alone that are all of one kind: records under keys of their own.
  var isMap: Bool {
    guard children.count >= 3, children.allSatisfy({ $0.objects == 1 && !$0.isWhole }) else { return false }
    let all = Set(children.flatMap { $0.children.map(\.key) })
    // Most of the keys stand in most of the objects.
    return children.reduce(0) { $0 + $1.children.count } * 4 >= all.count * children.count * 3
  }

  /// Nodes that become attributes, in order, each with its path.
  func leaves(under path: [String] = []) -> [(path: [String], node: InferredNode)] {
    children.flatMap { child in
      let path = path + [child.name]
      return child.isTakenApart ? child.leaves(under: path) : [(path, child)]
    }
  }

  /// Keeps objects whole, those with the most keys first, until there are no more than so many leaves.
  func bound(leaves most: Int) {
    while leaves().count > most {
      let apart = nodesTakenApart()
      guard let largest = apart.max(by: { $0.leaves().count < $1.leaves().count }) else { return }
      largest.keepWhole()
    }
  }

  private func nodesTakenApart() -> [InferredNode] {
    children.filter(\.isTakenApart).flatMap { [$0] + $0.nodesTakenApart() }
  }
}
