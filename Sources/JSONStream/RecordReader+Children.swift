/// An array within each record, or within each element of another such array, whose elements are to be read as records of
/// their own.
public struct ChildFields: Sendable, Hashable {
  /// Where the array stands in what holds it; a single object there is taken as an array of it alone.
  public var path: FieldPath
  /// What to decode of each element; the path `.` is the element itself, whatever it is.
  ///
  /// Without it, an element that is no object is a problem. A path that begins with `..` leads out of the element: `../id`
  /// is a field of what holds the array, `../../id` of what stands around that.
  public var fields: [FieldPath]
  /// The list whose elements hold the array, by its index in the same request, which is lower; nil for the record.
  public var within: Int?

  /// Children at `path`, with these fields.
  public init(path: FieldPath, fields: [FieldPath], within: Int? = nil) {
    self.path = path
    self.fields = fields
    self.within = within
  }
}

// The children of the current record. Its own fields stay as they are while its children are walked.
extension RecordReader {
  /// Goes on to the next child of the current record, or of the current child of the list that holds this one.
  ///
  /// - Parameter list: Which children: the index in the `children` that were requested.
  /// - Returns: Whether there is one. After false the next call starts again with the first.
  public mutating func nextChild(of list: Int) -> Bool { core.pointee.nextChild(of: list) }

  /// What stands where the children's array should be; `.array` and `.object` have children, other kinds none.
  public func kind(ofChildren list: Int) -> FieldKind { core.pointee.childrenField(list).kind }

  /// The current child's number within its record, from 1.
  public func childNumber(of list: Int) -> Int { core.pointee.childReaders[list].number }

  /// Why the current child cannot be used although its JSON is sound, or nil.
  public func childProblem(of list: Int) -> RecordProblem? { core.pointee.childReaders[list].problem }

  /// The input's offset of the current child's first byte.
  public func childByte(of list: Int) -> Int {
    core.pointee.input.origin + core.pointee.childReaders[list].start
  }

  /// What a field of the current child holds.
  public func kind(ofField field: Int, ofChild list: Int) -> FieldKind {
    RecordReader.field(childFields(of: list), field).kind
  }

  /// Lends the bytes of a field of the current child.
  public func withBytes<R, E: Error>(
    ofField field: Int, ofChild list: Int, _ body: (Span<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    try body(RecordReader.field(childFields(of: list), field).bytes.span)
  }

  /// The line and column of the current child's first byte.
  ///
  /// Linear in the bytes since the record or child that was asked before, if it stood earlier.
  package func childPosition(of list: Int) -> Position {
    core.pointee.input.markedPosition(of: core.pointee.childReaders[list].start)
  }

  /// What stands where the children's array should be; not to be kept.
  package func childrenField(of list: Int) -> RecordField { core.pointee.childrenField(list) }

  /// All fields of the current child, in the order in which they were requested; not to be kept.
  package func childFields(of list: Int) -> UnsafeBufferPointer<RecordField> {
    core.pointee.childReaders[list].fields
  }
}
