internal import ImportModel
internal import JSONStream
internal import TypedRows

// The elements of an array within a record: each becomes a row of the array's own chunk, as records do of theirs.
extension RowBuilder {
  /// Why a row is rejected for what stands where its children should be, and where that stands; nil for an array, an object
  /// or nothing.
  func brokenArray(_ reader: borrowing RecordReader) -> (RejectionReason, offset: Int)? {
    for array in arrays {
      let field = reader.childrenField(of: array.list)
      switch field.kind {
      case .array, .object, .null, .absent: continue
      default: return (.notChildren(array.path, ofObjects: array.hasObjects, field.kind), field.offset)
      }
    }
    return nil
  }

  /// Takes the current child of a list into the chunk of children, as a row or as a reject.
  ///
  /// - Parameters:
  ///   - list: which of the reader's lists it stands in.
  ///   - lineage: whose child it is.
  ///   - place: where the record stood, if not in this reader's input.
  /// - Returns: whether it is a row.
  func addChild(
    _ list: Int, _ reader: borrowing RecordReader, to chunk: Chunk, _ lineage: ParentReference,
    at place: RecordPosition?
  ) -> Bool {
    chunk.recordsRead += 1
    func reject(_ rejection: RejectionReason, _ attribute: String?, _ offset: Int) -> Bool {
      let position = place ?? childPosition(list, reader, offset)
      var reject = RejectedRecord(
        code: rejection.code, message: rejection.message, attribute: attribute, input: input,
        record: position.record, byte: position.byte, line: position.line, column: position.column, text: nil)
      reject.place(lineage, chunk.layout.entity.name)
      reject.rowsBefore = chunk.count
      chunk.reject(reject, text: keepsText ? reader.recordText : nil)
      return false
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
    if let (rejection, offset) = brokenArray(reader) { return reject(rejection, nil, offset) }
    chunk.commitChild(
      lineage, place ?? childPosition(list, reader, 0), text: keepsText ? reader.recordText : nil)
    return true
  }

  /// The place of the current child, or of a byte in it.
  private func childPosition(_ list: Int, _ reader: borrowing RecordReader, _ offset: Int) -> RecordPosition {
    position(reader, from: reader.childPosition(of: list), offset: offset)
  }
}
