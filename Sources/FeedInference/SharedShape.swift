internal import FeedReading
internal import ImportModel
internal import JSONStream

/// The place of the records in all inputs of a feed: every input has them there, or has none.
struct SharedShape {
  /// The reading of all inputs.
  let pass: InferencePass
  let place: FoundLocation
  /// Other places that could be the records', in all inputs.
  let others: [ShapeSearch.OtherPlace]
  /// The inputs that have records.
  let sources: [InferenceSource]
  /// The inputs that have none.
  let empty: [InferenceSource]

  /// What one input alone shows.
  private struct Find {
    /// The input's place among all.
    let index: Int
    let source: InferenceSource
    let place: FoundLocation
    let records: Int
    let others: [ShapeSearch.OtherPlace]
    /// Whether the records are objects at the top, and whether the only one could be an envelope without records.
    let isOfObjects: Bool
    let isEnvelopeAlone: Bool
  }

  /// Looks at each input alone, and then at all with the place that most of the records fit.
  ///
  /// - Parameter path: where the records are, if that is known.
  init(_ sources: [InferenceSource], at path: String?) throws(ImportError) {
    var finds: [Find] = []
    var first: InferencePass?
    for (index, source) in sources.enumerated() {
      let found: ShapeSearch.Found
      do {
        found = try ShapeSearch(source).run(at: path)
      } catch {
        throw ImportError(reading: error, input: source.name, isStored: false)
      }
      let pass = found.pass
      guard pass.records == 0 || pass.nonconforming < pass.records else {
        throw .noObjects(source.name, among: pass.records)
      }
      if first?.isEmpty ?? true { first = pass }
      finds.append(
        Find(
          index: index, source: source, place: found.place, records: pass.records, others: found.others,
          isOfObjects: pass.layout.areObjectsAtTop, isEnvelopeAlone: pass.isEnvelopeAlone))
    }
    guard let first else { throw .noSources }
    guard !first.isEmpty else { throw Self.nothing(in: sources.map(\.name), first) }
    if sources.count > 1 {
      // Where the records are objects such as `{"id":7,"tags":[]}`, one of them alone is a record too.
      let areObjects = finds.contains { $0.isOfObjects && !$0.isEnvelopeAlone }
      finds.removeAll { $0.records == 0 || $0.isEnvelopeAlone && !areObjects }
    }
    if finds.count > 1 {
      let best = try Self.best(of: finds)
      (pass, place) = (best.pass, best.place)
      others = Self.placesWithPath(finds).filter { .path($0.path) != best.place.record }
    } else {
      (pass, place, others) = (first, finds[0].place, finds[0].others)
    }
    let withoutRecords = pass.empty
    let filled = finds.indices.filter { !withoutRecords.contains($0) }.map { finds[$0].index }
    self.sources = filled.map { sources[$0] }
    empty = sources.indices.filter { !filled.contains($0) }.map { sources[$0] }
  }

  /// Sentences for the head of a draft.
  var remarks: [String] {
    var remarks: [String] = []
    if !others.isEmpty {
      let list = others.map { "\(YAMLText.scalar($0.path)) (\($0.count.grouped))" }.joined(separator: ", ")
      let places = others.count == 1 ? "Another place" : "Other places"
      remarks.append("\(places) that could be the records: \(list).")
    }
    if !empty.isEmpty {
      let names = PipelineDraft.list(empty.map { $0.isStdin ? "standard input" : $0.name })
      remarks.append("There are no records in \(names).")
    }
    return remarks
  }

  /// Reads the beginning of each input as an import with the draft will, and all of an input without records.
  func check(_ draft: Pipeline) throws {
    for source in sources {
      var trial = try FeedTrial(draft, source.open())
      try trial.run { _, _ in false }
    }
    for source in empty {
      var trial = try FeedTrial(draft, source.open())
      try trial.run { _, _ in true }
      guard trial.read == 0 else {
        throw ImportError.unlikeOthers(
          source.name, has: trial.shapeDescription ?? "", other: sources[0].name, has: place.plain)
      }
    }
  }

  /// The place that loses the fewest records of all inputs, and of those the one with the most.
  private static func best(of finds: [Find]) throws(ImportError) -> (
    pass: InferencePass, place: FoundLocation
  ) {
    var places: [FoundLocation] = []
    let others = placesWithPath(finds).map { FoundLocation(.path($0.path), "objects under \($0.path)") }
    let isAgreed = finds.allSatisfy { $0.place == finds[0].place }
    for place in isAgreed ? [finds[0].place] : finds.map(\.place) + others where !places.contains(place) {
      places.append(place)
    }
    var best: (pass: InferencePass, place: FoundLocation)?
    for place in places.prefix(ShapeSearch.mostPlaces) {
      let pass: InferencePass
      do {
        pass = try InferencePass(finds.map(\.source), shape: RecordShape(place.record))
      } catch {
        // The input that lacks one place may have the next.
        if isAgreed { throw error }
        continue
      }
      guard pass.isOfOneShape else { continue }
      if let best, (best.pass.nonconforming, -best.pass.records) <= (pass.nonconforming, -pass.records) {
        continue
      }
      best = (pass, place.record == .automatic ? FoundLocation(pass) : place)
    }
    guard let best else { throw unlike(finds) }
    return best
  }

  /// The paths at which records were found or could be, with how many there are in all inputs, the most first.
  private static func placesWithPath(_ finds: [Find]) -> [ShapeSearch.OtherPlace] {
    var counts: [String: Int] = [:]
    for find in finds {
      if case .path(let path) = find.place.record { counts[path, default: 0] += find.records }
      for other in find.others { counts[other.path, default: 0] += other.count }
    }
    return counts.map { (path: $0.key, count: $0.value) }.sorted { ($1.count, $0.path) < ($0.count, $1.path) }
  }

  /// Inputs without records teach nothing.
  private static func nothing(in inputs: [String], _ first: InferencePass) -> ImportError {
    if inputs.count > 1 { return .noRecordsInAny(inputs) }
    return first.records == 0 ? .noRecords(inputs[0]) : .envelopeAlone(inputs[0])
  }

  /// The first input that is unlike most of the others.
  private static func unlike(_ finds: [Find]) -> ImportError {
    func alike(_ find: Find) -> Int { finds.count { $0.place == find.place } }
    let usual = finds.max { alike($0) < alike($1) } ?? finds[0]
    let other = finds.first { $0.place != usual.place } ?? finds[finds.count - 1]
    return .unlikeOthers(
      other.source.name, has: other.place.plain, other: usual.source.name, has: usual.place.plain)
  }
}

extension InferencePass {
  /// Whether there are no records, an envelope at most.
  var isEmpty: Bool { records == 0 || isEnvelopeAlone }

  /// Whether the only record is what a sender answers that has none.
  var isEnvelopeAlone: Bool {
    records == 1 && nonconforming == 0 && layout.areObjectsAtTop && inference.root.isEmptyAnswer
  }
}

extension FoundLocation {
  /// The place in plain words, with the width of rows that nothing names.
  fileprivate var plain: String {
    switch record {
    case .rows(let names, _), .delimited(_, let names?): "\(description), of \(names.count) columns"
    default: description
    }
  }
}

extension InferredNode {
  /// Whether a single object is what a sender answers that has no rows: `count` is 0, or its only array is empty.
  fileprivate var isEmptyAnswer: Bool {
    guard let count = children.first(where: { $0.name == "count" })?.values else { return hasEmptyArrayAlone }
    return count.count == 1 && count.smallest == 0 && count.largest == 0
  }

  /// Rows of a known name, or the only array, hold nothing; names of columns may stand beside them.
  private var hasEmptyArrayAlone: Bool {
    let arrays = children.filter { $0.values.arrays > 0 }
    let empty = arrays.filter { $0.values.emptyArrays == 1 }
    if arrays.count == 1, empty.count == 1, children.allSatisfy({ $0.values.structures == $0.values.arrays })
    {
      return true
    }
    let rows: Set<String> = ["data", "rows", "results", "items", "records", "features", "values", "entries"]
    let names: Set<String> = ["fields", "columns", "links"]
    return empty.contains { rows.contains($0.name) }
      && arrays.allSatisfy { $0.values.emptyArrays == 1 || names.contains($0.name) }
  }
}
