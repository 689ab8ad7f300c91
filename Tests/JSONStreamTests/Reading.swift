#if !FUZZING
  import JSONStream
#endif

/// All that a reader says about one input, as plain values that can be compared.
struct Reading: Equatable {
  struct Field: Equatable {
    var kind: FieldKind
    var text: String
    var byte: Int?
  }
  struct Record: Equatable {
    var number: Int
    var position: Position
    var text: String
    var fields: [Field]
    var problem: RecordProblem?
  }

  var records: [Record] = []
  var error: JSONError?
  var envelope: Envelope?
  var shape: String?
  var rowsCameFirst = false
  /// What stood around the records of each document but the last.
  var documents: [Envelope] = []

  /// Reads `bytes` as they come in pieces of these lengths, the last one for all the rest.
  init(
    _ bytes: [UInt8], fields: [String] = [], shape: RecordShape = .automatic,
    limits: ReaderLimits = ReaderLimits(),
    pieces: [Int] = [.max]
  ) {
    do {
      let paths = try fields.map { try FieldPath($0) }
      var reader = try RecordReader(fields: paths, shape: shape, limits: limits)
      try read(&reader, bytes, pieces)
    } catch let error as JSONError {
      self.error = error
    } catch {
      preconditionFailure("a test's path cannot be read: \(error)")
    }
  }

  init(
    _ text: String, fields: [String] = [], shape: RecordShape = .automatic,
    limits: ReaderLimits = ReaderLimits(),
    pieces: [Int] = [.max]
  ) {
    self.init(Array(text.utf8), fields: fields, shape: shape, limits: limits, pieces: pieces)
  }

  var texts: [[String]] { records.map { $0.fields.map { $0.kind == .absent ? "absent" : $0.text } } }

  private mutating func read(_ reader: inout RecordReader, _ bytes: [UInt8], _ pieces: [Int])
    throws(JSONError)
  {
    defer {
      envelope = reader.surroundings
      shape = reader.shapeDescription
    }
    var next = 0
    var piece = 0
    var held: [UInt8]?
    while true {
      switch try reader.next() {
      case .record: records.append(Record(reader))
      case .needsInput:
        let length = min(pieces[min(piece, pieces.count - 1)], bytes.count - next)
        piece += 1
        if length == 0 {
          reader.finish()
          continue
        }
        reader.append(bytes[next..<next + length].span)
        held?.append(contentsOf: bytes[next..<next + length])
        next += length
      case .document:
        documents.append(reader.surroundings)
        guard let rows = held else { continue }
        held = nil
        var second = reader.rowsReader()
        try read(&second, rows, pieces)
        reader.count(upTo: second.recordsRead)
      case .rowsBeforeNames:
        rowsCameFirst = true
        held = reader.withHeldBytes { span in span.withUnsafeBufferPointer { Array($0) } }
      case .end:
        guard let rows = held else { return }
        var second = reader.rowsReader()
        try read(&second, rows, pieces)
        return
      }
    }
  }
}

extension Reading.Record {
  init(_ reader: borrowing RecordReader) {
    number = reader.recordNumber
    position = reader.recordPosition
    text = reader.withRecordBytes { span in
      span.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
    problem = reader.problem
    fields = reader.fields.indices.map { index in
      let kind = reader.kind(ofField: index)
      let text = reader.withBytes(ofField: index) { span in
        span.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
      }
      return Reading.Field(kind: kind, text: text, byte: kind == .absent ? nil : reader.byte(ofField: index))
    }
  }
}
