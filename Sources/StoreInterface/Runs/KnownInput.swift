/// What one of several inputs was that a run has read to its end.
package struct InputFacts: Sendable, Hashable {
  /// Its size in bytes.
  package var size: Int
  /// The SHA-256 of its bytes.
  package var digest: [UInt8]
  /// How many records it has.
  package var records: Int
  /// What they had in the fields of attributes: of each field the records, those that had it, and those that had it as null.
  package var fields: [[Int]]

  package init(size: Int, digest: [UInt8], records: Int, fields: [[Int]]) {
    self.size = size
    self.digest = digest
    self.records = records
    self.fields = fields
  }
}

/// An input that an earlier run of the pipeline has read under the same rules.
package struct KnownInput: Sendable, Hashable {
  /// Its number in the store.
  package var number: Int64
  package var facts: InputFacts

  package init(number: Int64, facts: InputFacts) {
    self.number = number
    self.facts = facts
  }
}
