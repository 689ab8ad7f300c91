package import ImportModel

/// What a run's records had in the field that an attribute is read from.
public struct FieldCount: Sendable, Hashable {
  /// The entity of the attribute.
  public var entity: String
  /// The attribute.
  public var attribute: String
  /// The path of the field in a record; of a child, with the path of its array before it.
  public var field: String
  /// How many records, or children, were looked at.
  public var records: Int
  /// How many of them had the field, also as null.
  public var present: Int
  /// How many had it as null.
  public var nulls: Int

  package init(entity: String, attribute: String, field: String, records: Int, present: Int, nulls: Int) {
    self.entity = entity
    self.attribute = attribute
    self.field = field
    self.records = records
    self.present = present
    self.nulls = nulls
  }

  /// Whether both are of the same attribute, read from the same field.
  package func isOfSameField(as other: FieldCount) -> Bool {
    entity == other.entity && attribute == other.attribute && field == other.field
  }
}

/// What a store remembers of the fields of a pipeline's records.
package struct FieldMemory: Sendable {
  /// Fields that earlier runs met and the pipeline does not use; nil when no run was good.
  package var unused: Set<String>?
  /// For each field that an attribute was read from, the last good run that had it.
  package var used: [(count: FieldCount, ended: String)]

  /// Fields that have attributes although the pipeline's file does not name them.
  package var added: [AddedField]
  /// The names of properties that the records' entity has in the store, or had.
  package var names: Set<String> = []

  package init(
    unused: Set<String>? = nil, used: [(count: FieldCount, ended: String)] = [], added: [AddedField] = []
  ) {
    self.unused = unused
    self.used = used
    self.added = added
  }
}

/// What a run read of fields, to be remembered.
package struct FieldsRead: Sendable {
  /// Fields of the records that the pipeline does not use.
  package var unused: Set<String> = []
  /// Those of them that get attributes.
  package var added: [AddedField] = []
  /// What the records had in those that it uses.
  package var counts: [FieldCount] = []
  /// Fields that are absent from now on: that earlier runs had them is forgotten.
  package var settled: [FieldCount] = []

  package init() {}

  /// What a run keeps of them: only a good one decides what becomes of fields.
  package func kept(isGood: Bool) -> FieldsRead {
    guard !isGood else { return self }
    var fields = self
    fields.unused.subtract(added.map(\.key))
    (fields.added, fields.settled) = ([], [])
    return fields
  }
}
