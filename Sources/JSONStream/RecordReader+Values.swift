// Fields of the current record, or of the current child of a list of children, as Swift values.
extension RecordReader {
  /// The index of the requested field with this path.
  ///
  /// A path that was not requested ends the program.
  /// - Complexity: O(fields).
  public func index(ofField path: String, ofChild list: Int? = nil) -> Int {
    let names = core.pointee.fieldNames[list.map { $0 + 1 } ?? 0]
    guard let index = names.firstIndex(of: path) else {
      preconditionFailure("no field '\(path)' was requested")
    }
    return index
  }

  /// A string; nil for another kind of value, and for none.
  public func string(ofField field: Int, ofChild list: Int? = nil) -> String? {
    let field = value(field, list)
    return field.kind == .string ? String(valid: field.bytes) : nil
  }

  /// A number, as the nearest `Double`; nil for another kind of value, and for none. A cell of delimited text may be any number.
  public func double(ofField field: Int, ofChild list: Int? = nil) -> Double? {
    let field = value(field, list)
    return isNumber(field.kind) ? NumberParsing.double(field.bytes, grammar: grammar(field.kind)) : nil
  }

  /// A whole number: `42`, `42.0` and `4.2e1` are one; nil for another kind of value, for none, and for one that is no `Int`.
  public func integer(ofField field: Int, ofChild list: Int? = nil) -> Int? {
    let field = value(field, list)
    guard isNumber(field.kind),
      case .value(let number) = NumberParsing.integer(field.bytes, grammar: grammar(field.kind))
    else { return nil }
    return Int(exactly: number)
  }

  /// `true` or `false`; nil for another kind of value, and for none.
  public func bool(ofField field: Int, ofChild list: Int? = nil) -> Bool? {
    let field = value(field, list)
    switch field.kind {
    case .true: return true
    case .false: return false
    default: return areCells && field.kind == .string ? Bool(cell: field.bytes) : nil
    }
  }

  /// As `string(ofField:ofChild:)`, of a field by its path.
  public func string(ofField path: String, ofChild list: Int? = nil) -> String? {
    string(ofField: index(ofField: path, ofChild: list), ofChild: list)
  }

  /// As `double(ofField:ofChild:)`, of a field by its path.
  public func double(ofField path: String, ofChild list: Int? = nil) -> Double? {
    double(ofField: index(ofField: path, ofChild: list), ofChild: list)
  }

  /// As `integer(ofField:ofChild:)`, of a field by its path.
  public func integer(ofField path: String, ofChild list: Int? = nil) -> Int? {
    integer(ofField: index(ofField: path, ofChild: list), ofChild: list)
  }

  /// As `bool(ofField:ofChild:)`, of a field by its path.
  public func bool(ofField path: String, ofChild list: Int? = nil) -> Bool? {
    bool(ofField: index(ofField: path, ofChild: list), ofChild: list)
  }

  private func value(_ field: Int, _ list: Int?) -> RecordField {
    RecordReader.field(list.map { childFields(of: $0) } ?? fields, field)
  }

  /// Every cell of delimited text is a string.
  private func isNumber(_ kind: FieldKind) -> Bool {
    kind == .integer || kind == .decimal || areCells && kind == .string
  }

  private func grammar(_ kind: FieldKind) -> NumberGrammar { kind == .string ? .text : .json }
}

extension String {
  /// A string of bytes that were found to be UTF-8 before.
  init(valid bytes: UnsafeBufferPointer<UInt8>) {
    self.init(copying: UTF8Span(unchecked: bytes.span))
  }
}

extension Bool {
  /// A cell's text as a truth value; nil for any other text.
  init?(cell: UnsafeBufferPointer<UInt8>) {
    self.init(String(valid: cell))
  }
}
