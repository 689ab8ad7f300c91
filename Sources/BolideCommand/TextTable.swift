import Bolide
import CommandSupport
import Foundation

/// Rows under heads, as wide as a terminal allows.
enum TextTable {
  /// Lines whose columns are as wide as their widest cell. In a window a column in which no row has anything is left out;
  /// where it is narrower, columns of less interest are left out too, and where that is not enough each row is a block of
  /// lines with the heads before its cells.
  ///
  /// - Parameters:
  ///   - leastFirst: the heads of columns of less interest.
  ///   - columns: the width of the window; nil where there is none.
  static func text(
    _ rows: [[String]], leastFirst: [String] = [], columns: Int? = terminalColumns(of: STDOUT_FILENO)
  ) -> String {
    var used = rows[0].indices.filter { column in
      columns == nil || rows.dropFirst().contains { !$0[column].isEmpty }
    }
    func lines() -> [String] {
      let widths = used.map { column in rows.map { $0[column].count }.max() ?? 0 }
      return rows.map { row in
        zip(used, widths).map { row[$0].padded(to: $1 + 2) }.joined().trimmedAtEnd
      }
    }
    func fits(_ lines: [String]) -> Bool {
      columns.map { width in lines.allSatisfy { $0.count <= width } } ?? true
    }
    let all = used
    for head in [nil] + leastFirst {
      if let head { used.removeAll { rows[0][$0] == head } }
      let lines = lines()
      if fits(lines) { return lines.map { $0 + "\n" }.joined() }
    }
    let width = all.map { rows[0][$0].count }.max() ?? 0
    return rows.dropFirst().map { row in
      all.filter { !row[$0].isEmpty }.map { rows[0][$0].padded(to: width + 2) + row[$0] + "\n" }.joined()
    }.joined(separator: "\n")
  }
}
