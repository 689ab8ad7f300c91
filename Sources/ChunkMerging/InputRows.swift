package import ImportModel
package import StoreInterface
package import TypedRows

/// Notes which rows each input of a run has met, and what became of its records.
package struct InputRows {
  /// What one input did.
  package struct Input {
    /// The rows that its records have met, and those of each list of children: ranges of ids, in order.
    package var rows: [[ClosedRange<Int64>]]
    package var counts: [ChunkCounts]
    /// How far the store's history went when its first chunk was to be applied.
    package var start: Int64 = 0
    /// How far it went when its last chunk was applied.
    package var end: Int64 = 0
    /// Whether to read it again would change nothing right behind it.
    package var isKnown = true
    /// Whether a later input of the run has changed one of its rows again.
    package fileprivate(set) var isOvertaken = false

    package init(lists: Int) {
      rows = Array(repeating: [], count: lists)
      counts = Array(repeating: ChunkCounts(), count: lists)
    }
  }

  /// So many inputs of a pipeline are known, the newest ones, and none that no run of so many days had.
  package static let mostInputs = 10_000
  package static let days = 30
  /// Inputs whose rows would take more ranges, 16 MiB in all, are read again.
  private static let mostRanges = 1 << 20
  private let lists: Int
  private var inputs: [Int: Input] = [:]
  private var ranges = 0

  /// - Returns: nil where what a record does depends on others of its run, or on more than the rows that it meets.
  package init?(_ pipeline: Pipeline, _ layout: ChunkLayout) {
    guard layout.repeatedKeyPolicy == .last, pipeline.mergePolicy != .fail,
      pipeline.children.allSatisfy({ pipeline.pipelineOfLinks(to: $0) == nil })
    else { return nil }
    lists = 1 + layout.children.count
  }

  /// The input at a place among the run's; one without a record has met nothing.
  package func input(_ place: Int) -> Input { inputs[place] ?? Input(lists: lists) }

  /// Notes what a chunk did that was applied just now.
  ///
  /// - Parameters:
  ///   - met: for each list, the objects that the chunk's rows have met, by row; 0 for none.
  ///   - counts: of each list.
  ///   - start: how far history went when the chunk was to be applied.
  ///   - end: how far it went when that was done.
  package mutating func note(
    _ chunk: Chunk, met: [[Int64]], counts: [ChunkCounts], from start: Int64, to end: Int64
  ) {
    guard let places = chunk.inputs else { return }
    let chunks = [chunk] + chunk.children
    for place in places.first...places.last {
      if inputs[place] == nil {
        inputs[place] = Input(lists: lists)
        inputs[place]?.start = start
      }
      inputs[place]?.end = end
    }
    for reject in chunks.flatMap(\.rejects) {
      inputs[chunk.input(ofRecord: reject.record)]?.isKnown = false
    }
    if places.first == places.last {
      for list in chunks.indices {
        add(met[list].filter { $0 != 0 }, counts[list], list, places.first)
      }
      return
    }
    // What an input did to another's rows in the same chunk or a later one is told apart by no number of a change.
    if counts.contains(where: { $0.repeated > 0 }) {
      for place in places.first...places.last { inputs[place]?.isKnown = false }
    }
    for list in chunks.indices { share(chunks[list], of: chunk, met[list], list) }
  }

  /// Notes that somebody else has written between a chunk and the one before: an input that goes on from there is read again.
  package mutating func interrupt(_ chunk: Chunk) {
    if let places = chunk.inputs { inputs[places.first]?.isKnown = false }
  }

  /// Notes which inputs have met objects that were changed behind them.
  ///
  /// - Parameters:
  ///   - ids: the objects.
  ///   - lists: those whose rows are of their entity.
  ///   - chunk: the one that changed them; what it does to its own inputs' rows, `note` knows. Nil where none did.
  package mutating func overtake(_ ids: [Int64], of lists: [Int], by chunk: Chunk? = nil) {
    if ids.isEmpty { return }
    let own = chunk?.inputs.map { $0.first...$0.last }
    for (place, input) in inputs where own?.contains(place) != true {
      if lists.contains(where: { list in ids.contains { input.rows[list].contain($0) } }) {
        inputs[place]?.isOvertaken = true
      }
    }
  }

  /// Notes the rows of one list of a chunk that holds records of several inputs. One whose row another took the place of,
  /// or was left alone, is read again.
  private mutating func share(_ rows: Chunk, of chunk: Chunk, _ met: [Int64], _ list: Int) {
    var isApplied = [Bool](repeating: false, count: rows.count)
    for row in rows.order { isApplied[Int(row)] = true }
    var ids: [Int] = []
    ids.reserveCapacity(rows.count)
    for row in 0..<rows.count {
      let place = chunk.input(ofRow: list == 0 ? row : Int(rows.lineage[row].record))
      ids.append(place)
      if !isApplied[row] || met[row] == 0 { inputs[place]?.isKnown = false }
    }
    var start = 0
    for end in 1...max(1, ids.count) where end == ids.count || end < ids.count && ids[end] != ids[start] {
      var counts = ChunkCounts()
      (counts.read, counts.unchanged) = (end - start, end - start)
      add(Array(met[start..<end]), counts, list, ids[start])
      start = end
    }
  }

  private mutating func add(_ ids: [Int64], _ counts: ChunkCounts, _ list: Int, _ place: Int) {
    guard var input = inputs.removeValue(forKey: place) else { return }
    defer { inputs[place] = input }
    input.counts[list] += counts
    guard input.isKnown else { return }
    ranges -= input.rows[list].count
    input.rows[list] = input.rows[list].adding(ids)
    ranges += input.rows[list].count
    if ranges > Self.mostRanges {
      ranges -= input.rows.reduce(0) { $0 + $1.count }
      (input.isKnown, input.rows) = (false, Array(repeating: [], count: lists))
    }
  }
}

extension [ClosedRange<Int64>] {
  /// Whether one of the ranges, which are in order, has an id.
  fileprivate func contain(_ id: Int64) -> Bool {
    let place = partitioningIndex { $0.upperBound >= id }
    return place < count && self[place].contains(id)
  }

  /// The same ranges and some ids, in order and without overlaps.
  fileprivate func adding(_ ids: [Int64]) -> Self {
    var merged: Self = []
    var rest = ids.sorted()[...]
    for range in self {
      while let id = rest.first, id < range.lowerBound {
        merged.join(id...id)
        rest.removeFirst()
      }
      merged.join(range)
    }
    for id in rest { merged.join(id...id) }
    return merged
  }

  /// Adds a range that begins no earlier than the last one.
  private mutating func join(_ range: ClosedRange<Int64>) {
    if let last, range.lowerBound <= last.upperBound || range.lowerBound - 1 == last.upperBound {
      self[count - 1] = last.lowerBound...Swift.max(last.upperBound, range.upperBound)
    } else {
      append(range)
    }
  }
}

// Counts as a store keeps them of an input: a run that skips it finds every row unchanged.
extension ChunkCounts {
  /// The counts that a store has kept.
  package init(known: [Int]) {
    self.init()
    guard known.count == 5 else { return }
    (read, unchanged, ignored, duplicates, superseded) = (known[0], known[1], known[2], known[3], known[4])
  }

  /// What a store keeps of them.
  package var known: [Int] {
    let counts = allUnchanged
    return [counts.read, counts.unchanged, counts.ignored, counts.duplicates, counts.superseded]
  }
}
