internal import ImportModel
internal import JSONStream
internal import TypedRows

// The elements of an array within a record: each becomes a row of the array's own chunk, as records do of theirs.
extension RowBuilder {
  /// Why a record is rejected for what stands where its children should be; nil for an array, an object or nothing.
  func rejection(_ kind: FieldKind, _ list: Int) -> RejectionReason? {
    switch kind {
    case .array, .object, .null, .absent: return nil
    default: return .notChildren(childPaths[list], ofObjects: areObjects[list], kind)
    }
  }

  /// Takes the current child of the reader's current record into the chunk of children, as a row or as a reject.
  ///
  /// - Parameters:
  ///   - list: which of the record's arrays it stands in.
  ///   - parent: its record's row.
  ///   - place: where the record stood, if not in this reader's input.
  func addChild(
    _ list: Int, _ reader: borrowing RecordReader, to chunk: Chunk, of parent: Int, at place: RecordPosition?
  ) {
    chunk.recordsRead += 1
    let lineage = ParentReference(parent: parent, number: reader.childNumber(of: list))
    func reject(_ rejection: RejectionReason, _ attribute: String?, _ offset: Int) {
      let position = place ?? childPosition(list, reader, offset)
      var reject = RejectedRecord(
        code: rejection.code, message: rejection.message, attribute: attribute, input: input,
        record: position.record, byte: position.byte, line: position.line, column: position.column, text: nil)
      reject.place(lineage, chunk.layout.entity.name)
      reject.rowsBefore = chunk.count
      chunk.reject(reject, text: keepsText ? reader.recordText : nil)
    }

    if let problem = reader.childProblem(of: list) { return reject(problem.rejection, nil, 0) }
    chunk.beginRow()
    let fields = reader.childFields(of: list)
    let start = reader.childByte(of: list) - reader.recordByte
    if let (index, rejection) = fillRow(fields, reader, chunk, in: start) {
      return reject(rejection, chunk.layout.columns[columns[index]].name, fields[index].offset)
    }
    for index in keyColumns.indices where chunk.isAbsent(keyColumns[index]) {
      let name = keys[index].name
      return reject(.missingKey(name), name, 0)
    }
    chunk.commitChild(
      of: parent, number: reader.childNumber(of: list), place ?? childPosition(list, reader, 0),
      text: keepsText ? reader.recordText : nil)
  }

  /// The place of the current child, or of a byte in it.
  private func childPosition(_ list: Int, _ reader: borrowing RecordReader, _ offset: Int) -> RecordPosition {
    position(reader, from: reader.childPosition(of: list), offset: offset)
  }
}
