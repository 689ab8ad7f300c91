import Foundation
import JSONStream
import Testing

/// Lines of cells: RFC 4180, and what feeds make of it.
@Suite struct DelimitedTests {
  private static let tab = UInt8(ascii: "\t")

  private func rows(_ text: String, _ fields: [String], _ shape: RecordShape = .delimited()) -> Reading {
    Reading(text, fields: fields, shape: shape)
  }

  @Test func `cells go to the fields that their columns name`() {
    let reading = rows("b,a,c\n1,2,3\n\"x, y\",\"say \"\"hi\"\"\",\n", ["a", "b", "d", "a"])
    #expect(reading.error == nil)
    #expect(reading.texts == [["2", "1", "absent", "2"], [#"say "hi""#, "x, y", "absent", #"say "hi""#]])
    #expect(reading.envelope?.names == ["b", "a", "c"])
    #expect(reading.shape == "lines of comma-separated values, named by the first of them")
    #expect(reading.records.map(\.position.line) == [2, 3])
    #expect(reading.records[1].fields.map(\.byte) == [19, 12, nil, 19])
    #expect(reading.records[1].text == #""x, y","say ""hi""","#)
  }

  @Test(arguments: ["\n", "\r\n", "\r"]) func `lines end with LF, CRLF or CR, and the last one needs no end`(
    end: String
  ) {
    for last in ["", end, end + end] {
      let text = ["a,b", "1,\"2\"", "", "3,\"4\(end)5\""].joined(separator: end) + last
      let reading = rows(text, ["a", "b"])
      #expect(reading.error == nil && reading.records.allSatisfy { $0.problem == nil })
      #expect(reading.texts == [["1", "2"], ["3", "4\(end)5"]])
    }
  }

  @Test func `a quote within a cell that has none before it is a character like any other`() {
    #expect(rows("a,b\n5\" pipe,x\"y\"\n", ["a", "b"]).texts == [["5\" pipe", "x\"y\""]])
  }

  @Test func `tabs and other characters stand between cells as well`() {
    #expect(rows("a\tb\n1\t\"2\t3\"\n", ["a", "b"], .delimited(by: Self.tab)).texts == [["1", "2\t3"]])
    let reading = rows("1;2,5\n", ["b"], .delimited(by: UInt8(ascii: ";"), names: ["a", "b"]))
    #expect(reading.texts == [["2,5"]])
    #expect(reading.shape == "lines of values separated by ';', with given names")
  }

  @Test func `a line that repeats the names is no record, where there are two or more`() {
    #expect(rows("a,b\n1,2\na,b\n3,4", ["a"]).texts == [["1"], ["3"]])
    #expect(rows("a\n1\na\n", ["a"]).texts == [["1"], ["a"]])
    #expect(rows("a,b\n1,2\n", ["a"], .delimited(names: ["a", "b"])).texts == [["1"]])
    #expect(rows("a\n1\n", ["a"], .delimited(names: ["a"])).texts == [["a"], ["1"]])
    #expect(rows("\u{feff}a,b\n1,2\n\u{feff}a,b\n3,4", ["a"]).texts == [["1"], ["3"]])
  }

  /// The second of three lines, what is wrong in it, and where.
  private static let broken: [(line: String, place: Position, sentence: String)] = [
    (
      "2,\"x\"y", Position(byte: 13, line: 3, column: 6),
      "found 'y' after a closing quote; expected the next cell or the end of the line"
    ),
    (
      "2,\"x", Position(byte: 10, line: 3, column: 3),
      "found a quote that never closes; expected a closing quote"
    ),
    (
      "2,\"x\n3,4\n\"5\"", Position(byte: 10, line: 3, column: 3),
      "found a quote that never closes; expected a closing quote"
    ),
    ("2,x\u{0}", Position(byte: 11, line: 3, column: 4), "found a NUL byte; expected text"),
    (
      "2,\"\n\u{0}\"", Position(byte: 10, line: 3, column: 3),
      "found a quote that never closes; expected a closing quote"
    ),
    (
      "2," + String(repeating: "x", count: 60), Position(byte: 8, line: 3, column: 1),
      "found a record over the limit of 60 bytes; expected a smaller one"
    ),
  ]

  @Test(arguments: broken.indices, [[Int.max], [1], [7]])
  func `a broken line is a record with a problem, and the next one is read`(index: Int, pieces: [Int]) throws
  {
    let (line, place, sentence) = Self.broken[index]
    let reading = Reading(
      "a,b\n0,1\n\(line)\n8,9\n", fields: ["a"], shape: .delimited(),
      limits: ReaderLimits(recordBytes: 60), pieces: pieces)
    #expect(reading.error == nil)
    let bad = try #require(reading.records.first { $0.problem != nil })
    guard case .brokenLine(let error) = bad.problem else {
      Issue.record("\(String(describing: bad.problem))")
      return
    }
    #expect(error.description == sentence)
    #expect(error.position == place && bad.number == 2)
    #expect(reading.texts.first == ["0"] && reading.texts.last == ["8"])
  }

  @Test func `a line with too few or too many cells is a record with a problem`() {
    let reading = rows("a,b\n1\n2,3,4\n5,6\n", ["a", "b"])
    #expect(
      reading.records.map(\.problem) == [
        .wrongLength(found: 1, expected: 2), .wrongLength(found: 3, expected: 2), nil,
      ])
  }

  @Test(arguments: [
    ("", "no-header", "found no line; expected one with the columns' names", 1),
    ("\n\r\n", "no-header", "found no line; expected one with the columns' names", 3),
    ("a,b,a\n1,2,3\n", "duplicate-name", "found two columns with the name 'a'; expected one", 1),
    ("<!DOCTYPE html>\n", "markup", "found an HTML or XML page; expected records", 1),
    ("a,\"b\n1,2\n", "unclosed-quote", "found a quote that never closes; expected a closing quote", 1),
    ("a,b\n1,\"2", "unclosed-quote", "found a quote that never closes; expected a closing quote", 2),
    ("a\0,\0b\0", "utf-16", "found UTF-16; expected UTF-8", 1),
  ]) func `what ends the input`(text: String, code: String, sentence: String, line: Int) {
    let error = rows(text, ["a"]).error
    #expect(error?.code.rawValue == code)
    #expect(error?.description == sentence)
    #expect(error?.position.line == line)
  }

  @Test func `a million columns are read in bounded memory, and the one asked for is found`() {
    let names = (0..<1_000_000).map { "c\($0)" }.joined(separator: ",")
    let cells = (0..<1_000_000).map { "\($0)" }.joined(separator: ",")
    let reading = rows("\(names)\n\(cells)\n", ["c999999", "c0"])
    #expect(reading.texts == [["999999", "0"]])
  }

  // MARK: Python's csv module

  /// Random files, of which Python reads the same rows wherever this reader finds nothing wrong.
  @Test func `rows are those of Python's csv module`() throws {
    var random = SeededGenerator(seed: 4180)
    let scraps = [
      "a", "b", "1", ",", ",", ",", "\"", "\"", "\"\"", "\n", "\n", "\r\n", "\r", "\u{e9}", " ", "\t", ";",
    ]
    var texts: [String] = []
    for _ in 0..<10_000 {
      let count = Int.random(in: 1...24, using: &random)
      texts.append((0..<count).map { _ in scraps.randomElement(using: &random) ?? "" }.joined())
    }
    let theirs = try Python.rows(of: texts)
    var compared = 0
    for (text, rows) in zip(texts, theirs) {
      let width = rows.first?.count ?? 0
      let names = (0..<width).map { "n\($0)" }
      let fields = names.map { "\(FieldPath(key: $0))" }
      let reading = Reading(
        text, fields: fields, shape: .delimited(names: names), pieces: [Int.random(in: 1...9, using: &random)]
      )
      guard reading.error == nil, reading.records.allSatisfy({ $0.problem == nil }) else { continue }
      compared += 1
      #expect(reading.texts == rows, "\(text.debugDescription)")
    }
    #expect(compared > 2000, "\(compared)")
  }

  @Test func `what Python's csv module writes is read without a problem`() throws {
    var random = SeededGenerator(seed: 1996)
    let scraps = ["", "x", "0", ",", "\"", "\n", "\r\n", "\u{1f680}", " ", "\t", "''", "\\"]
    let tables = (0..<400).map { _ -> [[String]] in
      let width = Int.random(in: 2...5, using: &random)
      return (0..<Int.random(in: 1...6, using: &random)).map { _ in
        (0..<width).map { _ in
          (0..<Int.random(in: 0...4, using: &random)).map { _ in scraps.randomElement(using: &random) ?? "" }
            .joined()
        }
      }
    }
    for (table, texts) in zip(tables, try Python.files(of: tables)) {
      let names = table[0].indices.map { "n\($0)" }
      for (text, delimiter) in zip(texts, [",", "\t", ";"]) {
        let reading = Reading(
          text, fields: names, shape: .delimited(by: Array(delimiter.utf8)[0], names: names),
          pieces: [Int.random(in: 1...40, using: &random)])
        #expect(
          reading.error == nil && reading.records.allSatisfy { $0.problem == nil }, "\(text.debugDescription)"
        )
        #expect(reading.texts == table, "\(text.debugDescription)")
      }
    }
  }
}

/// Python's csv module, as another implementation.
private enum Python {
  /// The rows of each text, without blank lines.
  static func rows(of texts: [String]) throws -> [[[String]]] {
    try run(
      """
      import csv, io, json, sys
      csv.field_size_limit(1 << 30)
      out = [[row for row in csv.reader(io.StringIO(text, newline='')) if row] for text in json.load(sys.stdin)]
      json.dump(out, sys.stdout)
      """, texts)
  }

  /// Each table as a file with commas, one with tabs, one with semicolons.
  static func files(of tables: [[[String]]]) throws -> [[String]] {
    try run(
      """
      import csv, io, json, sys
      def text(table, **how):
          out = io.StringIO(newline='')
          csv.writer(out, **how).writerows(table)
          return out.getvalue()
      json.dump([[text(t), text(t, delimiter='\\t', lineterminator='\\n'), text(t, delimiter=';', quoting=csv.QUOTE_ALL)]
                 for t in json.load(sys.stdin)], sys.stdout)
      """, tables)
  }

  private static func run<Input: Encodable, Output: Decodable>(_ program: String, _ input: Input) throws
    -> Output
  {
    let folder = FileManager.default.temporaryDirectory
    let file = folder.appendingPathComponent("delimited-\(UUID().uuidString).json")
    try JSONEncoder().encode(input).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", program]
    process.standardInput = try FileHandle(forReadingFrom: file)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return try JSONDecoder().decode(Output.self, from: data)
  }
}
