/// What the parsers of a record and of its lists of children decode besides what was requested of each.
///
///     record      | requested fields         | arrays of lists | what lists ask of it |
///     each list   | its fields, `..` borrowed | arrays of lists within | what these ask of it |
struct ChildPlan {
  /// A field of a list that is decoded around it: in the record, or in an element of another list.
  struct Borrowed {
    let slot: Int
    /// The list whose element has it; nil for the record.
    let owner: Int?
    /// The slot there.
    let source: Int
  }

  struct List {
    /// The list whose elements hold its array; nil for the record.
    let within: Int?
    /// The array's slot there.
    let array: Int
    /// How many fields were requested.
    let count: Int
    /// What its parser decodes; nil for a slot that is borrowed.
    var paths: [[String]?]
    var borrowed: [Borrowed] = []
    /// The lists in its elements.
    var lists: [Int] = []
  }

  /// What the record's parser decodes behind the requested fields.
  private(set) var recordPaths: [[String]] = []
  private(set) var lists: [List] = []
  private let requested: Int

  /// - Parameters:
  ///   - children: each behind the list that holds it.
  ///   - requested: how many fields of the record are.
  init(_ children: [ChildFields], requested: Int) {
    self.requested = requested
    for (index, list) in children.enumerated() {
      precondition(
        list.within.map { $0 < index } ?? true, "a list of children stands behind the one that holds it")
      let array = add(list.path.components, to: list.within)
      if let within = list.within { lists[within].lists.append(index) }
      lists.append(List(within: list.within, array: array, count: list.fields.count, paths: []))
      for (slot, field) in list.fields.enumerated() {
        let levels = field.components.prefix { $0 == ".." }.count
        let path = Array(field.components.dropFirst(levels))
        let own = path == ["."] ? [] : path
        lists[index].paths.append(levels == 0 ? own : nil)
        let around = around(index)
        guard levels > 0, levels <= around.count else { continue }
        let source = add(own, to: around[levels - 1])
        lists[index].borrowed.append(Borrowed(slot: slot, owner: around[levels - 1], source: source))
      }
    }
  }

  /// What stands around a list's elements, the nearest first: other lists' elements, and nil for the record.
  private func around(_ list: Int) -> [Int?] {
    guard let within = lists[list].within else { return [nil] }
    return [within] + around(within)
  }

  /// - Returns: the slot.
  private mutating func add(_ path: [String], to list: Int?) -> Int {
    guard let list else {
      recordPaths.append(path)
      return requested + recordPaths.count - 1
    }
    lists[list].paths.append(path)
    return lists[list].paths.count - 1
  }
}
