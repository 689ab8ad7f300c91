import Bolide
import Foundation

/// Rows under heads, as wide as a terminal allows.
package enum TextTable {
  /// Lines whose columns are as wide as their widest cell. In a window a column in which no row has anything is left out;
  /// where it is narrower, columns of less interest are left out too, and where that is not enough each row is a block of
  /// lines with the heads before its cells.
  ///
  /// - Parameters:
  ///   - rows: the heads, then a row each; a column without a head is shown without one in a block too.
  ///   - numbers: the heads of columns that stand on the right.
  ///   - leastFirst: the heads of columns of less interest.
  ///   - columns: the width of the window; nil where there is none.
  package static func text(
    _ rows: [[String]], numbers: Set<String> = [], leastFirst: [String] = [],
    columns: Int? = terminalColumns(of: STDOUT_FILENO)
  ) -> String {
    var used = rows[0].indices.filter { column in
      columns == nil || rows.dropFirst().contains { !$0[column].isEmpty }
    }
    func lines() -> [String] {
      let widths = used.map { column in rows.map { $0[column].count }.max() ?? 0 }
      return rows.map { row in
        zip(used, widths).map { column, width in
          numbers.contains(rows[0][column])
            ? row[column].indented(to: width) + "  " : row[column].padded(to: width + 2)
        }.joined().trimmedAtEnd
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
    let width = (all.map { rows[0][$0].count }.max() ?? 0) + 2
    return rows.dropFirst().map { row in
      all.filter { !row[$0].isEmpty }.map { column in
        let head = rows[0][column]
        let line = head.isEmpty ? row[column] : head.padded(to: width) + row[column]
        return line.wrapped(to: columns, indent: width) + "\n"
      }.joined()
    }.joined(separator: "\n")
  }
}

extension String {
  /// A line as lines that a window has room for, broken at spaces. A word that is wider than the window stays in one piece,
  /// so that it can be copied.
  ///
  /// - Parameters:
  ///   - width: the window's; nil where there is none, and the line stays as it is.
  ///   - indent: the spaces before each line but the first; half of the window at most.
  package func wrapped(to width: Int? = terminalColumns(of: STDOUT_FILENO), indent: Int) -> String {
    guard let width, columns > width else { return self }
    let margin = String(repeating: " ", count: min(indent, width / 2))
    var (lines, line) = ([String](), nil as String?)
    for word in split(separator: " ", omittingEmptySubsequences: false) {
      if let begun = line {
        let longer = begun + " " + word
        // A line that has not come to the margin yet has as much room as the next one.
        if longer.columns <= width || begun.columns < margin.count {
          line = longer
          continue
        }
        lines.append(begun.trimmedAtEnd)
        line = nil
      }
      if lines.isEmpty { line = String(word) } else if !word.isEmpty { line = margin + word }
    }
    return (lines + [line].compactMap(\.self)).joined(separator: "\n")
  }
}
