import Foundation
import Testing

/// What goes with the tool when it is installed.
@Suite struct InstallTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
  }

  private static func has(_ program: String) -> Bool {
    (try? Folder().run("sh", ["-c", "command -v \(program)"]).status) == 0
  }

  @Test(arguments: ["bash", "zsh", "fish"]) func `a shell can complete commands and options`(shell: String)
    throws
  {
    let outcome = try folder.bolide("--generate-completion-script", shell)
    #expect(outcome.status == 0)
    for word in ["import", "status", "max-rejects", "prometheus"] {
      #expect(outcome.output.contains(word), "\(word)")
    }
    guard Self.has(shell) else { return }
    try folder.write(outcome.output, to: "script")
    #expect(try folder.run(shell, ["-n", "script"]) == .silent)
  }

  @Test(.enabled(if: has("bash"), "there is no bash")) func `bash offers what fits`() throws {
    let outcome = try folder.run(
      "bash",
      [
        "-c",
        """
        source <("$0" --generate-completion-script bash)
        COMP_WORDS=(bolide sta) COMP_CWORD=1
        _bolide bolide sta bolide; echo "${COMPREPLY[@]}"
        """, Folder.tool,
      ])
    #expect(outcome.output == "status\n", "\(outcome)")
    try folder.write("", to: "fires.yaml")
    let files = try folder.run(
      "bash",
      [
        "-c",
        """
        source <("$0" --generate-completion-script bash)
        COMP_WORDS=(bolide import fi) COMP_CWORD=2
        _bolide bolide fi import; echo "${COMPREPLY[@]}"
        """, Folder.tool,
      ])
    #expect(files.output == "fires.yaml\n", "\(files)")
  }

  @Test(arguments: [["bench"], ["generate", "fireballs"], ["help", "bench"]])
  func `bench and generate say where their program should be`(arguments: [String]) throws {
    try FileManager.default.copyItem(atPath: Folder.tool, toPath: folder.path("bolide"))
    let path = folder.url.resolvingSymlinksInPath().appending(path: "bolide-bench").path(
      percentEncoded: false)
    #expect(
      try folder.run(folder.path("bolide"), arguments)
        == .failure(
          74, "\(path): no such program; `bolide bench` and `bolide generate` require it",
          "Build it with `swift build -c release --product bolide-bench`, or put it beside bolide."))
  }

  @Test(.enabled(if: has("systemd-analyze"), "there is no systemd-analyze"))
  func `systemd finds no fault with the service and the timer`() throws {
    let units = Folder.repository.appending(path: "pipelines/systemd")
    for name in try FileManager.default.contentsOfDirectory(atPath: units.path) {
      let text = try String(contentsOf: units.appending(path: name), encoding: .utf8)
      // The tool is not installed where it is tested.
      try folder.write(text.replacing("/usr/local/bin/bolide", with: Folder.tool), to: name)
    }
    let outcome = try folder.run(
      "systemd-analyze",
      ["verify", folder.path("bolide@quakes.service"), folder.path("bolide@quakes.timer")])
    #expect(outcome == .silent)
  }

  @Test func `the service's command imports, and passes on what went wrong`() throws {
    let unit = try String(
      contentsOf: Folder.repository.appending(path: "pipelines/systemd/bolide@.service"), encoding: .utf8)
    let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
    // As systemd would run it, with a feed of our own and a folder for its two.
    let command = line.dropFirst("ExecStart=".count).replacing("%i", with: "quakes")
      .replacing("/usr/local/bin/bolide", with: Folder.tool).replacing("/srv/bolide", with: folder.path("."))
      .replacing(#/curl .*? --config /#, with: "cat ")
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "pipelines"), withIntermediateDirectories: true)
    // As the shipped ones do, it names its store in the folder above.
    try folder.write(
      Folder.quakes.replacing("store: quakes", with: "store: ../quakes"), to: "pipelines/quakes.yaml")
    try folder.write(#"[{"id": "a"}]"#, to: "feed")
    let good = try folder.shell("export CREDENTIALS_DIRECTORY=.; \(command)")
    #expect(good.status == 0)
    #expect(
      good.output.hasPrefix(
        #"{"pipeline":"quakes","run":1,"outcome":"ok","exitStatus":0,"read":1,"inserted":1,"#), "\(good)")
    #expect(try folder.count("Quake", in: "quakes.sqlite") == 1)
    // The one line that watches all of them.
    #expect(try folder.shell(#""$bolide" status -q pipelines/*.yaml"#) == .silent)
    #expect(try folder.shell("export CREDENTIALS_DIRECTORY=nosuch; \(command) 2> /dev/null").status == 66)
    // The feed's address may hold a key: it stands in no command line, and in no file that all may read.
    #expect(unit.contains("\nLoadCredential=feed:/etc/bolide/%i.curl\n") && !unit.contains("EnvironmentFile"))
    #expect(unit.contains("\nMemoryMax=") && unit.contains("\nLimitFSIZE="))
  }

  @Test func `a bare environment is enough`() throws {
    try folder.write(#"[{"id": "a"}]"#, to: "feed.json")
    #expect(
      try folder.run(
        "env", ["-i", Folder.tool, "import", folder.path("quakes.yaml"), folder.path("feed.json")]) == .silent
    )
    #expect(
      try folder.run("env", ["-i", Folder.tool, "status", "-q", folder.path("quakes.yaml")]) == .silent)
  }
}
