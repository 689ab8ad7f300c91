import Foundation
import Testing

/// When `bolide status` ends with 79: somebody should look.
@Suite struct AttentionTests {
  private let folder: Folder

  init() throws { folder = try Folder.withQuakes() }

  @Test func `the alert rules and the dashboard name metrics that are there`() throws {
    let root = Folder.repository
    let source = try String(
      contentsOf: root.appending(path: "Sources/BolideCommand/Status/PrometheusText.swift"), encoding: .utf8)
    let known = Set(source.matches(of: /"(bolide_[a-z_]+)"/).map { String($0.1) })
    #expect(known.count >= 20)
    for name in ["alerts.yaml", "dashboard.json"] {
      let text = try String(contentsOf: root.appending(path: "pipelines/monitoring/\(name)"), encoding: .utf8)
      let named = Set(text.matches(of: /\b(bolide_[a-z_]+)/).map { String($0.1) })
      #expect(named.count >= 8 && named.isSubset(of: known), "\(name): \(named.subtracting(known))")
    }
    let dashboard = try JSONSerialization.jsonObject(
      with: Data(contentsOf: root.appending(path: "pipelines/monitoring/dashboard.json")))
    #expect(((dashboard as? [String: Any])?["panels"] as? [Any])?.count == 12)
  }

  @Test func `what somebody should look at ends with 79, and metrics are written all the same`() throws {
    try folder.write(Folder.quakes + "\nfeed: full\nmax-missing: 50%\n", to: "full.yaml")
    try folder.write(
      #"[{"id": "a", "magnitude": 1}, {"id": "b", "magnitude": 2}, {"id": "c", "magnitude": 3}]"#,
      to: "three.json")
    #expect(try folder.bolide("import", "full.yaml", "three.json", "-q") == .silent)
    #expect(try folder.bolide("status", "-q", "full.yaml") == .silent)
    // Rows that are missing, past their guard.
    try folder.write(#"[{"id": "a", "magnitude": 1}]"#, to: "one.json")
    #expect(try folder.bolide("import", "full.yaml", "one.json", "--accept", "max-missing", "-q") == .silent)
    let missing = try folder.bolide("status", "-q", "full.yaml")
    #expect(missing.status == 79)
    #expect(missing.lines.last?.split(separator: " ").first { $0 == "missing" } != nil)
    #expect(missing.lines.last?.contains(" 2        quakes.sqlite") == true)
    #expect(
      try folder.bolide("status", "full.yaml").lines.contains {
        $0.hasPrefix("missing ") && $0.hasSuffix(" 2 rows of 3; at most 50 % may be")
      })
    #expect(try folder.bolide("status", "full.yaml", "--json").output.contains(#""needsAttention":true,"#))
    #expect(try folder.bolide("import", "full.yaml", "three.json", "-q") == .silent)
    #expect(try folder.bolide("status", "-q", "full.yaml") == .silent)
    // A reader that cannot go on.
    try folder.bolide("readers", "quakes.sqlite", "add", "mirror", "--from", "now").expectSilence()
    try folder.sqlite("quakes.sqlite", "UPDATE bolide_reader SET diverged = 1")
    #expect(
      try folder.bolide("status", "-q", "full.yaml")
        == Outcome(
          status: 79, output: "READER  STATE     STORE\nmirror  diverged  quakes.sqlite\n"))
    let metrics = try folder.bolide("status", "full.yaml", "--format", "prometheus")
    #expect(metrics.status == 0 && metrics.output.contains("bolide_reader_live"))
    // One that is not there, and a pipeline whose store is not.
    #expect(try folder.bolide("status", "-q", "nowhere.sqlite").status == 73)
    let nowhere = try folder.bolide("status", "--json", "nowhere.sqlite", "full.yaml")
    #expect(nowhere.status == 73 && nowhere.lines.count == 2)
    #expect(
      nowhere.lines.last?.hasPrefix(
        #"{"store":"nowhere.sqlite","outcome":"cannotOpen","exitStatus":73,"error":{"code":"cannotOpen","message":"nowhere.sqlite: "#
      )
        == true, "\(nowhere)")
    try folder.write(Folder.quakes.replacing("quakes.sqlite", with: "new.sqlite"), to: "new.yaml")
    let none = try folder.bolide("status", "-q", "new.yaml")
    #expect(none.status == 79 && none.lines.last?.hasPrefix("new       never  ") == true)
  }
}
