import Foundation
import Testing

/// `bolide fetch` of a large store, and into pipes.
@Suite struct FetchLargeTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withTypedQuakes()
  }

  /// Many objects in one statement of another program.
  private func fill(_ count: Int) throws {
    try folder.sqlite(
      "quakes.sqlite",
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO Quake(id, time, magnitude, cost) SELECT 'quake number ' || i, '2020-01-01T00:00:00Z', i * 0.37, i FROM n
      """)
  }

  @Test func `a large store takes no more memory than a small one`() throws {
    let fetches = [
      ["--format", "ndjson"], ["--format", "csv", "--sort", "-magnitude"],
      ["--format", "table", "--only", "id,region.name"],
    ].map { ["quakes.sqlite", "Quake"] + $0 }
    let few = try fetches.map { try folder.fetchMeasured($0).memory }
    try fill(100_000)
    for (arguments, few) in zip(fetches, few) {
      let (lines, memory) = try folder.fetchMeasured(arguments)
      #expect(lines >= 100_004)
      // In KiB: less than a hundred bytes an object.
      #expect(memory - few < 10_000, "\(arguments): \(few) to \(memory)")
    }
  }

  @Test func `a reader that has read enough is no error`() throws {
    try fill(5_000)
    for format in ["ndjson", "csv", "table"] {
      let outcome = try folder.shell(
        #"{ "$bolide" fetch quakes.sqlite Quake --format \#(format); echo "status $?" >&2; } | head -n 1 > first"#
      )
      #expect(outcome == Outcome(status: 0, errors: "status 0\n"))
    }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "the system has no /dev/full"))
  func `output that cannot be written is an error`() throws {
    #expect(
      try folder.shell(#""$bolide" fetch quakes.sqlite Quake > /dev/full"#)
        == .failure(
          74, "standard output cannot be written (No space left on device)",
          "Check its destination, and run the same command again."))
  }
}

extension Folder {
  /// How many lines a fetch prints, and the memory that it takes at most, in KiB.
  func fetchMeasured(_ arguments: [String]) throws -> (lines: Int, memory: Int) {
    let answer = try python(
      """
      import json, resource, subprocess, sys
      with open("out", "wb") as out: subprocess.run(json.loads(sys.argv[1]), stdout=out, check=True)
      print(sum(1 for line in open("out", "rb")), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
      """, String(decoding: try JSONEncoder().encode([Self.tool, "fetch"] + arguments), as: UTF8.self))
    let numbers = answer.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    try #require(numbers.count == 2)
    return (numbers[0], numbers[1])
  }
}
