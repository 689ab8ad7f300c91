internal import FeedReading
internal import ImportModel
internal import TypedRows

/// Finds the attributes that identify a record: as few of them as lose no record of the input.
struct KeySearch {
  /// Attributes that could be the key, by index, the likeliest first.
  private let candidates: [(index: Int, rank: Int)]
  private let draft: Pipeline
  private let sources: [InferenceSource]
  /// Of children, which list of the draft's they are; nil for the records.
  private let list: Int?

  /// Keys that are counted in one reading of the input.
  private static let mostAtOnce = 24
  private static let mostInPairs = 8
  private static let mostTogether = 4

  /// - Parameters:
  ///   - records: how many there are, with the attributes or without them.
  ///   - list: of children, which list of the draft's they are: their key is theirs among those of one record.
  init(
    _ attributes: [DraftAttribute], of records: Int, _ draft: Pipeline, _ sources: [InferenceSource],
    list: Int? = nil
  ) {
    self.draft = draft
    self.sources = sources
    self.list = list
    func ranked(isLast: Bool) -> [(index: Int, rank: Int)] {
      let ranked = attributes.indices.map { (index: $0, rank: attributes[$0].keyRank(isLast: isLast)) }
      return ranked.filter { $0.rank > 0 }.sorted { ($1.rank, $0.index) < ($0.rank, $1.index) }
    }
    let likely = ranked(isLast: false)
    let all = likely.isEmpty ? ranked(isLast: true) : likely
    // Of those that too many records are without, which are a part of the key at best, the likeliest will do.
    func isWhole(_ index: Int) -> Bool {
      !KeyCounter.isHopeless(lost: 1 - Double(attributes[index].count) / Double(records), of: records)
    }
    let gaps = all.filter { !isWhole($0.index) }
      .sorted { $0.rank * attributes[$0.index].count > $1.rank * attributes[$1.index].count }
    candidates = all.filter { isWhole($0.index) } + gaps.prefix(Self.mostAtOnce)
  }

  /// The key that is proposed, with the evidence; nil when there is no attribute that could be one.
  func key() throws -> KeyFinding? {
    guard !candidates.isEmpty else { return nil }
    var singles: [KeyFinding] = []
    for start in stride(from: 0, to: candidates.count, by: Self.mostAtOnce) {
      singles += try count(candidates[start...].prefix(Self.mostAtOnce).map { [$0.index] })
      if let unique = best(of: singles), unique.losesNothing { return try sure(unique, among: singles) }
    }
    let pairs = try count(self.pairs(singles))
    // Of keys that lose equally much the shorter one, and the likelier one, which come first.
    guard var found = best(of: singles + pairs) else { return nil }
    while !found.losesNothing, found.attributes.count < Self.mostTogether {
      let wider = try count(
        weighed(singles).map(\.index).filter { !found.attributes.contains($0) }
          .prefix(Self.mostAtOnce).map { found.attributes + [$0] })
      guard let better = best(of: wider), better.lost < found.lost else { break }
      found = better
    }
    return found.isWhole ? found : try count([found.attributes], toTheEnd: true).first
  }

  /// What speaks for a key that was chosen.
  func finding(of key: [Int]) throws -> KeyFinding? { try count([key], toTheEnd: true).first }

  private func best(of findings: [KeyFinding]) -> KeyFinding? {
    // Children that no two records share tell more than such that differ within theirs.
    if let everywhere = findings.first(where: { $0.losesNothing && $0.isUniqueEverywhere }) {
      return everywhere
    }
    return findings.min { $0.lost < $1.lost }
  }

  private func sure(_ unique: KeyFinding, among singles: [KeyFinding]) throws -> KeyFinding? {
    var unique = unique
    unique.others = singles.filter { $0.losesNothing && $0.attributes != unique.attributes }.flatMap(
      \.attributes)
    return unique
  }

  /// The likeliest attributes first: one of few values tells little, whatever its name.
  private func weighed(_ singles: [KeyFinding]) -> [(index: Int, weight: Double)] {
    zip(candidates, singles).map { candidate, finding in
      (index: candidate.index, weight: Double(candidate.rank) * (1 - finding.lost))
    }
    .sorted { $0.weight > $1.weight }
  }

  private func pairs(_ singles: [KeyFinding]) -> [[Int]] {
    // A likely name is not always what tells most.
    let telling = zip(candidates, singles).sorted { $0.1.lost < $1.1.lost }.prefix(Self.mostInPairs / 2)
    let likely = weighed(singles).prefix(Self.mostInPairs)
    let best =
      likely
      + zip(telling.map(\.0.index), telling.map { Double($0.0.rank) * (1 - $0.1.lost) })
      .map { (index: $0, weight: $1) }.filter { one in !likely.contains { $0.index == one.index } }
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
    var trial = try FeedTrial(draft, sources[0].open(), then: sources.dropFirst())
    var counters = keys.map { _ in (within: KeyCounter(), everywhere: KeyCounter()) }
    var alive = Set(keys.indices)
    var (chunks, lists) = (0, 0)
    let limit = KeyCounter.budget / keys.count / (list == nil ? 1 : 2)
    try trial.run { chunk, rows in
      chunks += 1
      let records = list.map { chunk.children[$0] } ?? chunk
      for row in list == nil ? rows : records.acceptedRows {
        let whole = records.digestOfAll(row: row)
        if list != nil, records.lineage[row].number == 1 { lists += 1 }
        for index in alive {
          let digest = records.digest(of: keys[index], row: row)
          guard list != nil else {
            counters[index].within.take(digest, record: whole, limit: limit)
            continue
          }
          counters[index].everywhere.take(digest, record: row, limit: limit)
          let inRecord = digest.map { records.digest($0, ofChild: row, ofChunk: chunks) }
          counters[index].within.take(inRecord, record: whole, limit: limit)
        }
      }
      guard !toTheEnd else { return true }
      for index in alive where counters[index].within.isHopeless {
        counters[index].within.stop()
        counters[index].everywhere.stop()
        alive.remove(index)
      }
      return !alive.isEmpty
    }
    return keys.indices.map { index in
      var finding = KeyFinding(attributes: keys[index], counter: counters[index].within)
      finding.isWhole = alive.contains(index)
      let everywhere = counters[index].everywhere
      finding.isUniqueEverywhere = list != nil && everywhere.repeats + everywhere.copies == 0
      finding.isWithin = list != nil && !finding.isUniqueEverywhere
      finding.isAlone = list != nil && lists == finding.read
      return finding
    }
  }
}

extension Chunk {
  /// A hash of a child's key, and of its record.
  func digest(_ digest: Int, ofChild row: Int, ofChunk number: Int) -> Int {
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
  let counter: KeyCounter
  /// Whether it was counted to the end.
  var isWhole = true
  /// Of children, whether no two have it alike, of different records either.
  var isUniqueEverywhere = false
  /// Of children, which have a key within their record.
  var isWithin = false
  /// Of children, whether each record has one only, so that nothing tells how several are told apart.
  var isAlone = false
  /// Other attributes that no two records have alike.
  var others: [Int] = []

  init(attributes: [Int], counter: KeyCounter) {
    self.attributes = attributes
    self.counter = counter
  }

  /// Records in the input.
  var read: Int { counter.offered }

  var lost: Double { counter.lost }

  /// Whether every record of the input would land, each as an object of its own, but for one that is there twice.
  var losesNothing: Bool { counter.looked > 0 && counter.keyless == 0 && counter.repeats == 0 }

  /// The evidence in a few words.
  ///
  /// - Parameter noun: what the records are called: `record`, `object`.
  func evidence(_ noun: String = "record") -> String {
    if read == 1 { return "there is one \(noun) only" }
    if isAlone { return "a guess: no record has more than one \(noun)" }
    var parts: [String] = []
    let sample = counter.share > 1 ? " among one in \(counter.share.grouped) of the keys" : ""
    if counter.repeats > 0 {
      parts.append(
        "not unique: \(Self.have(counter.repeats, noun)) the key of an earlier one\(sample), out of "
          + "\(counter.looked.grouped); the last one counts")
    } else if counter.copies > 0 {
      parts.append(
        "unique\(sample), but for \(Self.count(counter.copies, noun)) that \(counter.copies == 1 ? "is" : "are") there again, "
          + "all alike")
    } else if counter.keyless > 0 {
      parts.append("unique\(sample)")
    } else if counter.share > 1 {
      parts.append("unique\(sample) of \(read.grouped) \(noun)s")
    } else {
      parts.append(
        isWithin
          ? "unique within each record, \(Self.count(read, noun))" : "unique in all \(read.grouped) \(noun)s")
    }
    if counter.keyless > 0 {
      parts.append(
        "\(Self.have(counter.keyless, noun)) none and \(counter.keyless == 1 ? "is" : "are") rejected")
    }
    return parts.joined(separator: "; ")
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count.grouped) \(noun)s"
  }

  private static func have(_ number: Int, _ noun: String) -> String {
    count(number, noun) + (number == 1 ? " has" : " have")
  }
}
