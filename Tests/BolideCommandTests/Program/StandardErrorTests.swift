import Foundation
import Testing

/// Standard error that takes nothing: every command does its work, and ends with the status of its own.
@Suite struct StandardErrorTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(#"[{"id": "a"}, {"id": "b"}]"#, to: "feed.json")
    try folder.write(#"[{"id": "c", "magnitude": "strong"}, {"id": "d"}]"#, to: "bad.json")
    let quakes = try String(decoding: folder.bytes(of: "quakes.yaml"), as: UTF8.self)
    try folder.write(quakes.replacing("key: id", with: "key: id\nfeed: full"), to: "quakes.yaml")
    try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    try #require(
      try folder.bolide("readers", "quakes.sqlite", "add", "map", "--from", "beginning") == .silent)
  }

  static let commands: [(String, Int32)] = [
    ("import quakes.yaml bad.json", 65),
    ("import quakes.yaml bad.json --max-rejects 1", 3),
    ("import quakes.yaml bad.json --max-rejects 1 -v --atomic", 3),
    ("import quakes.yaml nope.json", 66),
    ("token nope.sqlite", 73),
    ("changes nope.sqlite", 73),
    ("changes quakes.sqlite --reader map -- no-such-command", 127),
    ("status nope.sqlite", 73),
    ("prune quakes.sqlite -v --keep-transactions 0", 0),
    ("missing quakes.sqlite --delete -v", 0),
    ("delete quakes.sqlite Quake -v --all", 0),
    ("fetch quakes.sqlite Quack", 64),
    ("no-such-command", 64),
    ("status --no-such-option", 64),
  ]

  /// The superuser's `/dev/full` says that the disk is full; a descriptor that is closed says so too.
  static let places = (FileManager.default.fileExists(atPath: "/dev/full") ? ["/dev/full"] : []) + ["&-"]

  @Test(arguments: commands, places) func `a command ends with its own status`(
    command: (text: String, status: Int32), place: String
  ) throws {
    let outcome = try folder.shell(#""$bolide" \#(command.text) 2>\#(place)"#)
    #expect(outcome == Outcome(status: command.status), "\(command.text)")
    // Nothing was written into a file of the store that got the closed one's number.
    let memory = try folder.bytes(of: "quakes.sqlite-bolide").prefix { $0 != UInt8(ascii: " ") }
    #expect(
      try folder.bolide("token", "quakes.sqlite").output == String(decoding: memory, as: UTF8.self) + "\n")
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `a reader of standard error that has gone changes nothing`() throws {
    let outcome = try folder.shell(
      #"{ "$bolide" token nope.sqlite 2>&1 >/dev/null; echo $? > status; } | true; cat status"#)
    #expect(outcome.output == "73\n")
  }

  @Test func `what a command prints goes where it is meant to go, and nowhere else`() throws {
    let outcome = try folder.shell(
      #""$bolide" import quakes.yaml bad.json --max-rejects 1 --json 2>&-; "$bolide" token quakes.sqlite >&-"#
    )
    #expect(outcome.status == 74 && outcome.lines.count == 1)
    #expect(
      outcome.errors
        == """
        Error: standard output cannot be written (Bad file descriptor).
               Check its destination, and run the same command again.

        """)
  }

  @Test func `a command that closes its input is asked for its status`() throws {
    let outcome = try folder.shell(
      #""$bolide" changes quakes.sqlite --reader map -- sh -c 'exec <&-; exit 9' 2>&-"#)
    #expect(outcome == Outcome(status: 9))
  }

  @Test func `an output that does not wait gets all the same`() throws {
    let told = try folder.python(
      #"""
      import fcntl, os, subprocess, sys, time
      end, begin = os.pipe()
      fcntl.fcntl(begin, fcntl.F_SETFL, os.O_NONBLOCK)
      tool = subprocess.Popen([sys.argv[1], "generate", "fireballs", "--rows", "3000"], stdout=begin)
      os.close(begin)
      # More than the pipe holds: it is full now, or soon.
      time.sleep(0.3)
      text = b""
      while piece := os.read(end, 65536): text += piece
      plain = subprocess.run([sys.argv[1], "generate", "fireballs", "--rows", "3000"], capture_output=True).stdout
      print(tool.wait(), text == plain, len(plain) > 100000)
      """#, Folder.tool)
    #expect(told == "0 True True\n")
  }
}
