internal import ImportModel
internal import JSONStream

/// Where a survey found the records, as a pipeline says it.
struct FoundPlace {
  /// What the pipeline says.
  var record: RecordPlace
  /// What was found, in plain words.
  var description: String

  /// The name that stands for the keys of a map until it is known what they are.
  static let wildcard = "<key>"

  /// Puts what a survey found into a pipeline's words.
  init(_ pass: SurveyPass) {
    description = Self.plain(pass.description, keys: pass.envelope.keys, records: pass.records)
    let path = Self.path(in: description)
    if description.hasPrefix("one object a line") {
      record = .lines
    } else if description.hasPrefix("objects under "), let path {
      record = .path(path)
    } else {
      record = description == "rows under data, named by fields" ? .columnar : .automatic
    }
  }

  /// A reader's description of what it found, without what it would have taken too.
  ///
  /// - Parameter keys: the keys of the outermost object.
  static func plain(_ description: String, keys: [String], records: Int) -> String {
    if description.hasPrefix("one object"), records == 1 { return "one object" }
    guard let names = description.firstRange(of: ", named by ")?.upperBound else { return description }
    let sources = description[names...].split(separator: " or ").map(String.init)
    let present = sources.filter { source in keys.contains { source == $0 || source.hasPrefix($0 + "/") } }
    return present.isEmpty ? description : description[..<names] + present.joined(separator: " or ")
  }

  init(_ record: RecordPlace, _ description: String) {
    self.record = record
    self.description = description
  }

  /// Whether the records are the values of a map, or stand in them.
  var hasWildcard: Bool {
    if case .path(let path) = record {
      path.split(separator: "/").contains("\(Self.wildcard)")
    } else {
      false
    }
  }

  /// Gives the map's keys a name.
  mutating func name(wildcard name: String) {
    guard case .path(let path) = record else { return }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    record = .path(parts.map { $0 == Self.wildcard ? "<\(name)>" : String($0) }.joined(separator: "/"))
    description = description.replacing(Self.wildcard, with: "<\(name)>")
  }

  /// The path after `under` in a reader's description.
  static func path(in description: String) -> String? {
    guard let start = description.firstRange(of: " under ")?.upperBound else { return nil }
    let end = description.firstRange(of: ", named by ")?.lowerBound ?? description.endIndex
    return start < end ? String(description[start..<end]) : nil
  }
}
