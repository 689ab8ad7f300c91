internal import ImportModel
internal import SQLiteStore

/// Finds the attributes that identify a record: one, or else two together.
struct KeySearch {
  /// Attributes that could be the key, by index, the likeliest first.
  private let candidates: [(index: Int, rank: Int)]
  private let draft: Pipeline
  private let source: SurveySource
  /// Of children, which list of the draft's they are; nil for the records.
  private let list: Int?

  private static let mostCandidates = 12
  private static let mostInPairs = 8

  /// - Parameter list: of children, which list of the draft's they are: their key is theirs among those of one record.
  init(
    _ attributes: [DraftAttribute], records: Int, _ draft: Pipeline, _ source: SurveySource, list: Int? = nil
  ) {
    self.draft = draft
    self.source = source
    self.list = list
    let ranked = attributes.indices.map { (index: $0, rank: attributes[$0].keyRank(of: records)) }
    candidates = ranked.filter { $0.rank > 0 }.sorted { ($1.rank, $0.index) < ($0.rank, $1.index) }
      .prefix(Self.mostCandidates).map { $0 }
  }

  /// The key that is proposed, with the evidence; nil when no attribute could be one.
  func key() throws -> KeyFinding? {
    guard !candidates.isEmpty else { return nil }
    let singles = try count(candidates.map { [$0.index] })
    if var unique = singles.first(where: \.isUnique) {
      unique.others = singles.filter(\.isUnique).dropFirst().flatMap(\.attributes)
      return unique
    }
    let pairs = try count(self.pairs(singles))
    if let unique = pairs.first(where: \.isUnique) { return unique }
    // Nothing is unique: the one with the fewest repeats, counted to the end.
    let best = (singles + pairs).min { $0.shareOfRepeats < $1.shareOfRepeats }
    return try best.flatMap { try count([$0.attributes], toTheEnd: true).first }
  }

  /// Pairs of attributes, the likeliest first: an attribute of few values tells little, whatever its name.
  private func pairs(_ singles: [KeyFinding]) -> [[Int]] {
    let weighed = zip(candidates, singles).map { candidate, finding in
      (index: candidate.index, weight: Double(candidate.rank) * (1 - finding.shareOfRepeats))
    }
    let best = weighed.sorted { $0.weight > $1.weight }.prefix(Self.mostInPairs)
    var pairs: [(key: [Int], weight: Double)] = []
    for (place, second) in best.enumerated() {
      for first in best.prefix(place) {
        pairs.append(([first.index, second.index], first.weight + second.weight))
      }
    }
    return pairs.sorted { $0.weight > $1.weight }.map(\.key)
  }

  private func count(_ keys: [[Int]], toTheEnd: Bool = false) throws -> [KeyFinding] {
    guard !keys.isEmpty else { return [] }
    var trial = try FeedTrial(draft, try source.open())
    var counters = keys.map { _ in KeyCounter() }
    var alive = Set(keys.indices)
    var chunks = 0
    try trial.run { chunk, rows in
      chunks += 1
      let children = list.map { chunk.children[$0] }
      for row in children?.acceptedRows ?? rows {
        for index in alive {
          let digest =
            children.map { $0.digest(of: keys[index], child: row, ofChunk: chunks) }
            ?? chunk.digest(of: keys[index], row: row)
          guard let digest else { continue }
          counters[index].take(digest, limit: KeyCounter.budget / alive.count)
        }
      }
      guard !toTheEnd else { return }
      for index in alive where counters[index].isHopeless {
        counters[index].stop()
        alive.remove(index)
      }
    }
    let read = list.map { trial.children[$0].read - trial.children[$0].refused } ?? trial.read - trial.refused
    return zip(keys, counters).map { KeyFinding(attributes: $0, counter: $1, read: read) }
  }
}

extension Chunk {
  /// A hash of the values that a child has in some columns, and of its record.
  fileprivate func digest(of columns: [Int], child row: Int, ofChunk number: Int) -> Int? {
    guard let digest = digest(of: columns, row: row) else { return nil }
    var hasher = Hasher()
    hasher.combine(digest)
    hasher.combine(number)
    hasher.combine(lineage[row].parent)
    return hasher.finalize()
  }
}

/// A key, and what speaks for it.
struct KeyFinding {
  /// The attributes, by index.
  var attributes: [Int]
  var looked: Int
  var repeats: Int
  /// One in so many keys was looked at.
  var share: Int
  /// Other attributes that no two records have alike.
  var others: [Int] = []
  /// Records in the input that would land.
  var read: Int

  init(attributes: [Int], counter: KeyCounter, read: Int) {
    self.attributes = attributes
    looked = counter.looked
    repeats = counter.repeats
    share = counter.share
    self.read = read
  }

  var isUnique: Bool { repeats == 0 && looked > 0 }

  var shareOfRepeats: Double { looked > 0 ? Double(repeats) / Double(looked) : 1 }

  /// The evidence in a few words.
  var evidence: String {
    if read == 1 { return "there is one record only" }
    let all = "\(read.grouped) records"
    if share > 1 {
      let sample = "among one in \(share.grouped) of the keys of \(all)"
      return isUnique
        ? "unique \(sample)" : "not unique: \(repeats.grouped) repeat \(sample); the last one counts"
    }
    if isUnique { return "unique in all \(all)" }
    let records = repeats == 1 ? "1 record has" : "\(repeats.grouped) records have"
    return "not unique: \(records) the key of an earlier one, out of \(looked.grouped); the last one counts"
  }
}
