import BolideBench
import Foundation
import Testing

/// The shipped pipeline of asteroids and their approaches, on its sample and on feeds of its generator.
@Suite struct NeowsTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.takePipeline("neows")
  }

  private func bytes(_ feed: NeowsFeed) -> Data {
    var data = Data()
    feed.write { unsafe data.append(contentsOf: $0) }
    return data
  }

  @Test func `a seed gives the same bytes, and those of the sample`() throws {
    let sample = Folder.repository.appending(path: "SampleData/neows.json.gz")
    try FileManager.default.copyItem(at: sample, to: folder.url.appending(path: "sample.json.gz"))
    try #require(try folder.run("gzip", ["-d", "sample.json.gz"]).status == 0)
    #expect(try folder.bytes(of: "sample.json") == bytes(NeowsFeed(rows: 100, seed: 1)))
    #expect(bytes(NeowsFeed(rows: 20, seed: 1)) != bytes(NeowsFeed(rows: 20, seed: 2)))
    #expect(
      try folder.bolide("generate", "neows").output
        == String(decoding: bytes(NeowsFeed(rows: 100, seed: 1)), as: UTF8.self))
    #expect(
      try folder.bolide("generate", "neows", "--rows", "0").output.hasSuffix(
        #""near_earth_objects":{}}"# + "\n"))
  }

  @Test func `the feed has the shape of the real one`() throws {
    try folder.write(bytes(NeowsFeed(rows: 100, seed: 3)), to: "feed.json")
    let program = """
      import json, datetime
      feed = json.load(open("feed.json"))
      assert list(feed) == ["links", "element_count", "near_earth_objects"], list(feed)
      assert feed["element_count"] == sum(map(len, feed["near_earth_objects"].values())) == 100
      ids = set()
      for day, objects in feed["near_earth_objects"].items():
        for one in objects:
          ids.add(one["id"])
          assert list(one) == ["links", "id", "neo_reference_id", "name", "nasa_jpl_url", "absolute_magnitude_h",
            "estimated_diameter", "is_potentially_hazardous_asteroid", "close_approach_data", "is_sentry_object"]
          assert list(one["estimated_diameter"]) == ["kilometers", "meters", "miles", "feet"]
          approaches = one["close_approach_data"]
          assert approaches[0]["close_approach_date"] == day
          for at in approaches:
            assert list(at) == ["close_approach_date", "close_approach_date_full", "epoch_date_close_approach",
              "relative_velocity", "miss_distance", "orbiting_body"]
            time = datetime.datetime.fromtimestamp(at["epoch_date_close_approach"] / 1000, datetime.timezone.utc)
            assert time.strftime("%Y-%m-%d") == at["close_approach_date"]
            assert time.strftime("%Y-%b-%d %H:%M") == at["close_approach_date_full"]
            assert abs(float(at["miss_distance"]["kilometers"]) / float(at["miss_distance"]["lunar"]) - 384400) < 1
      assert len(ids) == 100
      """
    try folder.python(program)
  }

  @Test(arguments: ["1", "7", "10000"]) func `the store is what other programs read in the feed`(
    chunkRows: String
  ) throws {
    try folder.write(bytes(NeowsFeed(rows: 120, seed: 5)), to: "feed.json")
    let outcome = try folder.bolide("import", "neows.yaml", "feed.json", "--chunk-rows", chunkRows, "--json")
    #expect(outcome.status == 0)
    #expect(try Counts(outcome) == Counts(read: 120, inserted: 120))
    let program = """
      import json, sqlite3, datetime
      feed = json.load(open("feed.json"))
      store = sqlite3.connect("file:neows.sqlite?mode=ro", uri=True)
      asteroids, approaches = [], []
      for objects in feed["near_earth_objects"].values():
        for one in objects:
          size = one["estimated_diameter"]["kilometers"]
          misses = [float(at["miss_distance"]["kilometers"]) for at in one["close_approach_data"]]
          asteroids.append((int(one["id"]), one["name"], one["absolute_magnitude_h"], size["estimated_diameter_min"],
            size["estimated_diameter_max"], int(one["is_potentially_hazardous_asteroid"]), int(one["is_sentry_object"]),
            len(misses), min(misses)))
          for at in one["close_approach_data"]:
            time = datetime.datetime.fromtimestamp(at["epoch_date_close_approach"] / 1000, datetime.timezone.utc)
            approaches.append((int(one["id"]), time.strftime("%Y-%m-%dT%H:%M:%SZ"), at["orbiting_body"],
              float(at["relative_velocity"]["kilometers_per_second"]), float(at["miss_distance"]["kilometers"])))
      found = store.execute('''SELECT id, name, magnitude, minDiameter, maxDiameter, isHazardous, isSentry, approachCount,
        nearestMiss FROM Asteroid ORDER BY id''').fetchall()
      assert found == sorted(asteroids), "the asteroids differ"
      found = store.execute('''SELECT id, at, body, velocity, missDistance FROM Approach
        JOIN Asteroid AS a ON a.bolide_id = asteroid_id ORDER BY id, at''').fetchall()
      assert found == sorted(approaches), "the approaches differ"
      print(len(found))
      """
    let count = try folder.python(program).trimmingCharacters(in: .newlines)
    #expect(try Counts("Approach", outcome).inserted == Int(count))
    #expect(try folder.bolide("verify", "neows.sqlite") == .silent)
    let again = try folder.bolide("import", "neows.yaml", "feed.json", "--force", "--json")
    #expect(try Counts(again) == Counts(read: 120, unchanged: 120))
  }
}
