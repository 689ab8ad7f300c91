/// The problems that checks find in a pipeline's meaning.
struct ProblemList {
  /// The problems so far.
  private(set) var problems: [PipelineProblem] = []

  private let file: String
  private let sourceMap: SourceMap
  private let unread: Set<[String]>

  /// Makes an empty list.
  ///
  /// - Parameter unread: Parts of the file that could not be read. A sentence that rests on one of them would
  ///   be a second sentence about one mistake, and is left out.
  init(_ pipeline: Pipeline, unread: Set<[String]>) {
    file = pipeline.sourceMap.file ?? pipeline.name
    sourceMap = pipeline.sourceMap
    self.unread = unread
  }

  /// Books a problem of a part.
  ///
  /// - Parameter others: the other parts that the sentence rests on.
  mutating func add(_ message: Message, at part: [String], restingOn others: [[String]] = []) {
    guard !isUnread(part), !others.contains(where: isUnread) else { return }
    problems.append(
      PipelineProblem(file: file, location: sourceMap.location(of: part), message: message.text))
  }

  /// Whether a part, or one around it, could not be read.
  private func isUnread(_ part: [String]) -> Bool {
    (0...part.count).contains { unread.contains(Array(part.prefix($0))) }
  }
}

extension Pipeline {
  /// The way through the file's keys to an entity: the top level for the one that records become.
  package func part(of entity: String) -> [String] {
    if entity == self.entity { return [] }
    return children(becoming: entity).map(part) ?? ["entities", entity]
  }

  /// The way through the file's keys to some children.
  package func part(of children: Children) -> [String] {
    let last = ["children", children.relationship]
    guard let within = children.within, within != entity else { return last }
    guard let holder = self.children(becoming: within) else { return part(of: within) + last }
    return (holder == children ? [] : part(of: holder)) + last
  }

  /// The way through the file's keys to an attribute.
  package func part(of entity: String, attribute: String) -> [String] {
    part(of: entity) + ["attributes", attribute]
  }

  /// The way through the file's keys to a relationship.
  package func part(of entity: String, relationship: String) -> [String] {
    part(of: entity) + ["relationships", relationship]
  }

  /// The way through the file's keys to a fetched property.
  package func part(of entity: String, fetched property: String) -> [String] {
    part(of: entity) + ["fetched", property]
  }
}

extension String {
  /// The text as SQLite compares names: without the case of ASCII letters.
  package var caseFolded: String {
    String(
      decoding: utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
