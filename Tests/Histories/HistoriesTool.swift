import Foundation
import RandomHistories

/// `histories [COUNT [SEED [PATIENCE]]] [seam]`: see `.ci/histories`.
@main struct HistoriesTool {
  static func main() async {
    let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    let (count, first) = (numbers.first ?? 1000, numbers.dropFirst().first ?? 0)
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
}
