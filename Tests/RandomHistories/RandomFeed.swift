import PlainStore

/// Random records of a pipeline.
struct RandomFeed {
  let records: [PlainRecord]
  /// Whether no two records have one key, nor two of their children.
  let isDistinct: Bool
  /// Whether no record takes the place of another within a chunk: then all counts are those of one after another.
  let isExact: Bool
  let chunkRows: Int
  /// Whether the records may come in the order of their keys instead.
  let maySort: Bool
  let json: String

  init(_ dice: inout Dice, _ pipeline: PlainPipeline, _ model: PlainModel) {
    let entity = model[pipeline.entity]
    var (records, lines): ([PlainRecord], [String]) = ([], [])
    let wantsDistinct = dice.once(in: 2)
    var (isDistinct, keys, seen) = (true, Set<[PlainValue]>(), Siblings())
    for _ in 0..<dice.int(0...7) {
      var (record, members) = Self.record(&dice, entity)
      let isNew = keys.insert(entity.key.map { record.values[$0] ?? .null }).inserted
      if !isNew, wantsDistinct { continue }
      isDistinct = isDistinct && isNew
      seen.ofRecord = []
      seen.add(
        pipeline.children, to: &record, &members, of: entity, [.whole(Int64(records.count))], [], model, &dice
      )
      records.append(record)
      lines.append("{\(members.joined(separator: ", "))}")
    }
    isDistinct = isDistinct && seen.isDistinct
    (self.records, self.isDistinct) = (records, isDistinct)
    json = "[\(lines.joined(separator: ",\n "))]"
    // What one record hands on to another within a chunk is not told one after another.
    let mayClash =
      !entity.unique.isEmpty
      || pipeline.links.contains { link in
        entity.relationship(link.relationship).map { model.isOneToOne($0) } ?? false
      }
    let entities = [entity] + model.lists(of: pipeline).map { model[$0.end.destination] }
    let folds =
      !isDistinct
      && (!pipeline.links.isEmpty
        || entities.contains { entity in
          entity.attributes.contains { $0.isVolatile || $0.isRequired && !entity.key.contains($0.name) }
        })
    chunkRows = mayClash || folds ? 1 : dice.pick([1, 2, 3, 1000])
    // Of a child that several records have, the last record counts.
    maySort = !mayClash && !folds && seen.isDistinct
    isExact = isDistinct || chunkRows == 1 && !seen.hasTwins
  }

  /// - Parameter holders: what holds it, the nearest first.
  fileprivate static func record(
    _ dice: inout Dice, _ entity: PlainEntity, in holders: [PlainRecord] = []
  ) -> (PlainRecord, [String]) {
    var (record, members) = (PlainRecord(), [String]())
    for attribute in entity.attributes where attribute.derivation == nil && attribute.twice == nil {
      if let outer = attribute.outer {
        record.values[attribute.name] = holders[outer.up - 1].values[outer.name]
        continue
      }
      let isKey = entity.key.contains(attribute.name)
      if !isKey, dice.once(in: 4) { continue }
      var text = "null"
      if !dice.once(in: isKey ? 40 : 6) {
        let value = dice.value(attribute.kind)
        record.values[attribute.name] = value
        text = value.json(attribute.kind)
      } else {
        record.values[attribute.name] = .null
      }
      if ![.string, .json].contains(attribute.kind), dice.once(in: isKey ? 200 : 40) {
        record.values[attribute.name] = nil
        record.broken.insert(attribute.name)
        text = "\"?\""
      }
      members.append("\"\(attribute.name)\": \(text)")
    }
    return (record, members)
  }
}

/// The children of a feed, by what identifies them.
private struct Siblings {
  /// Those of the record that is made.
  var ofRecord: Set<[PlainValue]> = []
  private var all: Set<[PlainValue]> = []
  /// Whether no child comes twice, and whether one does within a record.
  private(set) var isDistinct = true
  private(set) var hasTwins = false

  /// Adds random children to a record or to a child.
  ///
  /// - Parameters:
  ///   - holder: what identifies it.
  ///   - around: what holds it, the nearest first.
  mutating func add(
    _ lists: [PlainPipeline.Children], to record: inout PlainRecord, _ members: inout [String],
    of entity: PlainEntity, _ holder: [PlainValue], _ around: [PlainRecord], _ model: PlainModel,
    _ dice: inout Dice
  ) {
    for list in lists {
      guard let end = entity.relationship(list.relationship), !dice.once(in: 5) else { continue }
      let child = model[end.destination]
      let holders = [record] + around
      var texts: [String] = []
      for _ in 0..<dice.int(0...3) {
        var (one, members) = RandomFeed.record(&dice, child, in: holders)
        let key =
          [.text(child.name)] + child.key.map { one.values[$0] ?? .null } + (list.isManyToMany ? [] : holder)
        isDistinct = all.insert(key).inserted && isDistinct
        hasTwins = !ofRecord.insert(key).inserted || hasTwins
        add(list.children, to: &one, &members, of: child, key, holders, model, &dice)
        record.children[list.relationship, default: []].append(one)
        texts.append("{\(members.joined(separator: ", "))}")
      }
      members.append("\"\(list.relationship)\": [\(texts.joined(separator: ", "))]")
    }
  }
}

extension PlainModel {
  func isOneToOne(_ relationship: PlainRelationship) -> Bool {
    relationship.kind == .toOne
      && relationship.inverse.flatMap { self[relationship.destination].relationship($0) }?.kind == .hasOne
  }
}
