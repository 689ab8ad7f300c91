import ArgumentParser
import BolideBench

/// `bolide bench`
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures throughput on this machine, and checks what it measured.",
    subcommands: [BenchParse.self])
}

/// `bolide bench parse`
struct BenchParse: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parse",
    abstract: "Measures the parser alone.",
    discussion:
      "Inputs are made in memory and fed in pieces of 256 KiB, in turn. Build in release to measure.")

  @Option(help: ArgumentHelp("How many fireballs; the other inputs follow.", valueName: "n"))
  var rows: Int = 1_000_000

  @Option(help: ArgumentHelp("How often each input is parsed.", valueName: "n"))
  var runs: Int = 5

  func validate() throws {
    guard rows >= 10, runs >= 1 else { throw ValidationError("--rows is at least 10, --runs at least 1") }
  }

  func run() throws {
    do {
      for result in try ParseBench.run(rows: rows, runs: runs) {
        print(result.line)
      }
    } catch {
      throw Failure(error)
    }
  }
}

extension ParseBench.Result {
  /// `fireballs, every cell    1000000 records   71.1 MB   780 MB/s (760-790)`
  fileprivate var line: String {
    func rate(_ seconds: Double) -> Int { Int(Double(bytes) / seconds / 1e6) }
    let range = "\(rate(measure.seconds.last ?? 0))-\(rate(measure.seconds.first ?? 0))"
    let megabytes = "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
    return name.padded(to: 26) + "\(records) records".padded(to: 18) + megabytes.padded(to: 12)
      + "\(rate(measure.median)) MB/s (\(range))"
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - count))
  }
}
