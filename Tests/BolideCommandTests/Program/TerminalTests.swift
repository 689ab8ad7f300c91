import BolideBench
import Foundation
import Testing

/// What a person sees on a terminal.
@Suite struct TerminalTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withFireballs()
    try folder.generate(FireballFeed(rows: 10_000, seed: 1), to: "feed.json")
  }

  /// What a program writes to a terminal on standard error, and how long it took.
  private func onTerminal(
    columns: Int, setting: String = "", _ arguments: [String], input: String = ""
  ) throws -> (status: Int, text: String, seconds: Double) {
    let program = """
      import fcntl, os, pty, struct, subprocess, sys, termios, threading, time
      setting, columns, feed = sys.argv[1], int(sys.argv[2]), sys.argv[3]
      terminal, side = pty.openpty()
      fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
      # The text as it was written, without the terminal's own carriage returns.
      modes = termios.tcgetattr(side)
      modes[1] &= ~termios.OPOST
      termios.tcsetattr(side, termios.TCSANOW, modes)
      environment = dict(os.environ)
      if setting: environment.update([setting.split("=")])
      start = time.monotonic()
      pipe = subprocess.PIPE if feed else subprocess.DEVNULL
      tool = subprocess.Popen(sys.argv[4:], stdin=pipe, stderr=side, stdout=subprocess.DEVNULL, env=environment)
      os.close(side)
      def slowly():
        bytes = open(feed, "rb").read()
        step = len(bytes) // 15 + 1
        for at in range(0, len(bytes), step):
          tool.stdin.write(bytes[at:at + step]); tool.stdin.flush(); time.sleep(0.1)
        tool.stdin.close()
      if feed: threading.Thread(target=slowly).start()
      text = b""
      while True:
        try: piece = os.read(terminal, 65536)
        except OSError: break
        if not piece: break
        text += piece
      status = tool.wait()
      sys.stdout.buffer.write(b"%d %f\\n" % (status, time.monotonic() - start) + text)
      """
    let output = try folder.run(
      "python3", ["-c", program, setting, "\(columns)", input, Folder.tool] + arguments
    ).output
    let end = try #require(output.firstIndex(of: "\n"))
    let head = output[..<end].split(separator: " ")
    return (
      try #require(Int(head[0])), String(output[output.index(after: end)...]), try #require(Double(head[1]))
    )
  }

  /// The lines that were drawn over each other, the report left out, and what is left in the end.
  private func frames(_ text: String) -> (frames: [String], last: String) {
    let parts = text.split(separator: "\r", omittingEmptySubsequences: false).map(String.init)
    return (Array(parts.dropFirst().dropLast(2)), parts.last ?? "")
  }

  private static let arguments = ["import", "fireballs.yaml", "--chunk-rows", "8"]

  @Test(arguments: [(80, ""), (80, "NO_COLOR=1"), (80, "TERM=dumb"), (40, ""), (12, "")])
  func `a file's progress is one line, gone when done`(columns: Int, setting: String) throws {
    let run = try onTerminal(columns: columns, setting: setting, Self.arguments + ["feed.json", "--force"])
    #expect(run.status == 0)
    #expect(!run.text.contains("\u{1b}"))
    let (frames, last) = frames(run.text)
    #expect(frames.count >= 2)
    #expect(Double(frames.count) <= run.seconds * 10 + 1)
    #expect(frames.allSatisfy { $0.count < columns })
    let pattern = [
      80: #"fireballs  \d+ %  \d+( k)? rows  \d+( k)?/s(  ETA \d+:\d\d)? *"#,
      40: #"fireballs  \d+ %  \d+( k)? rows(  ETA \d+:\d\d|  \d+( k)?/s)? *"#, 12: #"\d+ % *"#,
    ]
    let shape = try Regex(try #require(pattern[columns]))
    for frame in frames { #expect(frame.wholeMatch(of: shape) != nil, "'\(frame)'") }
    let percents = frames.compactMap { $0.firstMatch(of: #/(\d+) %/#).flatMap { Int($0.1) } }
    #expect(percents == percents.sorted() && percents.last ?? 100 < 100)
    #expect(
      last.wholeMatch(of: #/fireballs: 10000 read = 10000 inserted · \S+ s · token \S+\n/#) != nil, "\(last)")
  }

  @Test func `a pipe's progress is its rate, and what was rejected`() throws {
    let feed = try String(decoding: folder.bytes(of: "feed.json"), as: UTF8.self)
    // A bad record early, and the rest of the feed slowly.
    let start = try #require(feed.range(of: #""data":["#))
    try folder.write(
      feed[..<start.upperBound] + #"["x",null,null,null,null,null,null,null,null],"#
        + feed[start.upperBound...], to: "bad.json")
    let run = try onTerminal(columns: 80, Self.arguments, input: folder.path("bad.json"))
    #expect(run.status == 65)
    let (frames, _) = frames(run.text.replacing("\n", with: "\r"))
    let progress = frames.filter { $0.contains(" rows ") }
    #expect(progress.count >= 2)
    for frame in progress {
      #expect(
        frame.wholeMatch(of: #/fireballs  \d+( k)? rows  \d+( k)?/s  \d+( k| M|\.\d M)?B/s  1 rejected */#)
          != nil, "'\(frame)'")
    }
  }

  @Test func `a quick import draws nothing, and -q never does`() throws {
    try folder.generate(FireballFeed(rows: 10, seed: 1), to: "small.json")
    let quick = try onTerminal(columns: 80, ["import", "fireballs.yaml", "small.json"])
    #expect(quick.text.hasPrefix("fireballs: 10 read = 10 inserted"))
    #expect(try onTerminal(columns: 80, Self.arguments + ["feed.json", "-q"]).text.isEmpty)
  }

  @Test func `the bench draws its line as an import does`() throws {
    let run = try onTerminal(
      columns: 20, ["bench", "parse", "--rows", "1000", "--runs", "1", "--no-peers"])
    #expect(run.status == 0)
    #expect(!run.text.contains("\u{1b}"))
    let (frames, last) = frames(run.text)
    #expect(frames.count >= 2 && frames.allSatisfy { $0.count < 20 })
    #expect(frames.contains { $0.hasPrefix("parse: ") } && last.isEmpty)
  }

  @Test func `nothing of a feed, a pipeline or a name is obeyed by a terminal`() throws {
    // Clears the screen, rings, turns letters around, in every place that a feed can reach.
    let evil = "e\u{1b}[2J\u{7}\u{202e}\u{9b}1m\u{7f}\\n"
    let json = evil.replacing("\u{1b}", with: "\\u001b").replacing("\u{7}", with: "\\u0007")
    let quoted = json.replacing("\u{9b}", with: "\\u009b").replacing("\u{7f}", with: "\\x7f")
    try folder.write(
      #"{"fields": ["date", "energy", "\#(json)", "lat-dir"], "data": [["2020-01-01 00:00:00", "1", "\#(json)", null],"#
        + #"["\#(json)", "1", null, null], ["2020-01-02 00:00:00", "\#(json)", null, "\#(json)"]]}"#,
      to: "evil.json")
    try folder.write(
      """
      bolide: 1
      name: "\(quoted)"
      store: evil.sqlite
      entity: Thing
      key: name
      attributes: { name: string, data: json, "a\\u001b": string }
      """, to: "evil.yaml")
    try folder.write(#"[{"name": "\#(json)", "data": {"\#(json)": "\#(json)"}}]"#, to: "things.json")
    try folder.write(
      "bolide: 1\nstore: things.sqlite\nentity: Thing\nkey: name\nattributes: { name: string, data: json }\n",
      to: "things.yaml")
    let commands = [
      ["import", "fireballs.yaml", "evil.json", "--max-rejects", "9"], ["rejects", "fireballs.sqlite"],
      ["rejects", "fireballs.sqlite", "--format", "ndjson"], ["check", "fireballs.yaml", "evil.json"],
      ["init", "evil.json"], ["check", "evil.yaml"], ["import", "evil.yaml", "things.json"],
      ["import", "things.yaml", "things.json", "-v"], ["changes", "things.sqlite", "--values"],
      ["changes", "things.sqlite", "--values", "--format", "table"], ["status", "fireballs.sqlite"],
      ["init", "things.json"], ["import", "things.yaml", evil], ["import", evil], ["status", evil],
      ["import", "things.yaml", "things.json", "--store", "/nosuch\(evil)/x"],
      ["changes", "things.sqlite", "--since", evil],
    ]
    var shown = 0
    for arguments in commands {
      let outcome = try Running(Folder.tool, arguments, in: folder, input: .nothing).outcome()
      let text = outcome.output + outcome.errors
      let obeyed = text.unicodeScalars.filter {
        $0 != "\n" && ($0.value < 0x20 || (0x7f...0x9f).contains($0.value) || $0.value == 0x202e)
      }
      #expect(obeyed.isEmpty, "\(arguments): \(text.debugDescription)")
      if text.contains("202e") { shown += 1 }
    }
    // The names are not left out, either.
    #expect(shown >= 10)
  }

  @Test func `a misspelt command is told which one was meant`() throws {
    for (arguments, sentence) in [
      (["improt", "a.yaml"], "unknown command 'improt'; did you mean 'import'?"),
      (["generate", "firebals"], "unknown command 'firebals'; did you mean 'fireballs'?"),
      (["generate", "x"], "unknown command 'x'"),
      (["stat\u{1b}us"], #"unknown command 'stat\u{1b}us'; did you mean 'status'?"#),
      (["status", "--jsn", "x"], "Unknown option '--jsn'. Did you mean '--json'?"),
    ] {
      let outcome = try Running(Folder.tool, arguments, in: folder, input: .nothing).outcome()
      #expect(outcome.status == 64)
      #expect(outcome.errors.hasPrefix("Error: \(sentence)\n"), "\(outcome.errors)")
    }
  }
}
