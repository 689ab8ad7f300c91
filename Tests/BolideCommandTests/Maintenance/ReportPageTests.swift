import Foundation
import Testing

/// `bolide report`: a page for a browser.
@Suite struct ReportPageTests {
  private let folder: Folder

  private static let strikes = """
    bolide: 1
    name: strikes
    store: strikes.sqlite
    entity: Strike
    key: id
    max-age: 26h
    attributes:
      id: string
      date: date
      lat: double
      lon: double
      power: { type: double, from: kW }
    link:
      group: { to: { year: "strftime('%Y', date)" } }
    entities:
      Year:
        key: year
        attributes:
          year: integer16
          count: { derived: strikes.@count }
        relationships:
          strikes: { to-many: Strike, inverse: group }
    """

  private static let feed = """
    [{"id": "a", "date": "2026-05-12T03:00:00Z", "lat": 47.5, "lon": 8.5, "kW": 3},
    {"id": "b", "date": "2026-05-13T03:00:00Z", "lat": -12, "lon": 250, "kW": 12000},
    {"id": "c", "date": "2025-05-13T03:00:00Z", "lat": 91, "lon": 0, "kW": 1},
    {"id": "d", "date": "2025-06-13T03:00:00Z"}]
    """

  init() throws {
    folder = try Folder()
    try folder.write(Self.strikes, to: "strikes.yaml")
    try folder.write(Self.feed, to: "feed.json")
    try folder.write(#"[{"id": "e", "lat": "north"}, {"id": "f", "lat": "x"}, {"kW": 1}]"#, to: "bad.json")
  }

  private func page(_ options: String...) throws -> String {
    let outcome = try folder.bolide(arguments: ["report", "strikes.sqlite"] + options)
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    return outcome.output
  }

  /// The text that a reader sees, a space between its parts.
  private func words(_ page: String) -> String {
    page.replacing(#/<style>(?s:.*?)</style>|<[^>]*>/#, with: " ").replacing("&#39;", with: "'")
      .replacing(#/\s+/#, with: " ")
  }

  @Test func `the page has what status says, and where things are`() throws {
    #expect(try folder.bolide("import", "strikes.yaml", "feed.json") == .silent)
    #expect(try folder.bolide("import", "strikes.yaml", "feed.json") == .silent)
    #expect(try folder.bolide("import", "strikes.yaml", "bad.json").status == 65)
    try folder.bolide("readers", "strikes.sqlite", "add", "index", "--from", "beginning").expectSilence()
    let (page, status) = (try page(), try folder.bolide("status", "--json", "strikes.sqlite").output)
    let words = words(page)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(status.utf8)) as? [String: Any])
    let entities = try #require(object["entities"] as? [String: Int])
    #expect(entities == ["Strike": 4, "Year": 2])
    for (entity, rows) in entities { #expect(words.contains(" \(entity) \(rows) "), "\(words)") }
    let history = try #require(object["history"] as? [String: Any])
    #expect(words.contains("\(try #require(history["transactions"] as? Int)) transaction"))
    #expect(words.contains(try #require(history["token"] as? String)))
    #expect(words.contains("strikes failed: too-many-refused strikes.sqlite"))
    #expect(words.contains("index live 1 transaction "))
    #expect(words.contains("lat: expected a number such as 12.8 bad.json, line 1, run 3"))
    #expect(words.contains("1 of 1 pipelines needs attention"))
    // Three runs: one good, one whose input was known, one failed with its cross.
    #expect(page.matches(of: #/<g role="listitem" aria-label="run \d+, /#).count == 3)
    #expect(page.contains(#"class="mark bad""#) && page.contains(#"class="idle""#))
    // Two places are on the map: one latitude is none, and one object has none.
    #expect(page.matches(of: #/class="point /#).count == 2)
    #expect(words.contains("2 places, of 4 objects. A dot's area is power"))
    #expect(words.contains("How many of 4 objects have which power"))
    #expect(words.contains("a new Strike") && !words.contains("2026-05-12T03"))
  }

  /// A pruned one, and one with a gap, behind which three imports are.
  @Test(arguments: [false, true])
  func `history is shown as far as it goes back`(_ hasGap: Bool) throws {
    for power in 1...4 {
      if power == 2, hasGap { _ = try folder.sqlite("strikes.sqlite", "DROP TRIGGER bolide_Strike_insert") }
      try folder.write(#"[{"id": "a", "kW": \#(power)}]"#, to: "feed.json")
      #expect(try folder.bolide("import", "strikes.yaml", "feed.json").status == 0)
    }
    if !hasGap {
      #expect(try folder.bolide("prune", "strikes.sqlite", "--keep-transactions", "2").status == 0)
    }
    let words = words(try page())
    #expect(words.matches(of: #/ strikes 1 Strike: power changed/#).count == (hasGap ? 3 : 2), "\(words)")
  }

  @Test func `values are shown where it is asked for`() throws {
    #expect(try folder.bolide("import", "strikes.yaml", "feed.json") == .silent)
    try folder.sqlite("strikes.sqlite", "UPDATE Strike SET power = 4 WHERE id = 'a'")
    #expect(try words(page()).contains("pending 1 change of other programs"))
    #expect(try folder.bolide("token", "strikes.sqlite").status == 0)
    #expect(try words(page()).contains("Strike: power changed"))
    #expect(try words(page("--show-values")).contains("Strike id a: power was 3.0"))
  }

  @Test func `the page loads and runs nothing, and its policy allows its own style alone`() throws {
    #expect(try folder.bolide("import", "strikes.yaml", "feed.json") == .silent)
    let page = try page()
    try folder.write(page, to: "page.html")
    let digest = try folder.run(
      "python3",
      [
        "-c",
        """
        import re, hashlib, base64
        style = re.search("<style>(.*?)</style>", open("page.html").read(), re.S).group(1)
        print(base64.b64encode(hashlib.sha256(style.encode()).digest()).decode())
        """,
      ])
    let policy = "default-src 'none'; style-src 'sha256-\(digest.output.trimmingCharacters(in: .newlines))'"
    #expect(page.contains(#"<meta http-equiv="Content-Security-Policy" content="\#(policy)">"#))
    let body = page.replacing("http://www.w3.org/2000/svg", with: "")
    for part in ["<script", "<link", "<img", "<iframe", "style=\"", "url(", "@import", "http:", "https:"] {
      #expect(!body.contains(part), "\(part)")
    }
    #expect(page.matches(of: #/<[a-z]+ [^>]*\bon[a-z]+=/#).isEmpty)
  }

  @Test func `names and values that are markup or turn the order of letters stay text`() throws {
    let hostile = "</style><script>alert(1)</script>\u{202e}&\"'"
    let name = "<img src=x onerror=alert(1)>.json"
    let record = try JSONSerialization.data(withJSONObject: [["id": hostile], ["id": "x", "lat": hostile]])
    try folder.write(record, to: name)
    #expect(try folder.bolide("import", "strikes.yaml", name, "--max-rejects", "1").status == 3)
    try folder.bolide("readers", "strikes.sqlite", "add", "a", "--from", "now").expectSilence()
    let page = try page("--show-values")
    #expect(!page.contains("<script") && !page.contains("<img") && !page.contains("\u{202e}"))
    #expect(page.contains("&lt;script&gt;alert(1)") && page.contains(#"\u{202e}&amp;&quot;&#39;"#))
    #expect(page.contains("&lt;img src=x onerror=alert(1)&gt;.json"))
    #expect(page.components(separatedBy: "</style>").count == 2)
  }

  /// As /dev/null and /dev/stdout must, whoever runs the command.
  @Test func `a link and a pipe stay what they are`() throws {
    #expect(try folder.bolide("import", "strikes.yaml", "feed.json") == .silent)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link"), withDestinationPath: folder.path("behind.html"))
    #expect(try folder.bolide("report", "strikes.sqlite", "-o", "link") == .silent)
    #expect(try folder.bolide("report", "strikes.sqlite", "-o", "link") == .silent)
    let link = try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link"))
    #expect(link == folder.path("behind.html"))
    #expect(String(decoding: try folder.bytes(of: "behind.html"), as: UTF8.self).hasSuffix("</html>\n"))
    let piped = try folder.shell(
      #"mkfifo pipe; cat pipe & "$bolide" report strikes.sqlite -o pipe; wait; test -p pipe"#)
    #expect(piped.status == 0 && piped.output.hasSuffix("</html>\n"))
  }

  @Test func `the file is moved into its place`() throws {
    #expect(try folder.bolide("import", "strikes.yaml", "feed.json") == .silent)
    try folder.write("an old page", to: "status.html")
    #expect(try folder.bolide("report", "strikes.yaml", "--output", "status.html") == .silent)
    let page = String(decoding: try folder.bytes(of: "status.html"), as: UTF8.self)
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
    let outcome = try folder.bolide("report", "strikes.sqlite", "-o", "nowhere/status.html")
    #expect(
      outcome
        == Outcome(
          status: 74,
          errors: "Error: nowhere/status.html: the page cannot be written: no such file or directory.\n"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("")).filter {
        $0.contains("html") && $0 != "status.html"
      }.isEmpty)
  }

  @Test func `a map is of the entity that is named, or of the only one that can have one`() throws {
    #expect(try folder.bolide("import", "strikes.yaml", "feed.json") == .silent)
    #expect(try !page("--map", "none").contains(#"class="point"#))
    #expect(try page("--map", "Strike", "--measure", "power").contains(#"class="point"#))
    let outcome = try folder.bolide("report", "strikes.sqlite", "--map", "Year")
    #expect(
      outcome
        == Outcome(
          status: 64,
          errors: """
            Error: there is no map of 'Year': no such entity has objects, a latitude and a longitude.
                   Name another entity, or leave --map out.

            """))
    for measure in ["id", "watts"] {
      let outcome = try folder.bolide("report", "strikes.sqlite", "--measure", measure)
      #expect(
        outcome
          == Outcome(
            status: 64,
            errors: """
              Error: there is no map with '\(measure)': its entity has no such numeric attribute, or there is no map.
                     Name another attribute, or choose the entity with --map.

              """))
    }
  }

  @Test func `a store that is not there, or is none, is told of beside the others`() throws {
    #expect(try folder.bolide("import", "strikes.yaml", "feed.json") == .silent)
    try folder.write("no store", to: "other.sqlite")
    let outcome = try folder.bolide(
      "report", "nowhere.sqlite", "other.sqlite", "strikes.sqlite", "-o", "status.html")
    #expect(outcome.status == 73)
    let words = words(String(decoding: try folder.bytes(of: "status.html"), as: UTF8.self))
    #expect(words.contains("nowhere.sqlite: ") && words.contains("other.sqlite: "))
    #expect(words.contains(" Strike 4 "))
    // One that was never imported.
    try folder.write(Self.strikes.replacing("strikes.sqlite", with: "new.sqlite"), to: "new.yaml")
    let fresh = try folder.bolide("report", "new.yaml")
    #expect(fresh.status == 0 && self.words(fresh.output).contains("The store is not made yet."))
  }

  @Test func `a store that is being written is shown, and its writer does not wait`() throws {
    #expect(try folder.bolide("import", "strikes.yaml", "feed.json") == .silent)
    let outcome = try folder.shell(
      #"""
      mkfifo pipe
      sqlite3 strikes.sqlite < pipe & exec 3> pipe
      printf '.timeout 10000\nBEGIN IMMEDIATE;\nUPDATE Strike SET power = 9 WHERE id = %s;\n.shell touch held\n' "'a'" >&3
      until [ -e held ]; do sleep 0.05; done
      "$bolide" report strikes.sqlite -o status.html || exit 1
      echo "COMMIT;" >&3; exec 3>&-; wait
      sqlite3 strikes.sqlite "SELECT power FROM Strike WHERE id = 'a'"
      """#)
    #expect(outcome == Outcome(status: 0, output: "9.0\n"))
  }

  /// Adds copies of the only run.
  ///
  /// - Parameter settings: other values of its columns, as SQL; `value` is a copy's number, from 1.
  private func copyRun(_ count: Int, _ settings: [String: String] = [:]) throws {
    let columns = try folder.sqlite("strikes.sqlite", "SELECT name FROM pragma_table_info('bolide_run')")
    let settings = settings.merging(["run": "value + 1", "digest": "NULL"]) { set, _ in set }
    let copied = columns.map { settings[$0] ?? "\"\($0)\"" }.joined(separator: ", ")
    try folder.sqlite(
      "strikes.sqlite",
      "INSERT INTO bolide_run SELECT \(copied) FROM bolide_run, generate_series(1, \(count))")
  }

  @Test(arguments: [
    (5, 0, false), (5, 1, false), (5, 10, false), (5, 12, true), (60, 0, false), (60, 1, true),
    (90, 0, false), (90, 1, true), (1440, 0, false), (1440, 1, true),
  ]) func `a gap is more than an hour in which a run that was due is missing`(
    minutes: Int, missing: Int, hasGap: Bool
  ) throws {
    #expect(try folder.bolide("import", "strikes.yaml", "feed.json") == .silent)
    // Seven runs with a few seconds' difference, and the missing ones behind the fourth.
    let late = "value * 37 % 50 + 60 * \(minutes) * (value + iif(value > 4, \(missing), 0))"
    let time = "strftime('%Y-%m-%dT%H:%M:%fZ', '2026-05-12', (\(late)) || ' seconds')"
    try copyRun(7, ["started": time, "ended": time])
    try folder.sqlite("strikes.sqlite", "DELETE FROM bolide_run WHERE run = 1")
    let page = try page()
    let places = page.matches(of: #/aria-label="run \d+, [^>]*>\s*<rect x="(\d+)"/#).compactMap { Int($0.1) }
    let steps = zip(places.dropFirst(), places).map { $0 - $1 }
    #expect(steps == [5, 5, 5, hasGap ? 10 : 5, 5, 5])
    #expect(
      words(page).contains(
        "A gap: nothing ran for more than an hour and for one and a half times as long as usual."))
  }

  @Test func `many runs are bounded, and a page that is too large replaces none`() throws {
    #expect(try folder.bolide("import", "strikes.yaml", "feed.json") == .silent)
    try copyRun(5000)
    let page = try page()
    #expect(page.matches(of: #/aria-label="run \d+, /#).count == 200)
    #expect(page.contains("run 5001, ") && !page.contains("run 4801, "))
    #expect(page.utf8.count < 200_000)

    // More than may be written: the page that was there stays, whole, and nothing lies beside it.
    try folder.write("an old page", to: "status.html")
    let outcome = try folder.shell(#"ulimit -f 100; "$bolide" report strikes.sqlite -o status.html"#)
    #expect(
      outcome
        == Outcome(
          status: 74, errors: "Error: status.html: the page cannot be written: file too large.\n"))
    #expect(String(decoding: try folder.bytes(of: "status.html"), as: UTF8.self) == "an old page")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
    // What the test's own programs print is in hidden files.
    let left = files.filter { !$0.hasPrefix("strikes") && !$0.hasSuffix(".out") && !$0.hasSuffix(".err") }
    #expect(left.sorted() == ["bad.json", "feed.json", "status.html"])
  }
}
