internal import TypedRows

/// What happened to a fetch's answer between two places of history.
public struct FetchDifference: Sendable, Hashable {
  /// The objects that came into the answer, went out of it, or moved within it. A move is a removal and an insertion
  /// that name each other's offsets; as few objects as possible move.
  public var objects: CollectionDifference<ObjectID>
  /// The objects that are in both answers and have other values, in the newer answer's order; whether they moved or not.
  public var updates: [Update]
  /// The sections of both answers, where the request has some. An object that went from one section to another has moved.
  public var sections: Sections?

  /// An object with other values.
  public struct Update: Sendable, Hashable {
    /// The object.
    public var object: ObjectID
    /// Where it is in the newer answer.
    public var offset: Int
    /// The attributes and relationships that have other values, derived ones too.
    public var changed: [String]
  }

  /// - Parameters:
  ///   - older: the older answer, each object once.
  ///   - newer: the newer answer.
  ///   - changed: which properties of an object have other values.
  /// - Complexity: O(n log n)
  package init(_ entity: String, from old: List, to new: List, changed: [Int64: [String]]) {
    let (older, newer) = (old.ids, new.ids)
    let oldOffsets = Dictionary(uniqueKeysWithValues: older.enumerated().map { ($1, $0) })
    let newOffsets = Dictionary(uniqueKeysWithValues: newer.enumerated().map { ($1, $0) })
    let sections = Sections(from: old, to: new)
    let (oldSections, newSections) = (old.sectionValues, new.sectionValues)
    // Sections are in the same order in both answers: who rises within each of them rises in all.
    let inSection = newer.enumerated().compactMap { place, id -> Int? in
      guard let before = oldOffsets[id] else { return nil }
      return sections == nil || oldSections[before] == newSections[place] ? before : nil
    }
    let staying = Set(Self.longestRise(inSection).map { older[$0] })
    var changes: [CollectionDifference<ObjectID>.Change] = []
    for (offset, id) in older.enumerated() where !staying.contains(id) {
      let object = ObjectID(entity: entity, id: id)
      changes.append(.remove(offset: offset, element: object, associatedWith: newOffsets[id]))
    }
    for (offset, id) in newer.enumerated() where !staying.contains(id) {
      let object = ObjectID(entity: entity, id: id)
      changes.append(.insert(offset: offset, element: object, associatedWith: oldOffsets[id]))
    }
    guard let objects = CollectionDifference(changes) else {
      preconditionFailure("an id stands once in an answer")
    }
    (self.objects, self.sections) = (objects, sections)
    updates = newer.enumerated().compactMap { offset, id in
      guard oldOffsets[id] != nil, let changed = changed[id] else { return nil }
      return Update(object: ObjectID(entity: entity, id: id), offset: offset, changed: changed)
    }
  }

  /// Compares a request's answers at two places of history.
  ///
  /// - Parameters:
  ///   - list: the answer at a place.
  ///   - read: hands over the changes that a request of history asks for.
  package init(
    of request: ObjectQuery, from older: HistoryToken, to newer: HistoryToken,
    list: (HistoryToken) throws -> List,
    read: (HistoryRequest, _ change: (HistoryChange) throws -> Void) throws -> Void
  ) throws {
    let before = try list(older)
    var between = HistoryRequest(after: older)
    between.end = .token(newer)
    between.isNet = true
    between.entities = [request.entity]
    between.kinds = [.update]
    var changed: [Int64: [String]] = [:]
    try read(between) { changed[$0.id] = $0.previous.map(\.name) }
    try self.init(request.entity, from: before, to: list(newer), changed: changed)
  }

  /// A longest part of different numbers that rises: those in it need not move.
  static func longestRise(_ numbers: [Int]) -> [Int] {
    // For each length, the index of the smallest number that ends a rise of that length.
    var ends: [Int] = []
    var previous: [Int?] = []
    for (index, number) in numbers.enumerated() {
      let place = ends.partitioningIndex { numbers[$0] >= number }
      previous.append(place > 0 ? ends[place - 1] : nil)
      if place == ends.count { ends.append(index) } else { ends[place] = index }
    }
    var rise: [Int] = []
    var next = ends.last
    while let index = next {
      rise.append(numbers[index])
      next = previous[index]
    }
    return rise.reversed()
  }
}
