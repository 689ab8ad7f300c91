package import ImportModel
package import JSONStream
package import StoreInterface
package import TypedRows

/// Turns records into rows of a chunk: each field goes to its attribute's column, converted.
package struct RowBuilder {
  /// What the reader is asked for, in the order of `converters`.
  package let paths: [FieldPath]
  /// The arrays of children in what becomes a row.
  let arrays: [ChildArray]
  /// The input's name, for rejections.
  var input: String
  /// How many records the inputs before it have, which are numbered through.
  var before = 0
  private let converters: [CellConverter]
  private let rules: [CellRules]
  let columns: [Int]
  let keys: [Key]
  /// Their columns, to look at for every record.
  let keyColumns: [Int]
  let keepsText: Bool
  private let isJSON: [Bool]
  /// What transient attributes have where a record says nothing: no row could have their defaults.
  private let initials: [(column: Int, value: Value)]
  private let tally: Tally
  /// The rows' entity.
  let entity: String
  /// The path of the array that children are read from, with a slash; empty for records.
  private let list: String

  /// What the records had under each field. Used by one thread, as the builder is.
  ///
  /// Plain memory: records with few of many attributes pass here for each of the others.
  private final class Tally {
    /// Records whose fields were looked at.
    var records = 0
    /// Of each field, the records that did not have it, had it as null, or were rejected before it came to be looked at.
    let absent, nulls, skipped: UnsafeMutablePointer<Int>

    init(count: Int) {
      absent = .allocate(capacity: 3 * count)
      absent.initialize(repeating: 0, count: 3 * count)
      nulls = absent + count
      skipped = nulls + count
    }

    deinit { absent.deallocate() }
  }

  /// An array of children.
  package struct ChildArray {
    /// The list, by its index among all that the reader has.
    let list: Int
    package let path: FieldPath
    /// Whether its elements are objects, and not taken whole as whatever they are.
    let hasObjects: Bool

    init(_ children: Children, list: Int) throws(PathError) {
      self.list = list
      path = try FieldPath(children.records)
      hasObjects = !children.fields.contains { $0.source == .path(".") }
    }
  }

  struct Key {
    /// Its place among `paths` and `converters`.
    let field: Int
    let name: String
    let source: FieldPath
  }

  /// - Parameters:
  ///   - arrays: those of children.
  ///   - list: the path of the array that children are read from; nil for records.
  package init(
    _ pipeline: Pipeline, layout: ChunkLayout, input: String, arrays: [ChildArray], list: String? = nil
  ) throws(PathError) {
    self.arrays = arrays
    self.input = input
    entity = layout.entity.name
    self.list = list.map { $0 + "/" } ?? ""
    keepsText = pipeline.keepsText
    var paths: [FieldPath] = []
    var columns: [Int] = []
    var converters: [CellConverter] = []
    var rules: [CellRules] = []
    for field in pipeline.fields {
      guard case .path(let path) = field.source, let column = layout.column(of: field.attribute) else {
        continue
      }
      paths.append(try FieldPath(path))
      columns.append(column)
      let rule = CellRules(layout, column: column, field: field)
      rules.append(rule)
      converters.append(CellConverter(column: column, rules: rule))
    }
    self.paths = paths
    self.columns = columns
    self.converters = converters
    self.rules = rules
    tally = Tally(count: columns.count)
    isJSON = columns.map { layout.columns[$0].attribute.type == .json }
    initials = layout.columns.indices.compactMap { column in
      let attribute = layout.columns[column].attribute
      guard attribute.isTransient, let value = attribute.defaultValue else { return nil }
      return (column, value)
    }
    // A key that an expression gives is looked at when the expression has run.
    keys = layout.keyColumns.compactMap { column in
      columns.firstIndex(of: column).map { field in
        Key(field: field, name: layout.columns[column].name, source: paths[field])
      }
    }
    keyColumns = keys.map { columns[$0.field] }
  }

  /// Whether an attribute that is read from a field is an instant.
  package func isDate(_ attribute: String) -> Bool {
    rules.contains { rule in
      guard rule.attribute.name == attribute, case .date = rule.attribute.type else { return false }
      return true
    }
  }

  /// What the records had so far under the fields of attributes.
  package var fieldCounts: [FieldCount] {
    rules.indices.map { index in
      let records = tally.records - tally.skipped[index]
      return FieldCount(
        entity: entity, attribute: rules[index].attribute.name, field: list + paths[index].description,
        records: records, present: records - tally.absent[index], nulls: tally.nulls[index])
    }
  }

  /// The columns that the key is read from, where records are rows.
  package var keySources: [String] { keys.map(\.source.components[0]) }

  /// Takes the reader's current record into the chunk, as a row or as a reject.
  ///
  /// - Parameter place: where the record stood, if not in this reader's input.
  /// - Returns: whether it is a row.
  @discardableResult
  func add(_ reader: borrowing RecordReader, to chunk: Chunk, at place: RecordPosition? = nil) -> Bool {
    chunk.recordsRead += 1
    chunk.lastRecord = before + reader.recordNumber
    if reader.hasProblem, let problem = reader.problem {
      let place = place ?? brokenPlace(problem, reader)
      reject(reader, chunk, problem.rejection, attribute: nil, offset: 0, place: place)
      return false
    }
    chunk.beginRow()
    if let (index, rejection) = fillRow(reader.fields, reader, chunk) {
      reject(
        reader, chunk, rejection, attribute: chunk.layout.columns[columns[index]].name,
        offset: reader.fields[index].offset, key: readKey(reader, chunk), place: place)
      return false
    }
    for index in keyColumns.indices where chunk.isAbsent(keyColumns[index]) {
      let key = keys[index]
      reject(reader, chunk, .missingKey(key.name), attribute: key.name, offset: 0, place: place)
      return false
    }
    if !arrays.isEmpty, let (rejection, offset) = brokenArray(reader) {
      reject(
        reader, chunk, rejection, attribute: nil, offset: offset, key: chunk.keyDigest(chunk.row),
        place: place)
      return false
    }
    chunk.commitRow(place ?? position(reader, offset: 0), text: keepsText ? reader.recordText : nil)
    return true
  }

  /// Converts fields of the record, or of a child in it, into the chunk's row.
  ///
  /// - Parameter start: where what has the fields begins in the record's text.
  /// - Returns: the first field that is rejected, and why.
  @inline(__always)
  func fillRow(
    _ fields: UnsafeBufferPointer<RecordField>, _ reader: borrowing RecordReader, _ chunk: Chunk,
    in start: Int = 0
  ) -> (field: Int, rejection: RejectionReason)? {
    for (column, value) in initials { chunk.set(value, column) }
    tally.records += 1
    return converters.withUnsafeBufferPointer { converters in
      for index in converters.indices {
        let field = fields[index]
        if field.mayBeNumber, converters[index].writeShortReal(field.start, count: field.count, chunk) {
          continue
        }
        if field.kind == .string, converters[index].writeShortText(field.start, count: field.count, chunk) {
          continue
        }
        guard let value = value(field, index, reader, in: start) else {
          tally.absent[index] += 1
          continue
        }
        if field.kind == .null { tally.nulls[index] += 1 }
        if let rejection = converters[index].write(value, chunk) {
          for later in index + 1..<converters.count { tally.skipped[later] += 1 }
          return (index, rejection)
        }
      }
      return nil
    }
  }

  /// The key's digest of a record that is rejected, if its key can be read all the same.
  private func readKey(_ reader: borrowing RecordReader, _ chunk: Chunk) -> Int64? {
    for key in keys {
      guard let value = value(reader.fields[key.field], key.field, reader),
        converters[key.field].write(value, chunk) == nil
      else { return nil }
    }
    return chunk.keyDigest(chunk.row)
  }

  /// The place of the current record, or of a byte in it.
  private func position(_ reader: borrowing RecordReader, offset: Int) -> RecordPosition {
    position(reader, from: reader.recordPosition, offset: offset)
  }

  /// The place of the current record or of a child in it, which starts somewhere, or of a byte in that.
  func position(_ reader: borrowing RecordReader, from start: Position, offset: Int) -> RecordPosition {
    let place = offset == 0 ? start : reader.position(ofByte: start.byte + offset)
    return RecordPosition(
      record: before + reader.recordNumber, byte: start.byte, line: place.line, column: place.column)
  }

  /// What a field brought; nil when the record does not have it.
  ///
  /// - Parameter start: where what has the field begins in the record's text.
  private func value(
    _ field: RecordField, _ index: Int, _ reader: borrowing RecordReader, in start: Int = 0
  ) -> SourceValue? {
    if isJSON[index], field.kind != .absent, field.kind != .null {
      guard reader.areCells else { return .structure(json(field, reader, start)) }
      return NestedJSON.isValue(field.bytes) ? .structure(field.bytes) : .text(field.bytes)
    }
    switch field.kind {
    case .absent: return nil
    case .null: return .null
    case .false: return .boolean(false)
    case .true: return .boolean(true)
    case .integer:
      // Beyond 64 bits the text stays, exact.
      if case .value(let number) = NumberParsing.integer(field.bytes, grammar: .json) {
        return .integer(number)
      }
      return .number(field.bytes)
    case .decimal: return .number(field.bytes)
    case .string: return .text(field.bytes)
    case .object, .array: return .structure(field.bytes)
    }
  }

  /// A value's JSON text as it stands in the record. A string's is taken with its quotes and escapes.
  private func json(
    _ field: RecordField, _ reader: borrowing RecordReader, _ start: Int
  ) -> UnsafeBufferPointer<UInt8> {
    guard field.kind == .string else { return field.bytes }
    let rest = UnsafeBufferPointer(rebasing: reader.recordText[(start + field.offset)...])
    var end = 1
    while rest[end] != UInt8(ascii: "\"") { end += rest[end] == UInt8(ascii: "\\") ? 2 : 1 }
    return UnsafeBufferPointer(rebasing: rest[...end])
  }

  /// Where a line was found to be no JSON.
  private func brokenPlace(_ problem: RecordProblem, _ reader: borrowing RecordReader) -> RecordPosition? {
    guard case .brokenLine(let error) = problem else { return nil }
    return RecordPosition(
      record: before + reader.recordNumber, byte: min(reader.recordByte, error.position.byte),
      line: error.position.line,
      column: error.position.column)
  }

  private func reject(
    _ reader: borrowing RecordReader, _ chunk: Chunk, _ rejection: RejectionReason, attribute: String?,
    offset: Int,
    key: Int64? = nil, place: RecordPosition?
  ) {
    let place = place ?? position(reader, offset: offset)
    var reject = RejectedRecord(
      code: rejection.code, message: rejection.message, attribute: attribute, input: input,
      record: place.record,
      byte: place.byte, line: place.line, column: place.column, text: nil)
    reject.key = key
    reject.rowsBefore = chunk.count
    chunk.reject(reject, text: keepsText ? reader.recordText : nil)
  }
}

extension RecordProblem {
  var rejection: RejectionReason {
    switch self {
    case .wrongLength(let found, let expected): .wrongLength(found, expected)
    case .notAnObject(let kind): .notAnObject(kind)
    case .notAnArray(let kind): .notARow(kind)
    case .unpairedSurrogate: .unpairedSurrogate
    case .brokenLine(let error): .brokenLine(error)
    }
  }
}

extension RecordField {
  @inline(__always)
  fileprivate var mayBeNumber: Bool { kind == .string || kind == .decimal || kind == .integer }
}
