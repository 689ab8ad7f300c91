import PlainStore

/// Random records of a pipeline.
struct RandomFeed {
  let records: [PlainRecord]
  /// Whether no record takes the place of another within a chunk: then all counts are those of one after another.
  let isExact: Bool
  let chunkRows: Int
  let json: String

  init(_ dice: inout Dice, _ pipeline: PlainPipeline, _ model: PlainModel) {
    let entity = model[pipeline.entity]
    var (records, lines): ([PlainRecord], [String]) = ([], [])
    let wantsDistinct = dice.once(in: 2)
    var (isDistinct, hasTwins, keys, childKeys) = (true, false, Set<[PlainValue]>(), Set<[PlainValue]>())
    for _ in 0..<dice.int(0...7) {
      var (record, members) = Self.record(&dice, entity)
      let isNew = keys.insert(entity.key.map { record.values[$0] ?? .null }).inserted
      if !isNew, wantsDistinct { continue }
      isDistinct = isDistinct && isNew
      for children in pipeline.children {
        guard let end = entity.relationship(children.relationship), !dice.once(in: 5) else { continue }
        let child = model[end.destination]
        var (texts, siblings) = ([String](), Set<[PlainValue]>())
        for _ in 0..<dice.int(0...3) {
          let (one, members) = Self.record(&dice, child)
          let key =
            child.key.map { one.values[$0] ?? .null }
            + (children.isManyToMany ? [] : [.whole(Int64(records.count))])
          isDistinct = childKeys.insert(key).inserted && isDistinct
          hasTwins = !siblings.insert(key).inserted || hasTwins
          record.children[children.relationship, default: []].append(one)
          texts.append("{\(members.joined(separator: ", "))}")
        }
        members.append("\"\(children.relationship)\": [\(texts.joined(separator: ", "))]")
      }
      records.append(record)
      lines.append("{\(members.joined(separator: ", "))}")
    }
    self.records = records
    json = "[\(lines.joined(separator: ",\n "))]"
    // What one record hands on to another within a chunk is not told one after another.
    let mayClash =
      !entity.unique.isEmpty
      || pipeline.links.contains { link in
        entity.relationship(link.relationship).map { model.isOneToOne($0) } ?? false
      }
    let folds =
      !isDistinct
      && (!pipeline.links.isEmpty || !pipeline.children.isEmpty
        || entity.attributes.contains { $0.isVolatile || $0.isRequired && !entity.key.contains($0.name) })
    chunkRows = mayClash || folds ? 1 : dice.pick([1, 2, 3, 1000])
    isExact = isDistinct || chunkRows == 1 && !hasTwins
  }

  private static func record(_ dice: inout Dice, _ entity: PlainEntity) -> (PlainRecord, [String]) {
    var (record, members) = (PlainRecord(), [String]())
    for attribute in entity.attributes where attribute.derivation == nil && attribute.twice == nil {
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

extension PlainModel {
  func isOneToOne(_ relationship: PlainRelationship) -> Bool {
    relationship.kind == .toOne
      && relationship.inverse.flatMap { self[relationship.destination].relationship($0) }?.kind == .hasOne
  }
}
