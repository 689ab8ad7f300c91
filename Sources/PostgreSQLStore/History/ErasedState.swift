internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

/// What nobody knows any more of an object's state, as it was erased.
struct ErasedState {
  /// The properties whose values are not known.
  var properties: Set<String> = []
  /// Whether the object was erased itself, and not copies of an erased object's values.
  var isObject = false

  var told: HistoryChange.Erased? { isObject ? .object : properties.isEmpty ? nil : .values }

  /// Goes back from the state behind a change to the one before it.
  mutating func undo(_ change: StoredChange, _ entity: Entity, _ stored: StoredModel) {
    switch change.kind {
    case .insert: self = ErasedState()
    case .update:
      properties.subtract(change.values(entity, stored).map(\.name))
      formUnion(change.erasure(entity, stored))
    case .delete: self = change.erasure(entity, stored)
    }
  }

  mutating func formUnion(_ other: ErasedState) {
    properties.formUnion(other.properties)
    isObject = isObject || other.isObject
  }

  /// Those of some properties that are known.
  func known(_ values: [HistoryChange.Property]) -> [HistoryChange.Property] {
    properties.isEmpty ? values : values.filter { !properties.contains($0.name) }
  }

  /// When values of an object were erased the last time: `YYYY-MM-DDTHH:MM:SS.mmmZ`; nil when none were.
  static func time(
    _ connection: PostgreSQLConnection, _ stored: StoredModel, _ entity: Entity, _ id: Int64
  ) throws -> String? {
    let found = try connection.run(
      """
      SELECT to_char(t.at, \(SystemTables.instant)) FROM bolide_change AS c JOIN bolide_transaction AS t ON t.id = c.erased_by
      WHERE c.entity = \(stored.number(of: entity)) AND c.id = $1 ORDER BY t.number DESC LIMIT 1
      """, [.integer(id)])
    return found.count == 0 ? nil : found.text(0, 0)
  }
}
