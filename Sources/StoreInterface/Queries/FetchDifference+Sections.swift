public import ImportModel
internal import TypedRows

extension FetchDifference {
  /// Objects one behind the other that have the same value in what divides the answer.
  public struct Section: Sendable, Hashable {
    /// The value that they have in common; of a decimal its units, of a relationship the object id.
    public var value: Value
    /// Their places in the whole answer.
    public var rows: Range<Int>
  }

  /// The sections of both answers, in order.
  public struct Sections: Sendable, Hashable {
    /// The type of their values; nil for a relationship.
    public var type: AttributeType?
    /// The older answer's.
    public var older: [Section]
    /// The newer answer's.
    public var newer: [Section]
    /// The sections that came or went, by their places among the sections.
    public var changes: CollectionDifference<Value>

    init?(from old: List, to new: List) {
      guard let older = old.sections, let newer = new.sections else { return nil }
      (self.older, self.newer, type) = (older, newer, new.type)
      let (oldValues, newValues) = (Set(older.map(\.value)), Set(newer.map(\.value)))
      var changes: [CollectionDifference<Value>.Change] = []
      for (place, section) in older.enumerated() where !newValues.contains(section.value) {
        changes.append(.remove(offset: place, element: section.value, associatedWith: nil))
      }
      for (place, section) in newer.enumerated() where !oldValues.contains(section.value) {
        changes.append(.insert(offset: place, element: section.value, associatedWith: nil))
      }
      guard let changes = CollectionDifference(changes) else {
        preconditionFailure("each section has a place of its own")
      }
      self.changes = changes
    }

    /// The section of an offset in the older answer, and the place in it.
    ///
    /// - Complexity: O(log n) in the sections.
    public func place(ofOlder offset: Int) -> (section: Int, row: Int) { Self.place(of: offset, in: older) }

    /// The section of an offset in the newer answer, and the place in it.
    ///
    /// - Complexity: O(log n) in the sections.
    public func place(ofNewer offset: Int) -> (section: Int, row: Int) { Self.place(of: offset, in: newer) }

    private static func place(of offset: Int, in sections: [Section]) -> (section: Int, row: Int) {
      let section = sections.partitioningIndex { $0.rows.upperBound > offset }
      return (section, offset - sections[section].rows.lowerBound)
    }
  }

  /// An answer as far as differences are about it.
  package struct List {
    /// The objects' ids in order.
    package private(set) var ids: [Int64] = []
    /// Nil without sections.
    package var sections: [Section]?
    /// The type of the sections' values; nil for a relationship.
    package var type: AttributeType?

    package init() {}

    /// Appends an object.
    ///
    /// - Parameter section: what the sections have in common; nil without sections.
    package mutating func append(_ id: Int64, in section: Value?) {
      ids.append(id)
      guard let section else { return }
      let start = sections?.last?.value == section ? sections?.popLast()?.rows.lowerBound : nil
      sections?.append(Section(value: section, rows: (start ?? ids.count - 1)..<ids.count))
    }

    /// The section of each object.
    var sectionValues: [Value] {
      (sections ?? []).flatMap { Array(repeating: $0.value, count: $0.rows.count) }
    }
  }
}
