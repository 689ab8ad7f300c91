internal import ImportModel
import Yams

/// Reads the parts of a pipeline file by what their place says they are, and gathers everything that is
/// wrong.
///
/// Every scalar is read as the text that the file shows: YAML's own idea of types (`no` is false, `012` is
/// ten) is never asked.
struct YAMLReader {
  /// What is wrong so far.
  private(set) var problems: [PipelineProblem] = []
  /// Where the parts stand.
  private(set) var sourceMap: SourceMap
  /// Parts that are in the file but could not be read: what is missing there is no problem of its own.
  private(set) var unread: Set<[String]> = []

  private let document: YAMLDocument
  private let file: String
  private var partsLeft = maximumParts

  /// More parts than this come from aliases of aliases only.
  private static let maximumParts = 100_000

  init(_ document: YAMLDocument, file: String) {
    self.document = document
    self.file = file
    sourceMap = SourceMap(file: file)
  }

  /// Books a problem at a place.
  mutating func report(_ message: Message, at place: PipelineProblem.Location) {
    problems.append(PipelineProblem(file: file, location: place, message: message.text))
  }

  /// Books a part as one that could not be read.
  mutating func leaveUnread(_ path: [String]) {
    unread.insert(path)
  }

  /// Remembers where a part stands that the file only implies.
  mutating func note(_ path: [String], at place: PipelineProblem.Location) {
    sourceMap.note(path, at: place)
  }

  // MARK: Mappings

  /// The entries of a mapping from names to parts, in the file's order; nil when it is not one.
  mutating func entries(of part: YAMLPart) -> [(name: String, part: YAMLPart)]? {
    guard let mapping = part.node.mapping else {
      report(.notAMapping(subject(of: part)), at: part.place)
      leaveUnread(part.path)
      return nil
    }
    var entries: [(name: String, part: YAMLPart)] = []
    var firstLines: [String: Int] = [:]
    for (key, value) in mapping {
      let place = key.mark.map(PipelineProblem.Location.init) ?? part.place
      guard partsLeft > 0 else {
        if partsLeft == 0 {
          report(.tooManyParts(Self.maximumParts), at: place)
        }
        partsLeft = -1
        return nil
      }
      partsLeft -= 1
      guard let name = document.text(ofKey: key) else {
        report(.keyNotText, at: place)
        continue
      }
      if name == "<<", key.scalar?.style == .plain {
        report(.mergeKey, at: place)
        continue
      }
      if let line = firstLines[name] {
        report(.keyTwice(name, firstOn: line), at: place)
        continue
      }
      firstLines[name] = place.line
      let path = part.path + [name]
      sourceMap.note(path, at: place)
      entries.append((name, YAMLPart(path: path, node: value, place: place)))
    }
    return entries
  }

  /// The settings in a mapping with known keys; a key that is none of the section's is a problem.
  mutating func settings(of part: YAMLPart, allowed section: FormatSection) -> [String: YAMLPart]? {
    guard let entries = entries(of: part) else { return nil }
    let allowed = PipelineFormat.keys(of: section).names
    var settings: [String: YAMLPart] = [:]
    for (name, part) in entries {
      guard allowed.contains(name) else {
        report(.unknownKey(name, among: allowed), at: part.place)
        continue
      }
      var setting = part
      // A sentence about a setting points at its value, where it has a short one.
      if part.node.scalar != nil { setting.place = part.placeOfValue }
      sourceMap.note(setting.path, at: setting.place)
      settings[name] = setting
    }
    return settings
  }

  // MARK: Lists and texts

  /// The elements of a list; what is not a list is the only element of one.
  mutating func elements(of part: YAMLPart) -> [YAMLPart] {
    guard let sequence = part.node.sequence else {
      return [YAMLPart(path: part.path + ["0"], node: part.node, place: part.place)]
    }
    partsLeft -= sequence.count
    guard partsLeft > 0 else {
      report(.tooManyParts(Self.maximumParts), at: part.place)
      partsLeft = -1
      return []
    }
    return sequence.enumerated().map { index, node in
      var element = YAMLPart(path: part.path + ["\(index)"], node: node, place: part.place)
      element.place = element.placeOfValue
      sourceMap.note(element.path, at: element.place)
      return element
    }
  }

  /// The text of a part; nil, with a problem booked, when it has none.
  ///
  /// Only quotes make an empty text.
  mutating func text(_ part: YAMLPart, emptyAllowed: Bool = false) -> String? {
    if let scalar = part.node.scalar {
      let text = document.text(of: scalar)
      if !text.isEmpty || (emptyAllowed && scalar.style != .plain) { return text }
      report(.emptyText(subject(of: part)), at: part.place)
    } else {
      report(.notAText(subject(of: part)), at: part.place)
    }
    leaveUnread(part.path)
    return nil
  }

  /// The texts of a list, or the one text that stands in its place; nil when one of them cannot be read.
  mutating func texts(_ part: YAMLPart, emptyAllowed: Bool = false) -> [String]? {
    let elements = elements(of: part)
    let texts = elements.compactMap { text($0, emptyAllowed: emptyAllowed) }
    guard texts.count == elements.count else {
      leaveUnread(part.path)
      return nil
    }
    return texts
  }

  /// `true` or `false`, in just this spelling.
  mutating func boolean(_ part: YAMLPart) -> Bool? {
    choice(part, among: [("true", true), ("false", false)])
  }

  /// A whole number, in decimal digits, within a range.
  mutating func number(_ part: YAMLPart, in range: ClosedRange<Int>) -> Int? {
    guard let text = text(part) else { return nil }
    if let number = Int(text), range.contains(number), String(number) == text { return number }
    report(.notANumber(subject(of: part), in: range, text), at: part.place)
    return nil
  }

  /// One of a few words.
  mutating func choice<Choice>(_ part: YAMLPart, among choices: [(word: String, choice: Choice)]) -> Choice? {
    guard let text = text(part) else { return nil }
    if let choice = choices.first(where: { $0.word == text })?.choice { return choice }
    report(.notAChoice(subject(of: part), among: choices.map(\.word), text), at: part.place)
    return nil
  }

  /// What a sentence calls a part: the last name on its way.
  func subject(of part: YAMLPart) -> String {
    guard let name = part.path.last(where: { Int($0) == nil }) else { return "a pipeline file" }
    return "'\(name)'"
  }
}
