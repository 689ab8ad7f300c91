/// What is wrong with a pipeline: every problem at once.
public struct PipelineError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problems, in the order of their places.
  public var problems: [PipelineProblem]

  /// Makes an error of at least one problem.
  package init(problems: [PipelineProblem]) {
    self.problems = problems
  }

  /// One line a problem.
  public var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}

/// One thing that is wrong with a pipeline.
public struct PipelineProblem: Sendable, Hashable, CustomStringConvertible {
  /// A place in a text file.
  public struct Location: Sendable, Hashable, Encodable {
    /// The line, from 1.
    public var line: Int
    /// The column, from 1, in characters.
    public var column: Int

    /// Makes a place.
    public init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }
  }

  /// The file, or the pipeline's name when it was built in code.
  public var file: String
  /// The place in the file, if it has one.
  public var location: Location?
  /// The sentence: what is wrong, and what is meant instead where that can be guessed.
  public var message: String
  /// Whether the system would not read the file: that is no fault of its text.
  package var isUnread = false

  package init(file: String, location: Location?, message: String) {
    self.file = file
    self.location = location
    self.message = message
  }

  /// `file:line:column: message`.
  public var description: String {
    guard let location else { return "\(file): \(message)" }
    return "\(file):\(location.line):\(location.column): \(message)"
  }
}

/// Where the parts of a pipeline stand in its file.
///
/// A part is named by its way through the file's keys, such as `entities/FireballGroup/attributes/year`. A
/// part without a place of its own stands where the nearest part around it does.
package struct SourceMap: Sendable, Hashable, Encodable {
  /// The file as the user named it.
  package var file: String?
  private var locations: [String: PipelineProblem.Location] = [:]

  package init(file: String? = nil) {
    self.file = file
  }

  /// Remembers where a part stands.
  package mutating func note(_ part: [String], at location: PipelineProblem.Location) {
    locations[part.joined(separator: "/")] = location
  }

  /// Whether a part has a place of its own.
  package func contains(_ part: [String]) -> Bool {
    locations[part.joined(separator: "/")] != nil
  }

  /// Where a part stands, or the nearest part around it.
  package func location(of part: [String]) -> PipelineProblem.Location? {
    var part = part[...]
    while true {
      if let location = locations[part.joined(separator: "/")] { return location }
      if part.popLast() == nil { return nil }
    }
  }
}

extension [PipelineProblem] {
  /// The problems in the order of their places, each once.
  ///
  /// Those without a place come first.
  package func sortedByLocation() -> [PipelineProblem] {
    let start = PipelineProblem.Location(line: 0, column: 0)
    var seen: Set<PipelineProblem> = []
    return enumerated().sorted { a, b in
      let (here, there) = (a.element.location ?? start, b.element.location ?? start)
      return (here.line, here.column, a.offset) < (there.line, there.column, b.offset)
    }
    .map(\.element).filter { seen.insert($0).inserted }
  }
}
