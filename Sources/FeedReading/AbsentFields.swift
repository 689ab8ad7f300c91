internal import Foundation
internal import ImportModel
package import StoreInterface

/// A field that an attribute is read from, that earlier good inputs had, and that no record has now.
public struct AbsentField: Sendable, Hashable {
  /// The attribute; of children, with their entity's name before its own.
  public var attribute: String
  /// The path of the field.
  public var field: String
  /// When the last import ended whose input had the field, in UTC.
  public var lastSeen: String
}

/// Finds fields that the feed has no more.
package enum AbsentFields {
  /// A field that only some records have is missed when chance would leave it out of so few inputs.
  private static let chance = 0.001

  /// - Parameters:
  ///   - counts: what the records have had.
  ///   - used: what the last good run had that had anything, for each field.
  package static func find(
    _ counts: [FieldCount], used: [(count: FieldCount, ended: String)], of entity: String
  ) -> [(field: AbsentField, count: FieldCount)] {
    let read = counts.filter { $0.entity == entity }.map(\.records).max() ?? 0
    return counts.compactMap { count in
      guard count.present == 0, let last = used.first(where: { $0.count.isOfSameField(as: count) }) else {
        return nil
      }
      // Of children, records without any count as so many without the field.
      let before = used.filter { $0.count.entity == entity && $0.ended == last.ended }.map(\.count.records)
        .max()
      let isGone = count.records == 0 && count.entity != entity
      let (records, all) = isGone ? (read, before ?? 0) : (count.records, last.count.records)
      guard records > 0, all > 0 else { return nil }
      let share = min(1, Double(last.count.present) / Double(all))
      guard pow(1 - share, Double(records)) < chance else { return nil }
      return (
        AbsentField(attribute: count.name(in: entity), field: count.field, lastSeen: last.ended), count
      )
    }
  }

  /// How many records had nothing for an attribute, where any had.
  package static func counts(_ counts: [FieldCount], of entity: String) -> [AbsentCount] {
    counts.filter { $0.present < $0.records }.map {
      AbsentCount(attribute: $0.name(in: entity), records: $0.records - $0.present)
    }
  }
}

extension FieldCount {
  /// The attribute's name; with its entity's before it where that is not the records'.
  fileprivate func name(in records: String) -> String {
    entity == records ? attribute : "\(entity).\(attribute)"
  }
}
