/// What a detector has seen: every container on an object-only path from the top, and what it is made of.
struct ShapeEvidence {
  struct Note {
    /// The keys to it, or nil for an element of an array.
    var path: [String]?
    var kind: FieldKind
    /// The kind of an array's first element.
    var elements: FieldKind?
    var elementCount = 0
    /// Requested names among the keys of the object, or of the array's first objects, or among its strings.
    var names: Set<String> = []
    /// Whether an array holds strings and nothing else.
    var areStrings = true
    /// The array that this is an element of.
    var parent: Int?

    /// Whether an array's elements could be names.
    var holdsStrings: Bool { areStrings && elementCount > 0 }
  }

  /// The first components of the requested paths.
  let requested: Set<String>
  /// What to call a wildcard that is found: the name that a requested field uses.
  let wildcard: String
  private(set) var notes: [Note] = []
  /// A further value follows the first.
  var isFollowed = false
  /// A decision that needs no more bytes.
  private(set) var early: Layout?

  private static let mostNotes = 512

  init(fields: [FieldPath]) {
    let single = fields.filter { $0.components.count == 1 && Layout.isWildcard($0.components[0]) }
    wildcard = single.first?.components[0] ?? "<key>"
    requested = Set(fields.map { $0.components[0] }).subtracting(single.map { $0.components[0] })
  }

  mutating func saw(key: String, in note: Int?) {
    guard let note, requested.contains(key) else { return }
    notes[note].names.insert(key)
    if let parent = notes[note].parent { notes[parent].names.insert(key) }
  }

  /// An element of the array `note`.
  mutating func element(_ kind: FieldKind, text: String?, of note: Int) {
    if notes[note].elementCount == 0 { notes[note].elements = kind }
    notes[note].elementCount += 1
    if let text {
      if requested.contains(text) { notes[note].names.insert(text) }
    } else {
      notes[note].areStrings = false
    }
    let isRoot = note == 0
    if isRoot && kind != .array && kind != .string { early = Layout(rows: []) }
    if kind == .array, !isRoot, let path = notes[note].path, namesScore > 0,
      namesScore >= notes[0].names.count
    {
      early = columnar(path)
    }
  }

  /// - Returns: The new note's index.
  mutating func opened(_ kind: FieldKind, path: [String]?, within outer: Int?) -> Int {
    let parent = path == nil ? outer : nil
    notes.append(Note(path: path, kind: kind, parent: parent))
    return notes.count - 1
  }

  mutating func closed(_ note: Int) {
    // The first row of rows at the top: its names, or nothing names them.
    guard notes[note].parent == 0, notes[note].kind == .array, early == nil else { return }
    early = Layout(rows: [], names: .firstRow)
  }

  func looksInto(_ kind: FieldKind, isElement: Bool, of outer: Int, most: Int) -> Bool {
    guard notes.count < ShapeEvidence.mostNotes else { return false }
    let note = notes[outer]
    if isElement {
      // Rows in a row, and all below a record, say nothing about the shape.
      return note.path != nil && note.elementCount <= most && (kind == .object || outer == 0)
    }
    return note.path != nil
  }

  /// The first value is a record by its keys, and nothing in it is a better one.
  var isRecordAlone: Bool {
    guard let root = notes.first, root.kind == .object, !root.names.isEmpty else { return false }
    return candidates().allSatisfy { $0.score <= root.names.count }
  }

  private static let socrata = ["meta", "view", "columns"]

  /// How many requested fields the arrays that could be names have among them.
  var namesScore: Int {
    var best = 0
    for note in notes where note.kind == .array {
      if note.path == ShapeEvidence.socrata && note.elements == .object {
        best = max(best, requested.count, 1)
      }
      guard note.path != nil, note.holdsStrings else { continue }
      best = max(best, requested.isEmpty ? 1 : note.names.count)
    }
    return best
  }

  /// Rows at a path, named by what was seen, or by what feeds of this kind have further on.
  private func columnar(_ rows: [String]) -> Layout {
    let named = notes.filter { note in
      note.kind == .array && note.holdsStrings && (requested.isEmpty || !note.names.isEmpty)
    }
    var paths = named.compactMap(\.path).filter { $0 != rows }
    if !paths.contains(["fields"]) { paths.append(["fields"]) }
    var sources = paths.prefix(5).map { Layout.NamesSource(path: $0) }
    sources.append(Layout.NamesSource(path: ShapeEvidence.socrata, key: "fieldName"))
    return Layout(rows: rows, names: .found(sources))
  }
}

extension ShapeEvidence {
  struct Candidate {
    var layout: Layout
    var score: Int
    var place: String
  }

  /// The decision when no more bytes are to be seen, or asked for.
  func conclusion() -> ShapeDetector.Answer {
    if let early { return .found(early) }
    guard let root = notes.first else { return .found(Layout(rows: [])) }
    var lines = Layout(rows: [])
    lines.isConcatenated = true
    lines.mayHaveHeader = true
    guard root.kind == .object else { return .found(isFollowed ? lines : Layout(rows: [])) }

    let inner = candidates()
    let best = inner.map(\.score).max() ?? 0
    let ownScore = root.names.count
    if ownScore > 0 && ownScore >= best { return .found(lines) }
    if isFollowed && (best == 0 || requested.isEmpty) { return .found(lines) }
    let equals = inner.filter { $0.score == best }
    if equals.count > 1 { return .ambiguous(equals.map(\.place)) }
    if let only = equals.first { return .found(only.layout) }
    if requested.isEmpty { return .found(lines) }
    return .found(emptyRows ?? Layout(rows: nil))
  }

  /// Nothing that was seen could be the records that are asked for.
  var showsNothing: Bool {
    guard let root = notes.first, root.kind == .object, root.names.isEmpty, !requested.isEmpty else {
      return false
    }
    return candidates().isEmpty
  }

  /// The places below the top that could be the records.
  func candidates() -> [Candidate] {
    var found: [Candidate] = []
    var grouped: Set<Int> = []
    for group in maps() {
      grouped.formUnion(group.members)
      let path = group.path + [wildcard]
      let names = group.members.reduce(into: Set<String>()) { $0.formUnion(notes[$1].names) }
      found.append(candidate(path, Layout(rows: path), names.count))
    }
    for (index, note) in notes.enumerated() where !grouped.contains(index) && index > 0 {
      guard let path = note.path, note.kind == .array, note.elements != nil else { continue }
      if note.elements == .object { found.append(candidate(path, Layout(rows: path), note.names.count)) }
      let mayBeUnnamed = notes[0].names.isEmpty && !requested.isEmpty
      if note.elements == .array && (namesScore > 0 || mayBeUnnamed) {
        found.append(candidate(path, columnar(path), namesScore))
      }
    }
    return found
  }

  private func candidate(_ path: [String], _ layout: Layout, _ score: Int) -> Candidate {
    Candidate(layout: layout, score: score, place: "\(FieldPath(components: path))")
  }

  /// Objects whose keys are dates or ids: their members are one table's parts.
  private func maps() -> [(path: [String], members: [Int])] {
    var members: [[String]: [Int]] = [:]
    var order: [[String]] = []
    for (index, note) in notes.enumerated() {
      guard let path = note.path, let key = path.last, ShapeEvidence.isData(key) else { continue }
      guard note.kind == .object ? !note.names.isEmpty || requested.isEmpty : note.elements == .object else {
        continue
      }
      let outer = Array(path.dropLast())
      if members[outer] == nil { order.append(outer) }
      members[outer, default: []].append(index)
    }
    return order.map { ($0, members[$0] ?? []) }
  }

  /// Whether a key looks like a date or an id rather than a name.
  static func isData(_ key: String) -> Bool {
    let digits = key.utf8.filter(Scalar.isDigit).count
    guard let first = key.utf8.first, digits > 0 else { return false }
    return Scalar.isDigit(first) || digits * 2 >= key.utf8.count
  }

  /// The one array that could have held rows and holds none.
  private var emptyRows: Layout? {
    let empty = notes.filter { $0.path?.isEmpty == false && $0.kind == .array && $0.elements == nil }
    guard empty.count == 1, let path = empty.first?.path else { return nil }
    return Layout(rows: path)
  }
}
