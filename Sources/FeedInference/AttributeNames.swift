internal import FeedReading
internal import ImportModel

/// Names for attributes, from the keys that lead to their values.
enum AttributeNames {
  /// A name for each path: of its last key, and of as many keys before it as it takes to be told apart, or to say anything:
  /// `customer/id` is the customer's.
  ///
  /// SQLite ignores case, so names that differ by case only are alike.
  static func names(for paths: [[String]]) -> [String] {
    var taken = paths.map { isBare($0) ? 2 : 1 }
    while true {
      let names = zip(paths, taken).map { name(of: $0.suffix($1)) }
      let groups = Dictionary(grouping: names.indices) { names[$0].lowercased() }
      let longer = groups.values.filter { $0.count > 1 }.joined().filter { taken[$0] < paths[$0].count }
      guard !longer.isEmpty else { return numbered(names) }
      for index in longer { taken[index] += 1 }
    }
  }

  /// Whether a path's last key says nothing without the one before it, and that one does.
  private static func isBare(_ path: [String]) -> Bool {
    guard path.count > 1, let last = path.last else { return false }
    return bare.contains(last.lowercased()) && !wrappers.contains(path[path.count - 2].lowercased())
      && Int(path[path.count - 2]) == nil
  }

  private static let bare: Set<String> = [
    "id", "name", "type", "code", "value", "key", "title", "label", "text", "status", "number", "count",
    "size",
    "bytes", "url", "href", "kind", "description",
  ]

  /// Objects that hold a record's fields, and are nothing of their own.
  private static let wrappers: Set<String> = [
    "properties", "attributes", "fields", "data", "record", "item", "result", "values", "object",
  ]

  /// `lat-dir` as `latDir`, `kilometers/estimated_diameter_min` as `kilometersEstimatedDiameterMin`.
  static func name(of keys: ArraySlice<String>) -> String {
    var name = ""
    for word in keys.flatMap({ NameWords.of($0) }) {
      // A word in capitals alone is an abbreviation.
      let isShouting = !word.contains(where: \.isLowercase)
      let rest = isShouting ? word.dropFirst().lowercased() : String(word.dropFirst())
      name += (name.isEmpty ? word.prefix(1).lowercased() : word.prefix(1).uppercased()) + rest
    }
    // A key of YAML may have 1,024 characters; a server's column has a name of 63 bytes at most, and people read it.
    name = String(String.UnicodeScalarView(name.unicodeScalars.prefix(longest)))
    while name.utf8.count > longest { name.unicodeScalars.removeLast() }
    guard let first = name.first else { return "value" }
    if !first.isLetter { name = "value" + name }
    return reserved.contains(name.lowercased()) ? name + "Value" : name
  }

  /// Bytes, without what may stand before and behind.
  private static let longest = 56

  /// Names that SQLite gives to its own row number, and those of the columns that each table of PostgreSQL's has.
  private static let reserved: Set<String> = [
    "rowid", "oid", "ctid", "xmin", "cmin", "xmax", "cmax", "tableoid",
  ]

  private static func numbered(_ names: [String]) -> [String] {
    var all = Set(names.map { $0.lowercased() })
    var seen: Set<String> = []
    return names.map { name in
      if seen.insert(name.lowercased()).inserted { return name }
      var number = 2
      while !all.insert("\(name)\(number)".lowercased()).inserted { number += 1 }
      return "\(name)\(number)"
    }
  }
}

/// The names of a new pipeline and its entity, from the inputs' names.
struct FeedName {
  /// `CneosFireball`
  var entity: String
  /// `cneos-fireball`
  var pipeline: String

  /// Names them by the words with which all inputs begin, or else by the first input.
  ///
  /// - Parameter inputs: paths or labels; none for an input without a name.
  init(inputs: [String]) {
    let all = inputs.map(Self.words)
    let first = all.first ?? []
    let common = first.indices.prefix { index in all.allSatisfy { $0.dropFirst(index).first == first[index] }
    }
    let words = common.isEmpty ? first : Array(first[..<common.endIndex])
    guard let name = words.first else {
      entity = "Record"
      pipeline = "record"
      return
    }
    entity = words.map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }.joined()
    if name.first?.isLetter != true { entity = "Record" + entity }
    pipeline = words.map { $0.lowercased() }.joined(separator: "-")
    // Tables that begin so are SQLite's own, or Bolide's.
    if ["sqlite", "bolide"].contains(words[0].lowercased()), words.count == 1 { entity += "Record" }
  }

  /// The words of an input's name that say what it is.
  private static func words(of input: String) -> [String] {
    let file = input.split(separator: "/").last ?? ""
    let stem = file.split(separator: ".", omittingEmptySubsequences: false)
    let endings = stem.reversed().prefix { Self.endings.contains($0.lowercased()) }.count
    let base = stem.dropLast(min(endings, max(stem.count - 1, 0))).joined(separator: "-")
    let all = NameWords.of(base).map { $0.filter { $0.isASCII && ($0.isLetter || $0.isNumber) } }.filter {
      !$0.isEmpty
    }
    // A date says which file it is, not what the records are.
    return all.enumerated().filter { !isDate($0.element, after: all.prefix($0.offset)) }.map(
      \.element)
  }

  /// Whether a word is a date, or a part of the one that the words before it begin: `2026-05`, `20250409T224035Z`.
  private static func isDate(_ word: String, after words: ArraySlice<String>) -> Bool {
    if word.wholeMatch(of: #/(19|20)\d\d((0\d|1[0-2])([0-3]\d(T\d{4,6}Z?)?)?)?/#) != nil { return true }
    return word.count <= 2 && word.allSatisfy(\.isNumber)
      && (words.last.map { isDate($0, after: words.dropLast()) } ?? false)
  }

  private static let endings: Set<String> = [
    "json", "jsonl", "ndjson", "geojson", "gz", "gzip", "zst", "zstd", "txt", "api", "jsonlines", "csv",
    "tsv", "tab",
  ]
}
