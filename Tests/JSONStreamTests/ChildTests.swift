import JSONStream
import Testing

@Suite struct ChildTests {
  /// For each record its own field, and each child's fields.
  private func read(
    _ text: String, _ lists: [(path: String, fields: [String])], pieces: Int
  ) throws -> [String] {
    let children = try lists.map {
      ChildFields(path: try FieldPath($0.path), fields: try $0.fields.map { try FieldPath($0) })
    }
    var reader = try RecordReader(fields: ["id"], children: children, shape: .array(path: ""))
    var rest = Array(text.utf8)[...]
    var lines: [String] = []
    while true {
      switch try reader.next() {
      case .record:
        for list in children.indices {
          while reader.nextChild(of: list) {
            let fields = children[list].fields.indices.map { field in
              reader.withBytes(ofField: field, ofChild: list) { span in
                span.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
              }
            }
            let parent = reader.withBytes(ofField: 0) { span in
              span.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            }
            let problem = reader.childProblem(of: list) == nil ? "" : " refused"
            lines.append(
              "\(parent) \(list).\(reader.childNumber(of: list))@\(reader.childByte(of: list)) \(fields)\(problem)"
            )
          }
        }
      case .needsInput:
        if rest.isEmpty { reader.finish() }
        reader.append(Array(rest.prefix(pieces)).span)
        rest = rest.dropFirst(pieces)
      case .rowsBeforeNames, .document, .end: return lines
      }
    }
  }

  @Test(arguments: [1, 7, 1000])
  func `the elements of an array in a record are records with their parent at hand`(pieces: Int) throws {
    let text = #"""
      [{"id":"a\n","list":[{"x":"1\t","y":[5]},{"y":[],"x":2}, 7],"o":{"tags":[{"t":"p"}]}},
      {"list":[],"id":"b"},{"id":"c","list":null},{"id":"d","list":{"x":"single"},"o":{"tags":[{}]}}]
      """#
    let found = try read(text, [("list", ["x", "y/0"]), ("o/tags", ["t"])], pieces: pieces)
    #expect(
      found == [
        #"a\#n 0.1@21 ["1\t", "5"]"#, #"a\#n 0.2@41 ["2", ""]"#, #"a\#n 0.3@57 ["", ""] refused"#,
        #"a\#n 1.1@73 ["p"]"#, #"d 0.1@148 ["single", ""]"#, #"d 1.1@176 [""]"#,
      ])
  }

  @Test(arguments: [1, 7, 1000])
  func `an element is taken whole, of any kind, beside what lies within it`(pieces: Int) throws {
    let text = #"""
      [{"id":"a","list":["x", "y\u0041\n", -12.5, 7, true, null, {"n":"o","k":[1]}, [], [2,{"n":3}], ""]},
      {"id":"b","list":{"n":"one"}},{"id":"c","list":[]},{"id":"d","list":[1]}]
      """#
    let found = try read(text, [("list", [".", "n", "."])], pieces: pieces)
    #expect(
      found == [
        #"a 0.1@19 ["x", "", "x"]"#, #"a 0.2@24 ["yA\n", "", "yA\n"]"#, #"a 0.3@37 ["-12.5", "", "-12.5"]"#,
        #"a 0.4@44 ["7", "", "7"]"#, #"a 0.5@47 ["true", "", "true"]"#, #"a 0.6@53 ["null", "", "null"]"#,
        #"a 0.7@59 ["{\"n\":\"o\",\"k\":[1]}", "o", "{\"n\":\"o\",\"k\":[1]}"]"#,
        #"a 0.8@78 ["[]", "", "[]"]"#, #"a 0.9@82 ["[2,{\"n\":3}]", "", "[2,{\"n\":3}]"]"#,
        #"a 0.10@95 ["", "", ""]"#,
        #"b 0.1@118 ["{\"n\":\"one\"}", "one", "{\"n\":\"one\"}"]"#, #"d 0.1@170 ["1", "", "1"]"#,
      ])
  }
}
