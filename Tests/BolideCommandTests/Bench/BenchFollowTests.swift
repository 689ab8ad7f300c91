@testable import BolideBench
import Foundation
import Testing

/// How late a follower is: what is measured, and what is rejected.
@Suite struct BenchFollowTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  private static func arrivals(_ count: Int) -> [Arrival] {
    (0..<count).map { Arrival(keys: SmallCommits.keys(of: $0), instant: UInt64($0 + 1) * 10_000_000) }
  }

  @Test(arguments: SmallCommits.Writer.allCases) func `every commit comes once, and its delay is kept`(
    writer: SmallCommits.Writer
  ) throws {
    let workspace = try Workspace(in: folder.url.path(percentEncoded: false), tool: Folder.tool + "-bench")
    let feed = try BenchFeed(rows: 500, in: workspace)
    let candidate = Scenario.follow.following(feed, writer)
    #expect(candidate.name == writer.title)
    let times = try #require(try candidate.run().follow)
    #expect(times.latencies.count == 20)
    #expect(times.latencies.allSatisfy { $0 >= 0 } && times.sleepingPerMinute >= 0)
    #expect(times.median <= times.percentile99 && times.percentile99 <= times.worst)
    let rows = try folder.sqlite(
      workspace.file("bolide.sqlite"), "SELECT count(*) FROM Fireball WHERE date >= '2100'")
    #expect(rows == ["60"])
  }

  @Test func `a commit that is missing, comes twice or out of order is found out`() throws {
    let instants = (0..<4).map { UInt64($0 + 1) * 10_000_000 - 2_000_000 }
    let good = Self.arrivals(4)
    let latencies = try FollowJob.latencies(good, instants, count: 4)
    #expect(latencies.allSatisfy { abs($0 - 0.002) < 1e-9 })
    let wrong = [
      [good[0], good[1], good[2]], [good[0], good[1], good[1], good[3]],
      [good[0], good[2], good[1], good[3]], [good[0], good[1], good[2], good[3], good[3]],
      [good[0], Arrival(keys: Array(good[1].keys.dropLast()), instant: good[1].instant), good[2], good[3]],
    ]
    for arrivals in wrong {
      #expect(throws: WrongResult.self) { try FollowJob.latencies(arrivals, instants, count: 4) }
    }
  }

  @Test func `a commit that was seen before its writer knew is no time late`() throws {
    #expect(try FollowJob.latencies(Self.arrivals(1), [10_000_001], count: 1) == [0])
  }

  @Test func `99 of a hundred are not above the 99th percentile`() {
    let values = (1...200).map(Double.init).reversed()
    #expect(Array(values).percentile(99) == 198)
    #expect([7.0].percentile(99) == 7 && [Double]().percentile(99) == 0)
  }

  @Test func `keys are unlike, and rise from commit to commit`() {
    let keys = (0..<200).flatMap(SmallCommits.keys)
    #expect(keys.count == 600 && keys == Array(Set(keys)).sorted())
    #expect(keys.first == "2100-01-01T00:00:00Z" && keys.last == "2100-01-01T00:09:59Z")
  }
}
