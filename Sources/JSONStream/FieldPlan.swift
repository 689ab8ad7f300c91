/// The requested fields as a tree of keys: one node for every key or index that some field's path goes through.
///
///     fields  date, a/0/b, a/0/c          nodes  0 root ─┬─ 1 date (slot 0)
///                                                        └─ 2 a ── 3 0 ─┬─ 4 b (slot 1)
///                                                                       └─ 5 c (slot 2)
///
/// The children of a node stand next to each other. A member's key is first compared with the key that stood at
/// the same place in the record before, which is right for nearly every member of nearly every feed.
struct FieldPlan: ~Copyable {
  struct Node {
    /// The field whose value stands here, or -1.
    var slot: Int32 = -1
    var firstChild: Int32 = 0
    var childCount: Int32 = 0
    /// The key, in `keys`, and what it is as an index of an array, or -1.
    var key: UnsafePointer<UInt8>
    var keyCount: Int32 = 0
    var index: Int32 = -1
    var guesses: KeyGuesses?
  }

  static let none: Int32 = -1

  private(set) var nodes: UnsafeMutablePointer<Node>
  let count: Int
  /// A field that asks for the same path as an earlier one: it gets a copy.
  let copies: [(from: Int, to: Int)]
  private let keys: UnsafeMutablePointer<UInt8>

  /// - Parameter fields: The paths, by slot; nil for a slot that no value of a record fills.
  init(_ fields: [[String]?]) {
    var tree: [(slot: Int32, key: String, children: [Int])] = [(-1, "", [])]
    var copies: [(from: Int, to: Int)] = []
    for (slot, path) in fields.enumerated() {
      guard let path else { continue }
      var node = 0
      for key in path {
        if let child = tree[node].children.first(where: { tree[$0].key.utf8.elementsEqual(key.utf8) }) {
          node = child
        } else {
          tree.append((-1, key, []))
          tree[node].children.append(tree.count - 1)
          node = tree.count - 1
        }
      }
      if tree[node].slot < 0 {
        tree[node].slot = Int32(slot)
      } else {
        copies.append((Int(tree[node].slot), slot))
      }
    }
    self.copies = copies

    // Breadth first, so that siblings are neighbours.
    var order = [0]
    var next = 0
    while next < order.count {
      order += tree[order[next]].children
      next += 1
    }
    keys = .allocate(capacity: tree.reduce(0) { $0 + $1.key.utf8.count } + 8)
    nodes = .allocate(capacity: tree.count)
    count = tree.count
    var firstChild = 1
    var keyEnd = keys
    for (place, index) in order.enumerated() {
      let source = tree[index]
      var node = Node(slot: source.slot, key: UnsafePointer(keyEnd))
      for byte in source.key.utf8 {
        keyEnd.initialize(to: byte)
        keyEnd += 1
      }
      node.keyCount = Int32(source.key.utf8.count)
      node.index = FieldPlan.arrayIndex(source.key)
      node.firstChild = Int32(firstChild)
      node.childCount = Int32(source.children.count)
      firstChild += source.children.count
      if !source.children.isEmpty || place == 0 { node.guesses = KeyGuesses() }
      (nodes + place).initialize(to: node)
    }
  }

  deinit {
    nodes.deinitialize(count: count)
    nodes.deallocate()
    keys.deallocate()
  }

  /// The child of `node` for the key of its object's member number `member`, or `none`.
  @inline(__always)
  func child(of node: Int32, key: UnsafePointer<UInt8>, count: Int, member: Int) -> Int32 {
    guard let guesses = nodes[Int(node)].guesses else { return FieldPlan.none }
    if let child = guesses.child(member, key, count) { return child }
    let child = searchAndNote(node, key, count)
    guesses.learn(member, key, count, child)
    return child
  }

  /// The child of `node` for an array's element, or `none`.
  func child(of node: Int32, index: Int) -> Int32 {
    let parent = nodes[Int(node)]
    for child in parent.firstChild..<parent.firstChild + parent.childCount
    where nodes[Int(child)].index == index {
      return child
    }
    return FieldPlan.none
  }

  /// As `search`, and keeps a key of the record itself that nobody asks for.
  func searchAndNote(_ node: Int32, _ key: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let child = search(node, key, count)
    if child < 0 && node == 0 { nodes[0].guesses?.note(key, count) }
    return child
  }

  func search(_ node: Int32, _ key: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let parent = nodes[Int(node)]
    for child in parent.firstChild..<parent.firstChild + parent.childCount {
      let candidate = nodes[Int(child)]
      guard Int(candidate.keyCount) == count else { continue }
      if (0..<count).allSatisfy({ candidate.key[$0] == key[$0] }) { return child }
    }
    return FieldPlan.none
  }

  /// Keys of the record itself that lead to no field, as far as they were noted.
  var unrequestedKeys: [String] {
    nodes[0].guesses?.others.map { String(decoding: $0, as: UTF8.self) } ?? []
  }

  /// How many of them there are.
  var unrequestedKeyCount: Int { nodes[0].guesses?.others.count ?? 0 }

  /// What a column does whose cells belong to `node`: the node's slot when nothing lies below it.
  func target(of node: Int32) -> Int32 {
    guard node >= 0 else { return Column.none }
    return nodes[Int(node)].childCount == 0 ? nodes[Int(node)].slot : Column.nested
  }

  private static func arrayIndex(_ key: String) -> Int32 {
    guard let index = Int32(key), index >= 0, String(index) == key else { return -1 }
    return index
  }
}

/// What a column of a row is to the parser, where it is not simply a slot.
enum Column {
  /// Nobody asks for it.
  static let none: Int32 = -1
  /// Fields lie below its cells.
  static let nested: Int32 = -2
}

/// The keys that stood at each place of the object before, with the node each led to.
final class KeyGuesses {
  private struct Guess {
    var count: Int32
    var child: Int32
  }

  private static let places = 256
  /// Longer keys are looked up every time.
  private static let keyBytes = 64

  /// Keys that no field asks for are told apart up to so many.
  static let mostOthers = 256
  private static let longestOther = 1024

  /// Keys that no field asks for, in the order of their first coming.
  private(set) var others: [[UInt8]] = []
  /// Their hashes, which no feed can foresee: a key is not compared with all that came before.
  private var hashes: Set<Int> = []
  private let guesses: UnsafeMutablePointer<Guess>
  private let keys: UnsafeMutablePointer<UInt8>

  init() {
    guesses = .allocate(capacity: KeyGuesses.places)
    guesses.initialize(repeating: Guess(count: -1, child: FieldPlan.none), count: KeyGuesses.places)
    keys = .allocate(capacity: KeyGuesses.places * KeyGuesses.keyBytes)
    keys.initialize(repeating: 0, count: KeyGuesses.places * KeyGuesses.keyBytes)
  }

  deinit {
    guesses.deallocate()
    keys.deallocate()
  }

  /// Nil when another key stood there.
  ///
  /// Up to seven readable bytes behind `key` are looked at and ignored.
  @inline(__always)
  func child(_ member: Int, _ key: UnsafePointer<UInt8>, _ count: Int) -> Int32? {
    guard member < KeyGuesses.places, guesses[member].count == Int32(truncatingIfNeeded: count) else {
      return nil
    }
    let known = UnsafeRawPointer(keys + member &* KeyGuesses.keyBytes)
    let found = UnsafeRawPointer(key)
    var i = 0
    while i &+ 8 <= count {
      let same =
        known.loadUnaligned(fromByteOffset: i, as: UInt64.self)
        == found.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      guard same else { return nil }
      i &+= 8
    }
    if i < count {
      let difference =
        known.loadUnaligned(fromByteOffset: i, as: UInt64.self).littleEndian
        ^ found.loadUnaligned(fromByteOffset: i, as: UInt64.self).littleEndian
      guard difference &<< UInt64(64 &- 8 &* (count &- i)) == 0 else { return nil }
    }
    return guesses[member].child
  }

  /// Keeps a key that no field asks for, once.
  func note(_ key: UnsafePointer<UInt8>, _ count: Int) {
    guard others.count < KeyGuesses.mostOthers, count <= KeyGuesses.longestOther else { return }
    let key = UnsafeBufferPointer(start: key, count: count)
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(key))
    if hashes.insert(hasher.finalize()).inserted { others.append(Array(key)) }
  }

  func learn(_ member: Int, _ key: UnsafePointer<UInt8>, _ count: Int, _ child: Int32) {
    guard member < KeyGuesses.places, count <= KeyGuesses.keyBytes else { return }
    guesses[member] = Guess(count: Int32(count), child: child)
    (keys + member * KeyGuesses.keyBytes).update(from: key, count: count)
  }
}
