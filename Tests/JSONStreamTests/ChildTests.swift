import JSONStream
import Testing

@Suite struct ChildTests {
  /// For each record its own field, and each child's fields.
  private func read(_ text: String, pieces: Int) throws -> [String] {
    let children = try [
      ChildFields(path: FieldPath("list"), fields: [FieldPath("x"), FieldPath("y/0")]),
      ChildFields(path: FieldPath("o/tags"), fields: [FieldPath("t")]),
    ]
    var reader = try RecordReader(fields: [FieldPath("id")], children: children, shape: .array(path: ""))
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
      case .rowsBeforeNames, .end: return lines
      }
    }
  }

  @Test(arguments: [1, 7, 1000])
  func `the elements of an array in a record are records with their parent at hand`(pieces: Int) throws {
    let text = #"""
      [{"id":"a\n","list":[{"x":"1\t","y":[5]},{"y":[],"x":2}, 7],"o":{"tags":[{"t":"p"}]}},
      {"list":[],"id":"b"},{"id":"c","list":null},{"id":"d","list":{"x":"single"},"o":{"tags":[{}]}}]
      """#
    let found = try read(text, pieces: pieces)
    #expect(
      found == [
        #"a\#n 0.1@21 ["1\t", "5"]"#, #"a\#n 0.2@41 ["2", ""]"#, #"a\#n 0.3@57 ["", ""] refused"#,
        #"a\#n 1.1@73 ["p"]"#, #"d 0.1@148 ["single", ""]"#, #"d 1.1@176 [""]"#,
      ])
  }
}
