import BolideBench
import Foundation
import Testing

/// Arguments and options: what there is, and what is rejected.
@Suite struct CommandLineTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
  }

  @Test(arguments: [
    (
      [],
      [
        "--version", "-h, --help", "import", "check", "changes", "verify", "rejects", "generate", "status",
        "EXIT STATUS:",
      ]
    ),
    (
      ["import"],
      [
        "<pipeline>", "<input>", "--store <path>", "--author <name>", "--max-rejects <n|p%>",
        "--chunk-rows <n>",
        "--lock-wait <time>", "--json", "-v, --verbose", "-q, --quiet",
      ]
    ),
    (["check"], ["<pipeline>"]),
    (
      ["changes"],
      [
        "<store>", "--since <token|number|date>", "--author <name>", "--not-author <name>", "--entity <name>",
        "--kind <kind>", "--attribute <name>", "--net", "--values", "--previous", "--limit <n>", "--count",
        "--format <format>",
      ]
    ),
    (["status"], ["<store>", "--format <format>", "--json", "-q, --quiet"]),
    (["verify"], ["<store>"]),
    (["rejects"], ["<store>", "--run <n>", "--format <format>"]),
    (["generate"], ["fireballs"]),
    (
      ["generate", "fireballs"],
      [
        "--rows <n>", "--seed <s>", "--revise <p%>", "--rekey <p%>", "--drop <p%>", "--order <order>",
        "--data-first",
      ]
    ),
  ]) func `help names every option`(command: [String], options: [String]) throws {
    let outcome = try Running(Folder.tool, command + ["--help"], in: folder, input: .nothing).outcome()
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    let words = outcome.output
    for option in options {
      #expect(words.contains("  \(option) ") || words.contains("\(option)\n"), "\(option)")
    }
  }

  @Test func `help lists the exit statuses`() throws {
    let help = try folder.bolide("--help").output
    for status in [0, 3, 64, 65, 66, 70, 73, 74, 75, 78, 79, 80, 81, 82, 83] {
      #expect(help.contains("\n  \(status) "), "\(status)")
    }
    #expect(help.contains("\n  128+n "))
  }

  @Test func `the version is one line`() throws {
    let outcome = try folder.bolide("--version")
    #expect(outcome.status == 0)
    #expect(
      outcome.output.wholeMatch(of: /bolide \d+\.\d+\.\d+ \(SQLite \d+\.\d+\.\d+, zlib \d+\.\d+\.\d+\S*\)\n/)
        != nil)
  }

  @Test(arguments: [
    (["import"], "Missing expected argument '<pipeline>'"),
    (["import", "quakes.yaml", "--stor", "x"], "Unknown option '--stor'. Did you mean '--store'?"),
    (["import", "quakes.yaml", "--chunk-rows", "0"], "--chunk-rows must be at least 1"),
    (
      ["import", "quakes.yaml", "--max-rejects", "some"],
      "The value 'some' is invalid for '--max-rejects <n|p%>': "
        + "'some' is neither a number of records nor a share such as 2%"
    ),
    (
      ["import", "quakes.yaml", "--max-rejects", "101%"],
      "The value '101%' is invalid for '--max-rejects <n|p%>': "
        + "'101%' is neither a number of records nor a share such as 2%"
    ),
    (
      ["import", "quakes.yaml", "--lock-wait", "5x"], "The value '5x' is invalid for '--lock-wait <time>'"
    ),
    (["changes"], "Missing expected argument '<store>'"),
    (["check"], "Missing expected argument '<pipeline>'"),
    (["verify"], "Missing expected argument '<store>'"),
    (["rejects"], "Missing expected argument '<store>'"),
    (["nosuch"], "unknown command 'nosuch'"),
    (["ver"], "unknown command 'ver'; did you mean 'verify'?"),
    (["import", "--max-rej", "3"], "Unknown option '--max-rej'. Did you mean '--max-rejects'?"),
    (["status", "--formatting", "x"], "Unknown option '--formatting'. Did you mean '--format'?"),
    (["import", "a", "--zzz"], "Unknown option '--zzz'"),
    (
      ["changes", "a", "--reader", "r", "--since", "1"],
      "--reader and --since cannot be combined: the reader's position is the start"
    ),
    (
      ["changes", "a", "--count", "--", "cat"],
      "--count and a command cannot be combined"
    ),
    (["changes", "a", "--ids", "--", "cat"], "--ids and a command cannot be combined"),
    (["changes", "a", "--ids", "--count"], "--count, --ids and --transactions cannot be combined"),
    (["changes", "a", "--ids", "--format", "ndjson"], "--ids cannot be combined with --format"),
    (
      ["changes", "a", "--transactions", "--values"],
      "--values and --previous cannot be combined with --ids or --transactions"
    ),
    (
      ["changes", "a", "--follow", "--limit", "3"],
      "--follow cannot be combined with --count, --ids, --limit or --until"
    ),
    (
      ["changes", "a", "--reader", "r", "--limit", "3", "--", "cat"],
      "--reader with a command cannot be combined with --limit: the command receives whole transactions"
    ),
    (["readers", "a", "list", "map"], "'list' takes no name"),
    (["readers", "a", "drop", "map", "--from", "now"], "'drop' takes no --from"),
    (
      ["snapshot", "a", "--reader", "map"],
      "--reader requires a command after --; or move the reader afterwards: `bolide readers STORE reset NAME --from TOKEN`"
    ),
    (
      ["snapshot", "a", "--sqlite", "b", "--", "cat"],
      "--sqlite and a command cannot be combined"
    ),
    (["schema"], "name a store or a pipeline, or use --pipeline-format"),
    (["schema", "a", "--markdown"], "--markdown requires --pipeline-format"),
    (["generate", "fireballs", "--rows", "many"], "The value 'many' is invalid for '--rows <n>'"),
    (["generate", "fireballs", "--rows", "99999999999"], "--rows is 0 to 1000000000"),
    (["generate", "fireballs", "--revise", "101%"], "The value '101%' is invalid for '--revise <p%>'"),
    (
      ["generate", "fireballs", "--revise", "60%", "--rekey", "30", "--drop", "20%"],
      "--revise, --rekey and --drop are 100 % together at most"
    ),
    (
      ["generate", "fireballs", "--order", "sideways"],
      "The value 'sideways' is invalid for '--order <order>'. "
        + "Please provide one of 'newest-first', 'oldest-first' or 'shuffled'."
    ),
  ]) func `a wrong call is rejected before anything is done`(arguments: [String], sentence: String) throws {
    let outcome = try Running(Folder.tool, arguments, in: folder, input: .nothing).outcome()
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("Error: \(sentence)\n"), "\(outcome.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("quakes.sqlite")))
  }

  @Test func `a generated feed is the library's, byte for byte, whatever its order and shares`() throws {
    let calls: [([String], FireballFeed)] = [
      ([], FireballFeed(rows: 1_000, seed: 1)),
      (["--rows", "200", "--seed", "7"], FireballFeed(rows: 200, seed: 7)),
      (
        ["--rows", "200", "--revise", "30%", "--rekey", "20", "--drop", "2.5%"],
        FireballFeed(rows: 200, seed: 1, revise: 30, rekey: 20, drop: 2.5)
      ),
      (
        ["--rows", "200", "--order", "shuffled", "--data-first"],
        FireballFeed(rows: 200, seed: 1, options: .init(dataFirst: true, order: .shuffled))
      ),
      (["--rows", "0"], FireballFeed(rows: 0, seed: 1)),
    ]
    for (arguments, feed) in calls {
      let outcome = try Running(
        Folder.tool, ["generate", "fireballs"] + arguments, in: folder, input: .nothing
      )
      .outcome()
      #expect(outcome == Outcome(status: 0, output: String(decoding: ReadFeed.bytes(feed), as: UTF8.self)))
    }
  }
}
