internal import FeedReading
internal import ImportModel
internal import JSONStream

/// Finds the shape of an input that nothing is known of, and infers from it.
///
/// The reader finds most shapes by itself. This adds what it leaves to a pipeline: which of several arrays, and
/// rows that nothing names.
struct ShapeSearch {
  private let source: InferenceSource
  /// The most places that are tried one after another.
  static let mostPlaces = 16

  /// Another place that could be the records', and how many there are.
  typealias OtherPlace = (path: String, count: Int)
  typealias Found = (pass: InferencePass, place: FoundLocation, others: [OtherPlace])

  init(_ source: InferenceSource) {
    self.source = source
  }

  /// The inference of the input, and where its records are.
  ///
  /// - Parameter path: where they are, if that is known.
  func run(at path: String?) throws -> Found {
    guard let path else { return try run() }
    // What a wildcard stands for gets its name from what was found there.
    let components = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let wildcard = components.firstIndex { $0.hasPrefix("<") && $0.hasSuffix(">") }
    let place = components.enumerated().map { $0 == wildcard ? FoundLocation.wildcard : $1 }.joined(
      separator: "/")
    let pass = try InferencePass(source, shape: .array(path: place))
    guard pass.records > 0, pass.nonconforming == pass.records, let rows = try namelessRows(at: place) else {
      return (pass, FoundLocation(.path(place), "objects under \(place)"), [])
    }
    return (rows.pass, rows.place, [])
  }

  private func run() throws -> Found {
    if let cells = try delimited() { return (cells.pass, cells.place, []) }
    do {
      let pass = try InferencePass(source, shape: .automatic, limits: Self.cautious)
      if let rows = betterRows(than: pass) { return (rows.pass, rows.place, []) }
      if let object = objectAround(pass) { return object }
      return (pass, FoundLocation(pass), [])
    } catch let error as JSONError where error.code == .ambiguousRecords {
      return try bestOf(error)
    } catch let error as JSONError where error.code == .noNames {
      guard let found = try namelessRows() ?? rowsWithOtherNames() else { throw error }
      return (found.pass, found.place, [])
    } catch let error as JSONError where error.code == .recordLimit {
      // A feed of rows whose names come last looks like one huge object.
      if let found = columnar(names: "fields", rows: "data") { return (found.pass, found.place, []) }
      let pass = try InferencePass(source, shape: .automatic)
      return (pass, FoundLocation(pass), [])
    }
  }

  /// A record past this is looked at twice before it is taken for one.
  private static let cautious = ReaderLimits(recordBytes: 4 << 20)

  // MARK: Delimited text

  /// The inference of lines of cells; nil where the input is rather JSON, or neither.
  private func delimited() throws -> (pass: InferencePass, place: FoundLocation)? {
    let line = try source.firstLine()
    guard let first = line.first, !"{[<".utf8.contains(first) else { return nil }
    let byCount = ",\t;|".utf8.map { delimiter in (delimiter, line.count { $0 == delimiter }) }
    guard let (delimiter, count) = byCount.max(by: { $0.1 < $1.1 }), count > 0 || source.isNamedAsDelimited
    else {
      return nil
    }
    let pass = try InferencePass(source, shape: .delimited(by: delimiter))
    // A sentence may have a comma.
    guard source.isNamedAsDelimited || pass.records > pass.nonconforming else { return nil }
    guard let names = pass.columns, names.contains(where: Self.isData) else {
      return (pass, FoundLocation(pass))
    }
    // The first line is a record as the others: nothing names the columns.
    let numbered = names.indices.map { "column\($0 + 1)" }
    let nameless = try InferencePass(source, shape: .delimited(by: delimiter, names: numbered))
    let place = RecordLocation.delimited(by: delimiter, names: numbered)
    return (nameless, FoundLocation(place, nameless.layout.description))
  }

  // MARK: Rows that look like something else

  /// Rows that were taken for one object, or whose first one was taken for names.
  private func betterRows(than pass: InferencePass) -> (pass: InferencePass, place: FoundLocation)? {
    if case .firstRow = pass.layout.names, pass.layout.path == nil {
      guard let names = pass.columns, names.contains(where: Self.isData) else { return nil }
      return try? namelessRows()
    }
    guard pass.records == 1, pass.layout.areObjectsAtTop else { return nil }
    if pass.inference.root.isMap {
      let shape = RecordShape.array(path: FoundLocation.wildcard)
      guard let pass = try? InferencePass(source, shape: shape), pass.nonconforming == 0 else { return nil }
      return (pass, FoundLocation(pass))
    }
    let arrays = pass.inference.root.children.filter { $0.values.arrays == 1 }.prefix(4).map(\.name)
    for rows in arrays.sorted(by: { a, _ in a == "data" }) {
      for names in arrays.sorted(by: { a, _ in a == "fields" }) where names != rows {
        if let found = columnar(names: names, rows: rows) { return found }
      }
    }
    // A few rows of numbers are rather a matrix in one record.
    return arrays.lazy.compactMap { try? namelessRows(at: FieldPath(key: $0).description) }
      .first { $0.pass.nonconforming == 0 && $0.pass.records >= Self.leastRows }
  }

  private static let leastRows = 20

  /// One object, deep in which a few rows were found: they are a matrix of its own, rather than the records.
  private func objectAround(_ pass: InferencePass) -> Found? {
    guard pass.records < Self.leastRows, pass.layout.hasArrays, let path = pass.layout.path,
      path.components.count > 1,
      let whole = try? InferencePass(source, shape: .lines), whole.records == 1, whole.nonconforming == 0
    else { return nil }
    return (whole, FoundLocation(.lines, "one object"), [(path.description, pass.records)])
  }

  private func columnar(names: String, rows: String) -> (pass: InferencePass, place: FoundLocation)? {
    let (names, rows) = (FieldPath(key: names).description, FieldPath(key: rows).description)
    let shape = RecordShape.columnar(names: names, rows: rows)
    guard let pass = try? InferencePass(source, shape: shape), pass.records > 0, pass.nonconforming == 0
    else {
      return nil
    }
    return (pass, FoundLocation(pass))
  }

  // MARK: Several arrays

  /// The array with the most objects.
  private func bestOf(_ error: JSONError) throws -> Found {
    var best: InferencePass?
    var bestPath = ""
    var others: [OtherPlace] = []
    for path in error.candidates.prefix(Self.mostPlaces) {
      let pass = try InferencePass(source, shape: .array(path: path))
      guard pass.nonconforming == 0 else { continue }
      others.append((path, pass.records))
      if pass.records > best?.records ?? 0 { (best, bestPath) = (pass, path) }
    }
    guard let best else { throw error }
    others.removeAll { $0.path == bestPath }
    return (best, FoundLocation(.path(bestPath), "objects under \(bestPath)"), others)
  }

  // MARK: Rows without names

  /// Rows that nothing names: their columns get numbers.
  private func namelessRows(at path: String = "") throws -> (pass: InferencePass, place: FoundLocation)? {
    var input = RecordInput(
      try source.open(), reader: try RecordReader(fields: [], shape: .array(path: path)))
    guard case .record = try input.next(until: nil), case .notAnObject(.array) = input.reader.problem
    else { return nil }
    var cursor = JSONCursor(input.reader.recordText)
    guard case .array = cursor.item() else { return nil }
    var width = 0
    while cursor.hasElement() {
      switch cursor.item() {
      case .array, .object: cursor.leave()
      default: break
      }
      width += 1
    }
    guard width > 0 else { return nil }
    let names = (1...width).map { "column\($0)" }
    let pass = try InferencePass(source, shape: .positional(names: names, rows: path))
    let place = path.isEmpty ? "" : " under \(path)"
    return (pass, FoundLocation(.rows(names: names, path: path), "rows\(place) that nothing names"))
  }

  /// Rows whose names stand under a key that is not the usual one. An import finds it by the names that it asks for.
  private func rowsWithOtherNames() throws -> (pass: InferencePass, place: FoundLocation)? {
    var input = RecordInput(try source.open(), reader: try RecordReader(fields: []))
    do {
      while case .record = try input.next(until: nil) {}
    } catch is JSONError {}
    guard let rows = input.layout?.path?.description else { return nil }
    for key in input.envelope.keys.prefix(Self.mostPlaces) where FieldPath(key: key).description != rows {
      let shape = RecordShape.columnar(names: FieldPath(key: key).description, rows: rows)
      if let pass = try? InferencePass(source, shape: shape), pass.records > 0 {
        return (pass, FoundLocation(pass))
      }
    }
    return nil
  }

  /// Whether a column's name is rather a value: a first row that is no header.
  private static func isData(_ name: String) -> Bool {
    var facts: ValueFacts = []
    let candidates = Array(name.utf8).withUnsafeBufferPointer {
      TypeCandidates(text: $0, among: .all, &facts)
    }
    return name.isEmpty || candidates != .string
  }
}
