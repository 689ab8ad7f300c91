internal import StoreInterface
internal import TypedRows

/// Notes which rows each input of a run has met, and what became of its records.
struct InputRows {
  /// What one input did.
  struct Input {
    /// The rows that its records have met, and those of each list of children: ranges of ids, in order.
    var rows: [[ClosedRange<Int64>]]
    var counts: [ChunkCounts]
    /// The last change when its last chunk was applied.
    var change: Int64 = 0
    /// Whether to read it again would change nothing right behind it.
    var isKnown = true

    init(lists: Int) {
      rows = Array(repeating: [], count: lists)
      counts = Array(repeating: ChunkCounts(), count: lists)
    }
  }

  /// Inputs whose rows would take more ranges, 16 MiB in all, are read again.
  private static let mostRanges = 1 << 20
  private let lists: Int
  private var inputs: [Int: Input] = [:]
  private var ranges = 0

  /// - Parameter lists: one for the records, and one for each list of children.
  init(lists: Int) {
    self.lists = lists
  }

  /// The input at a place among the run's; one without a record has met nothing.
  func input(_ place: Int) -> Input { inputs[place] ?? Input(lists: lists) }

  /// Notes what a chunk did that was applied just now.
  ///
  /// - Parameters:
  ///   - met: for each list, the objects that the chunk's rows have met, by row; 0 for none.
  ///   - counts: of each list.
  ///   - change: the last change that was made.
  mutating func note(_ chunk: Chunk, met: [[Int64]], counts: [ChunkCounts], change: Int64) {
    guard let places = chunk.inputs else { return }
    let chunks = [chunk] + chunk.children
    for place in places.first...places.last { inputs[place, default: Input(lists: lists)].change = change }
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
