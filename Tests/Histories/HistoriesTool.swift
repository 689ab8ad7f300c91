import Bolide
import Foundation
import RandomHistories
import StoreInterface
import TestServer

/// `histories [COUNT [SEED [PATIENCE]]] [seam|server]`: see `.ci/histories`.
@main struct HistoriesTool {
  static func main() async {
    let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    let (count, first) = (numbers.first ?? 1000, numbers.dropFirst().first ?? 0)
    if CommandLine.arguments.contains("server") { return compareServer(first..<first + count) }
    var histories = Histories(first..<first + count)
    histories.throughSeam = CommandLine.arguments.contains("seam")
    histories.patience = numbers.dropFirst(2).first ?? 1
    await histories.run { done, steps in
      FileHandle.standardError.write(Data("\(done) histories, \(steps) steps\n".utf8))
    } tell: { seed, problem in
      FileHandle.standardOutput.write(Data("difference at seed \(seed)\n\(problem)\n\n".utf8))
    }
    if histories.differences.isEmpty {
      print("\(count) histories of random models, \(histories.steps) steps: no difference")
    } else {
      print(
        "seeds with a difference: \(histories.differences.sorted().map(String.init).joined(separator: " "))")
      exit(1)
    }
  }

  /// Random imports into SQLite and into a PostgreSQL server of the process's own.
  private static func compareServer(_ seeds: Range<Int>) {
    var (isEqual, refused) = (true, 0)
    for seed in seeds {
      do {
        let server = try TestServer.shared.get()
        let schema = "s\(seed)"
        try TwoEngines(seed) { pipeline in
          try StoreAddress(server.address(schema: schema)).open(for: pipeline, lockWait: 10)
        } program: {
          try server.psql($0, schema: schema)
        }.run()
        try server.psql("DROP SCHEMA \(schema) CASCADE", schema: schema)
      } catch let error as StoreError where error.code == .unsupported {
        refused += 1
      } catch {
        isEqual = false
        print("difference at seed \(seed)\n\(error)\n")
      }
    }
    if !isEqual { exit(1) }
    print("\(seeds.count) histories of random models on two engines, \(refused) refused: no difference")
  }
}
