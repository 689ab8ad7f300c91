import BolideBench
import Foundation
import Testing

/// `bolide import --dry-run`: what would happen, and nothing does.
@Suite struct DryRunTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withFireballs()
    try folder.generate(FireballFeed(rows: 300, seed: 4), to: "feed.json")
    try folder.generate(FireballFeed(rows: 300, seed: 4, revise: 10, rekey: 5), to: "later.json")
  }

  /// The parts of a report that the clock and the store do not decide.
  private func counts(_ json: String) -> Substring {
    json.prefix { $0 != "}" }.dropFirst(#"{"pipeline":"fireballs","run":"#.count).drop { $0 != "," }
      .split(separator: #","bytes""#, maxSplits: 1)[0]
  }

  @Test func `a store that is not there is not made`() throws {
    let outcome = try folder.bolide("import", "fireballs.yaml", "feed.json", "--dry-run")
    #expect(
      outcome.output.wholeMatch(of: /dry run: fireballs: 300 read = 300 inserted · \d+\.\d\d s\n/) != nil)
    #expect(outcome.errors == "" && outcome.status == 0)
    #expect(!FileManager.default.fileExists(atPath: folder.path("fireballs.sqlite")))
    #expect(!FileManager.default.fileExists(atPath: folder.path("fireballs.sqlite-bolide")))
  }

  @Test func `a guard's message does not say that anything is stored`() throws {
    #expect(try folder.bolide("import", "fireballs.yaml", "feed.json") == .silent)
    let trial = try folder.bolide(
      "import", "fireballs.yaml", "later.json", "--dry-run", "--max-changed", "1%")
    #expect(trial.status == 65)
    #expect(
      trial.errors.hasSuffix(
        "       Nothing of this import is in the store. Check the input. If it is as it should be, import it once all the same: "
          + "--accept max-changed\n"), "\(trial.errors)")
    let cut = try folder.bytes(of: "later.json").dropLast(9)
    try cut.write(to: URL(filePath: folder.path("cut.json")))
    let ended = try folder.bolide("import", "fireballs.yaml", "cut.json", "--dry-run")
    #expect(ended.status == 65)
    #expect(ended.errors.contains("Nothing of this import is in the store."), "\(ended.errors)")
    #expect(!ended.errors.contains("are in the store"), "\(ended.errors)")
  }

  @Test func `it counts what the import then does, and the store has the same bytes`() throws {
    #expect(try folder.bolide("import", "fireballs.yaml", "feed.json") == .silent)
    let before = try folder.bytes(of: "fireballs.sqlite")
    let token = try folder.bytes(of: "fireballs.sqlite-bolide")
    let trial = try folder.bolide("import", "fireballs.yaml", "later.json", "--dry-run", "--json")
    #expect(
      trial.output.hasPrefix(#"{"pipeline":"fireballs","run":null,"outcome":"ok","exitStatus":0,"read":300,"#)
    )
    #expect(trial.output.contains(#""dryRun":true,"#) && trial.output.hasSuffix(#""token":null}"# + "\n"))
    #expect(try folder.bytes(of: "fireballs.sqlite") == before)
    #expect(try folder.bytes(of: "fireballs.sqlite-bolide") == token)
    let real = try folder.bolide("import", "fireballs.yaml", "later.json", "--json")
    #expect(counts(trial.output) == counts(real.output))
    #expect(try folder.bytes(of: "fireballs.sqlite") != before)
  }

  @Test func `refusals and errors are the real ones, with the store's name`() throws {
    try folder.write(
      #"{"fields": ["date", "energy"], "data": [["2001-01-01 00:00:00", "x"]]}"#, to: "bad.json")
    let refused = try folder.bolide("import", "fireballs.yaml", "bad.json", "--dry-run")
    #expect(refused.status == 65 && refused.output == "")
    #expect(
      refused.errors.hasPrefix(
        "bad.json:1:65: record 1: energy: expected a number such as 12.8\ndry run: fireballs: "))
    try folder.write("not a store", to: "fireballs.sqlite")
    #expect(
      try folder.bolide("import", "fireballs.yaml", "feed.json", "--dry-run")
        == .failure(
          73, "fireballs.sqlite: the file is not an SQLite database", "Use another path for the store."))
  }

  @Test func `the copy is its owner's, and goes with the command`() throws {
    #expect(try folder.bolide("import", "fireballs.yaml", "feed.json") == .silent)
    // The import reads its input only when the copy is there.
    let seen = try folder.shell(
      "mkdir tmp; (until ls tmp/bolide-*/store.sqlite > list; do :; done; stat -c %a tmp/bolide-* > mode; "
        + "cat later.json) 2>&- | TMPDIR=$PWD/tmp $bolide import fireballs.yaml - --dry-run; ls tmp | wc -l")
    #expect(try folder.bytes(of: "mode") == Data("700\n".utf8))
    #expect(seen.output.hasPrefix("dry run: fireballs: 300 read = "))
    #expect(seen.output.hasSuffix("\n0\n") && seen.errors == "")
  }

  @Test func `its copy goes with a hang-up, and one that was killed with the next dry run`() throws {
    let temporary = folder.path("temporary")
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
    func copies() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: temporary).filter { $0.hasPrefix("bolide-store-") }
    }
    for signal in [SIGHUP, SIGKILL] {
      let running = try Running(
        "/usr/bin/env", ["TMPDIR=\(temporary)", Folder.tool, "import", "fireballs.yaml", "-", "--dry-run"],
        in: folder, input: .open)
      try running.write(Data("[".utf8))
      try eventually { try copies().count == 1 }
      running.send(signal)
      #expect(try running.outcome(within: 20).status == 128 + signal)
      #expect(try copies().count == (signal == SIGKILL ? 1 : 0))
    }
    // One that is new may be another's that has not locked it yet.
    let dry = #"TMPDIR="$PWD/temporary" "$bolide" import fireballs.yaml feed.json --dry-run"#
    #expect(try folder.shell(dry).status == 0)
    #expect(try copies().count == 1)
    // Somebody else's folder stays, whatever its name, and so does one with something else in it.
    let others = ["bolide-\(UUID().uuidString)", "bolide-store-1", "bolide-store-\(UUID().uuidString)"]
    for other in others {
      #expect(try folder.shell("mkdir temporary/\(other); touch temporary/\(other)/mine").status == 0)
    }
    #expect(try folder.shell("touch -d '2 minutes ago' temporary/*; \(dry)").status == 0)
    let left = try Set(FileManager.default.contentsOfDirectory(atPath: temporary))
    #expect(left == Set(others))
  }
}
