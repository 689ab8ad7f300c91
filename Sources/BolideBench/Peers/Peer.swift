internal import Foundation

/// Another program that people use for the job today, and how it does it.
package struct Peer: Sendable {
  /// As tables call it.
  package let name: String
  /// What is run: a word on the command line.
  let program: String
  /// Its arguments; `{script}`, `{feed}`, `{file}` stand for files. A script that none of them names comes on standard
  /// input.
  let arguments: [String]
  /// The script's name in the bench's folder.
  let scriptName: String
  /// The whole program; `{feed}` stands for the feed here too.
  package let script: String
  /// Where the comparison is unfair, and to whom.
  package let unfair: String
  /// What its file is checked with, when it is not SQLite's.
  var checkedBy: String?
  /// The jobs that it does.
  var scenarios: Set<Scenario> = [.firstLoad, .again, .revised, .shuffled]
  /// What its rows are linked to, and the owners' column that they refer to.
  var owner: (BenchOwner, id: String)?

  /// Whether its program is on the path.
  package var isFound: Bool {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return needed.allSatisfy { program in
      path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }
  }

  private var needed: [String] { program == "sh" ? ["sh", "python3", "sqlite-utils"] : [program] }

  /// The program as a person would type it and read it.
  package var listing: String {
    let command = ([program] + arguments).map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ")
    let lines = script.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.isEmpty ? "" : "  \($0)"
    }
    return "\(name)\(isFound ? "" : " (not on this machine)")\n\(command)\n\(unfair)\n\n"
      + "{script}:\n\(lines.joined(separator: "\n"))"
  }

  /// Does the job, into a file that is there or not.
  func run(_ feed: BenchFeed, _ input: String, into file: String) throws -> JobOutcome {
    let path = feed.workspace.file(scriptName)
    let text = script.replacing("{feed}", with: input.replacing("'", with: "''"))
    try Data(text.utf8).write(to: URL(filePath: path))
    let words = arguments.map {
      $0.replacing("{script}", with: path).replacing("{feed}", with: input).replacing("{file}", with: file)
    }
    let standardInput: ChildProcess.Input =
      arguments.contains { $0.contains("{script}") } ? .nothing : .file(path)
    var outcome = try feed.workspace.run(program: program, words, rows: feed.rows, input: standardInput)
    outcome.bytes = feed.bytes
    return outcome
  }

  /// Holds its file against what the feed must give.
  func check(_ feed: BenchFeed, _ file: String, _ kind: BenchFeed.Kind) throws {
    if let (owner, id) = owner { try feed.check(file, owner, id: id, hasSums: true) }
    guard let checkedBy else { return try feed.check(file, kind) }
    let entity = try feed.entity()
    let child = try ChildProcess.run(
      checkedBy, ["-csv", "-noheader", file, TableNumbers.query(entity, .duckDB)], in: feed.workspace.path)
    let found = TableNumbers(
      child.output.split { !$0.isNumber && $0 != "-" }.compactMap { Int($0) }, of: entity)
    if let difference = found.difference(from: try feed.numbers(after: kind)) {
      throw WrongResult("the table is wrong: \(difference)")
    }
  }
}

extension Scenario {
  /// The peers on this machine, at this scenario.
  func peers(_ feed: BenchFeed) throws -> [Candidate] {
    let peers = Peer.all.filter { $0.scenarios.contains(self) && $0.isFound }
    guard feed.isGenerated, !peers.isEmpty else { return [] }
    let input = try feed.path(feedKind)
    return peers.map { peer in
      Candidate(name: peer.name, isWholeProcess: true, isOptional: true) {
        let file = feed.workspace.file("peer.db")
        feed.workspace.removeDatabase(file)
        if isOver { _ = try feed.workspace.copy(try feed.loaded(by: peer), to: "peer.db") }
        let outcome = try peer.run(feed, input, into: file)
        try peer.check(feed, file, feedKind)
        return outcome
      }
    }
  }
}
