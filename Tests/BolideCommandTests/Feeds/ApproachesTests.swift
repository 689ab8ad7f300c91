import BolideBench
import Foundation
import Testing

/// The shipped pipeline of close approaches, on its sample and on feeds of its generator.
@Suite struct ApproachesTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.takePipeline("approaches")
  }

  private func bytes(_ feed: ApproachFeed) -> Data {
    var data = Data()
    feed.write { unsafe data.append(contentsOf: $0) }
    return data
  }

  @Test func `a seed gives the same bytes, and those of the sample`() throws {
    let sample = Folder.repository.appending(path: "SampleData/approaches.json.gz")
    try FileManager.default.copyItem(at: sample, to: folder.url.appending(path: "sample.json.gz"))
    try #require(try folder.run("gzip", ["-d", "sample.json.gz"]).status == 0)
    #expect(try folder.bytes(of: "sample.json") == bytes(ApproachFeed(rows: 300, seed: 1)))
    #expect(bytes(ApproachFeed(rows: 20, seed: 1)) != bytes(ApproachFeed(rows: 20, seed: 2)))
    #expect(
      try folder.bolide("generate", "approaches", "--rows", "300").output
        == String(decoding: bytes(ApproachFeed(rows: 300, seed: 1)), as: UTF8.self))
    try folder.write(try folder.bolide("generate", "approaches", "--rows", "0").output, to: "none.json")
    #expect(try Counts(folder.bolide("import", "approaches.yaml", "none.json", "--json")) == Counts(read: 0))
  }

  @Test func `a number of rows is thousands or millions, too`() throws {
    #expect(
      try folder.bolide("generate", "approaches", "--rows", "1k").output
        == String(decoding: bytes(ApproachFeed(rows: 1_000, seed: 1)), as: UTF8.self))
  }

  @Test(arguments: [
    ("30000001", "--rows is 0 to 30000000\n"), ("31m", "--rows is 0 to 30000000\n"),
    ("9223372036854775807k", "The value '9223372036854775807k' is invalid for '--rows <n>'\n"),
    ("k", "The value 'k' is invalid for '--rows <n>'\n"),
    ("1g", "The value '1g' is invalid for '--rows <n>'\n"),
  ])
  func `a wrong number of rows is rejected`(rows: String, sentence: String) throws {
    let outcome = try folder.bolide("generate", "approaches", "--rows", rows)
    #expect(outcome.status == 64)
    #expect(outcome.errors.hasPrefix("Error: \(sentence)"))
  }

  @Test func `the feed has the shape of the real one`() throws {
    try folder.write(bytes(ApproachFeed(rows: 2000, seed: 3)), to: "feed.json")
    let program = """
      import json, datetime
      feed = json.load(open("feed.json"))
      assert feed["count"] == len(feed["data"]) == 2000
      assert feed["fields"] == ["des", "orbit_id", "jd", "cd", "dist", "dist_min", "dist_max", "v_rel", "v_inf",
        "t_sigma_f", "h"]
      rows = [dict(zip(feed["fields"], row)) for row in feed["data"]]
      assert len({(row["des"], row["cd"]) for row in rows}) == 2000
      assert 1000 < len({row["des"] for row in rows}) < 2000
      assert {type(value) for row in rows for value in row.values()} <= {str, type(None)}
      assert 0 < sum(row["h"] is None for row in rows) < 20
      for row in rows:
        time = datetime.datetime.strptime(row["cd"], "%Y-%b-%d %H:%M").replace(tzinfo=datetime.timezone.utc)
        assert abs(float(row["jd"]) - 2440587.5 - time.timestamp() / 86400) < 1e-8
        assert float(row["dist_min"]) <= float(row["dist"]) <= float(row["dist_max"])
        assert row["v_inf"] is None or 0 < float(row["v_inf"]) <= float(row["v_rel"])
      """
    try folder.python(program)
  }

  @Test(arguments: ["1", "7", "10000"]) func `the store is what other programs read in the feed`(
    chunkRows: String
  ) throws {
    try folder.write(bytes(ApproachFeed(rows: 400, seed: 5)), to: "feed.json")
    let outcome = try folder.bolide(
      "import", "approaches.yaml", "feed.json", "--chunk-rows", chunkRows, "--json")
    #expect(try Counts(outcome) == Counts(read: 400, inserted: 400))
    let program = """
      import json, sqlite3, datetime, collections
      feed = json.load(open("feed.json"))
      store = sqlite3.connect("file:approaches.sqlite?mode=ro", uri=True)
      def real(text): return None if text is None else float(text)
      approaches, bodies = [], collections.defaultdict(list)
      for row in feed["data"]:
        row = dict(zip(feed["fields"], row))
        time = datetime.datetime.strptime(row["cd"], "%Y-%b-%d %H:%M")
        approaches.append((row["des"], time.strftime("%Y-%m-%dT%H:%M:%SZ"), float(row["dist"]), float(row["dist_min"]),
          float(row["dist_max"]), float(row["v_rel"]), real(row["h"]), row["orbit_id"], row["des"]))
        bodies[row["des"]].append(float(row["dist"]))
      found = store.execute('''SELECT c.des, time, distance, minDistance, maxDistance, velocity, magnitude, orbit, b.des
        FROM CloseApproach AS c JOIN SmallBody AS b ON b.bolide_id = body_id ORDER BY time''').fetchall()
      assert found == sorted(approaches, key=lambda one: one[1]), "the approaches differ"
      found = store.execute("SELECT des, approachCount, nearest, closeCount FROM SmallBody ORDER BY des").fetchall()
      wanted = [(des, len(all), min(all), sum(one < 0.05 for one in all)) for des, all in sorted(bodies.items())]
      assert found == wanted, "the bodies differ"
      """
    try folder.python(program)
    #expect(try folder.bolide("verify", "approaches.sqlite") == .silent)
    // An orbit's number alone is no change.
    var feed = try #require(
      try JSONSerialization.jsonObject(with: folder.bytes(of: "feed.json")) as? [String: Any])
    feed["data"] = (feed["data"] as? [[Any]])?.map { row in row.enumerated().map { $0 == 1 ? "new" : $1 } }
    try folder.write(JSONSerialization.data(withJSONObject: feed), to: "later.json")
    let again = try folder.bolide("import", "approaches.yaml", "later.json", "--json")
    #expect(try Counts(again) == Counts(read: 400, unchanged: 400))
  }
}
