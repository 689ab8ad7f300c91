import BolideBench
import Foundation
import Testing

/// `bolide status`: how stores and their imports are.
@Suite struct StatusTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(Folder.quakes + "\nmax-age: 26h\n", to: "daily.yaml")
    try folder.write(
      #"[{"id": "a", "place": "x", "magnitude": 1}, {"id": "b", "place": "x"}]"#, to: "feed.json")
    try folder.write(#"[{"id": "c"}, {"id": null}]"#, to: "bad.json")
  }

  /// The text with times, ages and tokens replaced.
  private func plain(_ text: String) -> String {
    text.replacing(#/\d{4}-\d\d-\d\d \d\d:\d\d UTC/#, with: "TIME").replacing(
      #/just now|\d+ s ago/#, with: "AGE"
    )
    .replacing(#/b1-\w+-(\d+)-\w+/#) { "TOKEN \($0.1)" }.replacing(#/\d+\.\d kB/#, with: "SIZE")
  }

  @Test func `one store is shown in full`() throws {
    #expect(try folder.bolide("import", "daily.yaml", "feed.json") == .silent)
    #expect(try folder.bolide("import", "daily.yaml", "bad.json").status == 65)
    let outcome = try folder.bolide("status", "quakes.sqlite")
    #expect(outcome.status == 79)
    #expect(
      plain(outcome.output) == """
        store     quakes.sqlite
        made      TIME
        size      SIZE, write-ahead log 0 bytes
        model     version 1, since TIME
        entities  Quake   3
                  Region  1
        history   2 transactions, 4 changes, since TIME
        token     TOKEN 2

        pipeline       daily
        state          failed; due every 26 h
        last run       run 2, AGE, TIME: 2 read = 1 inserted + 1 rejected; too-many-refused
        last good run  run 1, AGE, TIME: 2 read = 2 inserted
        rejected       1 record kept

        """)
    // A pipeline stands for its store.
    #expect(try plain(folder.bolide("status", "daily.yaml").output) == plain(outcome.output))
  }

  @Test func `of several stores each pipeline gets a line`() throws {
    try folder.write(Folder.quakes.replacing("quakes.sqlite", with: "other.sqlite"), to: "other.yaml")
    try folder.write(Folder.quakes + "\nname: second\n", to: "second.yaml")
    #expect(try folder.bolide("import", "daily.yaml", "feed.json") == .silent)
    #expect(try folder.bolide("import", "second.yaml", "bad.json", "--max-rejects", "1").status == 3)
    #expect(try folder.bolide("import", "second.yaml", "feed.json") == .silent)
    let outcome = try folder.bolide("status", "quakes.sqlite", "other.yaml", "daily.yaml")
    #expect(outcome.status == 79)
    #expect(
      // An age may have one digit or two.
      plain(outcome.output).replacing(#/ {2,}/#, with: "  ") == """
        PIPELINE  STATE  LAST GOOD RUN  DUE  LAST CHANGE  REJECTED  MISSING  STORE
        daily  ok  AGE  every 26 h  AGE  0  quakes.sqlite
        second  ok  AGE  AGE  1  quakes.sqlite
        other  never  never  never  0  other.sqlite

        """)
  }

  @Test func `a pipeline is overdue when it never ran, and when its last good run is too old`() throws {
    let never = try folder.bolide("status", "daily.yaml", "quakes.yaml")
    #expect(never.status == 79)
    #expect(never.lines.map { $0.split(separator: " ")[1] } == ["STATE", "overdue", "never"])
    // A pipeline that says nothing of its age is never overdue, but has never run.
    #expect(try folder.bolide("status", "-q", "quakes.yaml").status == 79)

    #expect(try folder.bolide("import", "daily.yaml", "feed.json") == .silent)
    #expect(try folder.bolide("status", "-q", "quakes.sqlite") == .silent)
    func age(_ run: Int, _ hours: Double) throws {
      try folder.sqlite(
        "quakes.sqlite",
        """
        UPDATE bolide_run SET started = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-\(hours) hours'),
        ended = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-\(hours) hours') WHERE run = \(run)
        """)
    }
    try age(1, 25.99)
    #expect(try folder.bolide("status", "quakes.sqlite").status == 0)
    try age(1, 26.01)
    // Neither a run that rejected too much nor a replay makes up for it.
    #expect(try folder.bolide("import", "daily.yaml", "bad.json").status == 65)
    try folder.write(
      Folder.quakes.replacing("id:        string", with: "id: { type: string }") + "\nmax-age: 26h\n",
      to: "daily.yaml")
    #expect(try folder.bolide("import", "daily.yaml", "--replay").status == 65)
    try folder.sqlite("quakes.sqlite", "DELETE FROM bolide_reject")
    #expect(try folder.bolide("import", "daily.yaml", "--replay") == .silent)
    let outcome = try folder.bolide("status", "-q", "quakes.sqlite")
    #expect(outcome.status == 79)
    #expect(
      outcome.lines.map {
        $0.split(separator: "  ").prefix(3).map { $0.trimmingCharacters(in: .whitespaces) }
      }
        == [["PIPELINE", "STATE", "LAST GOOD RUN"], ["daily", "overdue", "26 h ago"]])
    // What the file says now counts more than what it said then.
    try folder.write(Folder.quakes + "\nmax-age: 2d\n", to: "daily.yaml")
    #expect(
      try folder.bolide("status", "-q", "daily.yaml").lines.last?.hasPrefix(
        "daily     failed: too-many-refused  ") == true)
    // A known file counts as a good run.
    try folder.write(Folder.quakes + "\nmax-age: 1h\n", to: "daily.yaml")
    #expect(try folder.bolide("status", "daily.yaml").status == 79)
    #expect(try folder.bolide("import", "daily.yaml", "feed.json") == .silent)
    #expect(try folder.bolide("status", "daily.yaml").status == 0)
  }

  @Test func `a run at work is told from one that was killed`() throws {
    let running = try folder.starting("import", "quakes.yaml", "--chunk-rows", "1")
    try running.write(Data(#"[{"id": "y"}, {"id": "z"}"#.utf8))
    try eventually { try folder.count("Quake", in: "quakes.sqlite") > 0 }
    func state() throws -> String? {
      try folder.bolide("status", "quakes.sqlite").lines.first { $0.hasPrefix("state") }?.split(
        separator: " "
      ).last.map(String.init)
    }
    #expect(try state() == "running")
    let text = try folder.bolide("status", "quakes.sqlite").output
    #expect(text.contains("\nat work   quakes, process \(running.processID), since 20"), "\(text)")
    running.send(SIGKILL)
    _ = try running.outcome()
    #expect(try state() == "killed")
    #expect(try folder.bolide("status", "quakes.sqlite").output.contains("; it has not ended\n"))
    #expect(try folder.bolide("status", "-q", "quakes.sqlite").lines.count == 2)
  }

  @Test func `readers are shown with their lag`() throws {
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    try folder.sqlite("quakes.sqlite", "SELECT 1")
    #expect(try folder.bolide("readers", "quakes.sqlite", "add", "map", "--from", "beginning").status == 0)
    #expect(try folder.bolide("readers", "quakes.sqlite", "add", "new", "--from", "now").status == 0)
    let outcome = try folder.bolide("status", "quakes.sqlite")
    #expect(
      outcome.output.contains(
        #/\nreaders +map  live, 1 transaction behind for \d+ s\n +new  live, has seen everything\n/#),
      "\(outcome)")
    let json = try folder.bolide("status", "--json", "quakes.sqlite").output
    #expect(json.contains(#""readers":[{"reader":"map","state":"live","token":"#))
    let metrics = try folder.bolide("status", "--format", "prometheus", "quakes.sqlite").output
    #expect(metrics.contains("\nbolide_reader_live{store=\"quakes.sqlite\",reader=\"map\"} 1\n"))
    #expect(metrics.contains("\nbolide_reader_lag_seconds{store=\"quakes.sqlite\",reader=\"new\"} 0\n"))
  }

  @Test func `a state that somebody reads from is shown, and not when the reader was killed`() throws {
    let records = (0..<3000).map { #"{"id": "a\#($0)", "place": "x", "magnitude": 1}"# }
    try folder.write(records.joined(separator: "\n"), to: "many.json")
    #expect(try folder.bolide("import", "quakes.yaml", "many.json") == .silent)
    // Its output is more than a pipe holds, and nobody reads it.
    let outcome = try folder.shell(
      """
      mkfifo pipe
      $bolide snapshot quakes.sqlite > pipe & reader=$!
      exec 3<pipe
      until $bolide status quakes.sqlite | grep "^pinned"; do sleep 0.1; done
      $bolide status --json quakes.sqlite | grep -o '"pins":.*"dirty'
      $bolide status --format prometheus quakes.sqlite | grep "^bolide_pins"
      kill -9 $reader; wait $reader 2>/dev/null
      $bolide status quakes.sqlite | grep "^pinned"
      $bolide status --format prometheus quakes.sqlite | grep "^bolide_.*pin"
      ls quakes.sqlite-bolide*
      """)
    #expect(
      outcome.output.contains(
        #/^pinned +process \d+ for \d+ s, at b1-\w+-\d+-\w+\n"pins":\[\{"process":\d+,"since":"20[^"]+Z","age":[0-9.]+,"token":"b1-[^"]+"\}\],"dirty\n/#
      ),
      "\(outcome)")
    #expect(
      outcome.output.hasSuffix(
        """
        bolide_pins{store="quakes.sqlite"} 1
        bolide_pins{store="quakes.sqlite"} 0
        quakes.sqlite-bolide

        """), "\(outcome)")
  }

  @Test func `what other programs did shows until it is refreshed`() throws {
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    try folder.sqlite(
      "quakes.sqlite", "UPDATE Quake SET magnitude = 9 WHERE id = 'b'; DELETE FROM Quake WHERE id = 'a'")
    let text = try folder.bolide("status", "quakes.sqlite").output
    #expect(text.contains("\npending  "), "\(text)")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    #expect(try !folder.bolide("status", "quakes.sqlite").output.contains("pending"))
  }

  @Test func `a store that cannot be looked at does not hide the others`() throws {
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    try folder.write("no store", to: "text.sqlite")
    let outcome = try folder.bolide("status", "nosuch.sqlite", "quakes.sqlite", "text.sqlite")
    #expect(outcome.status == 73)
    #expect(outcome.lines.count == 2)
    #expect(
      outcome.errors == """
        Error: nosuch.sqlite: no such store.
               Check the path, or import first.
        Error: text.sqlite: the file is not an SQLite database.
               Use another path for the store.

        """)
  }

  @Test func `as JSON there is one object a store`() throws {
    #expect(try folder.bolide("import", "daily.yaml", "feed.json") == .silent)
    let outcome = try folder.bolide("status", "--json", "quakes.sqlite", "daily.yaml")
    #expect(outcome.lines.count == 1)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    #expect(object["entities"] as? [String: Int] == ["Quake": 2, "Region": 1])
    let pipelines = try #require(object["pipelines"] as? [[String: Any]])
    #expect(pipelines.map { $0["state"] as? String } == ["ok"])
    #expect(pipelines[0]["maxAge"] as? Int == 93_600)
    let run = try #require(pipelines[0]["lastGoodRun"] as? [String: Any])
    #expect(run["inserted"] as? Int == 2)
    #expect(run["input"] as? String == "feed.json")
  }

  @Test func `metrics are what a collector can read`() throws {
    #expect(try folder.bolide("import", "daily.yaml", "feed.json") == .silent)
    let text = try folder.bolide("status", "--format", "prometheus", "quakes.sqlite").output
    // Each metric has its head once, its samples together, and no time of its own.
    var heads: Set<Substring> = []
    var current: Substring = ""
    var values: [String: Double] = [:]
    for line in text.split(separator: "\n") {
      if line.hasPrefix("# HELP ") {
        current = line.split(separator: " ")[2]
        #expect(heads.insert(current).inserted)
      } else if line.hasPrefix("#") {
        #expect(line == "# TYPE \(current) gauge")
      } else {
        let sample = try #require(
          line.wholeMatch(of: #/(\w+)\{(\w+="[^"\\\n]*"(,\w+="[^"\\\n]*")*)\} (-?[0-9.]+)/#), "\(line)")
        #expect(sample.1 == current)
        values["\(sample.1) \(sample.2)"] = Double(sample.4)
      }
    }
    let pipeline = #"store="quakes.sqlite",pipeline="daily""#
    #expect(values["bolide_overdue \(pipeline)"] == 0)
    #expect(values["bolide_max_age_seconds \(pipeline)"] == 93_600)
    #expect(values[#"bolide_last_run_records \#(pipeline),became="inserted""#] == 2)
    #expect(values[#"bolide_rows store="quakes.sqlite",entity="Quake""#] == 2)
    #expect(values["bolide_missing_rows \(pipeline)"] == nil)
    let time = try #require(values["bolide_last_good_run_timestamp_seconds \(pipeline)"])
    #expect(abs(time - Date().timeIntervalSince1970) < 300)
  }

  @Test func `a full feed's missing rows are a metric`() throws {
    try folder.write(Folder.quakes + "\nfeed: full", to: "quakes.yaml")
    try folder.write(#"[{"id": "a"}, {"id": "b"}, {"id": "c"}]"#, to: "whole.json")
    try folder.write(#"[{"id": "b"}]"#, to: "part.json")
    for feed in ["whole.json", "part.json"] {
      #expect(try folder.bolide("import", "quakes.yaml", feed) == .silent)
    }
    let text = try folder.bolide("status", "--format", "prometheus", "quakes.sqlite").output
    #expect(text.contains("\nbolide_missing_rows{store=\"quakes.sqlite\",pipeline=\"quakes\"} 2\n"))
  }

  @Test(arguments: [
    (
      ["status", "--json", "--format", "prometheus", "x"],
      "--json and --format prometheus cannot be combined"
    ),
    (["status"], "Missing expected argument '<store> ...'"),
  ]) func `a wrong call is rejected`(arguments: [String], sentence: String) throws {
    let outcome = try Running(Folder.tool, arguments, in: folder, input: .nothing).outcome()
    #expect(outcome.status == 64)
    #expect(outcome.errors.hasPrefix("Error: \(sentence)\n"), "\(outcome.errors)")
  }

  @Test func `a replay is not the last run, an owner is counted once, and missing triggers are told`() throws
  {
    #expect(try folder.bolide("import", "daily.yaml", "bad.json", "--max-rejects", "9").status == 3)
    #expect(try folder.bolide("import", "daily.yaml", "--replay").status == 65)
    let text = try folder.bolide("status", "quakes.sqlite").output
    #expect(text.contains("\nlast run       run 1, ") || text.contains("last run  run 1, "), "\(text)")
    #expect(try folder.bolide("status", "quakes.sqlite", "--json").output.contains(#""triggerProblems":0"#))
    try folder.sqlite("quakes.sqlite", "DROP TRIGGER bolide_Quake_insert; DROP TRIGGER bolide_Quake_update")
    #expect(
      try folder.bolide("status", "quakes.sqlite").output.contains(
        """
        triggers  the trigger bolide_Quake_insert is missing, and 1 more: the next import restores them, and history \
        has a gap

        """))
    #expect(
      try folder.bolide("status", "quakes.sqlite", "--format", "prometheus").output.contains(
        #"bolide_trigger_problems{store="quakes.sqlite"} 2"#))
  }

  @Test func `missing indexes are told`() throws {
    #expect(try folder.bolide("import", "daily.yaml", "feed.json") == .silent)
    let indexes = try folder.sqlite(
      "quakes.sqlite",
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'Quake' AND sql <> ''")
    try #require(!indexes.isEmpty)
    for index in indexes { try folder.sqlite("quakes.sqlite", "DROP INDEX \"\(index)\"") }
    let more = indexes.count > 1 ? ", and \(indexes.count - 1) more" : ""
    let text = try folder.bolide("status", "quakes.sqlite").output
    #expect(
      text.contains("indexes   the index \(indexes[0]) is missing\(more): the next import restores them\n"),
      "\(text)")
    #expect(
      try folder.bolide("status", "quakes.sqlite", "--json").output.contains(
        #""indexProblems":\#(indexes.count)"#))
    #expect(
      try folder.bolide("status", "quakes.sqlite", "--format", "prometheus").output.contains(
        #"bolide_index_problems{store="quakes.sqlite"} \#(indexes.count)"#))
  }

  @Test func `what is to be computed anew is counted by objects`() throws {
    let text = Folder.quakes.replacing(
      "quakes.magnitude.@sum }",
      with:
        "quakes.magnitude.@max }\n      least: { derived: quakes.magnitude.@min }\n      mean: { derived: quakes.magnitude.@average }"
    )
    try folder.write(text, to: "quakes.yaml")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    try folder.sqlite(
      "quakes.sqlite", "UPDATE Quake SET magnitude = 9 WHERE id = 'a'; DELETE FROM Quake WHERE id = 'b'")
    #expect(try folder.count("bolide_dirty", in: "quakes.sqlite") > 1)
    #expect(
      try folder.bolide("status", "quakes.sqlite").output.contains(
        "derived attributes of 1 object are out of date"))
  }
}
