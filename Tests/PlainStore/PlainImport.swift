/// Where an import ends, and nothing of it is kept.
package struct PlainStop: Error {
  package var reason: String
}

extension PlainStore {
  /// Takes records one after another.
  ///
  /// - Returns: what became of the records, under their entity's name, and of their children and their links.
  package mutating func run(_ pipeline: PlainPipeline, _ records: [PlainRecord]) throws(PlainStop) -> [String:
    PlainCounts]
  {
    var run = PlainRun(pipeline: pipeline)
    try take(records, &run)
    return run.counts
  }

  /// Takes more records of a run. Where one ends the run, nothing of them is kept.
  package mutating func take(_ records: [PlainRecord], _ run: inout PlainRun) throws(PlainStop) {
    let pipeline = run.pipeline
    (run.counts, run.rejected) = ([pipeline.entity: PlainCounts()], [])
    for (_, end) in model.lists(of: pipeline) {
      run.counts[end.destination] = PlainCounts()
      if let join = end.join { run.counts[join] = PlainCounts() }
    }
    let before = self
    do {
      for record in records {
        run.fresh = [:]
        let outcome = try apply(record, pipeline.entity, [:], pipeline.links, &run)
        try take(pipeline.children, in: record, of: pipeline.entity, outcome, &run)
      }
    } catch {
      self = before
      throw error
    }
  }

  /// Takes what a record or a child holds. What is rejected takes it along, and what is left out leaves it alone.
  private mutating func take(
    _ lists: [PlainPipeline.Children], in record: PlainRecord, of name: String,
    _ outcome: (result: PlainResult, id: Int?), _ run: inout PlainRun
  ) throws(PlainStop) {
    guard outcome.result != .rejected else { return }
    for list in lists {
      guard let end = model[name].relationship(list.relationship), let inverse = end.inverse else { continue }
      let target = end.destination
      for child in record.children[list.relationship] ?? [] {
        guard let id = outcome.id, !outcome.result.isLeftOut else {
          let isRejected = values(child, model[target]) == nil
          run.counts[target]?.count(isRejected ? .rejected : .ignored)
          try take(list.children, in: child, of: target, (isRejected ? .rejected : .left, nil), &run)
          continue
        }
        let told = try apply(child, target, end.join == nil ? [inverse: id] : [:], [], &run)
        if let join = end.join, told.result != .rejected, let other = told.id,
          list.isAlways || run.fresh[name]?.contains(id) == true
        {
          let linked = link(join, [inverse: id, end.name: other])
          run.counts[join]?.count(linked)
        }
        try take(list.children, in: child, of: target, told, &run)
      }
    }
  }

  private mutating func link(_ join: String, _ ends: [String: Int]) -> PlainResult {
    let entity = model[join]
    let key = entity.key.map { PlainValue.whole(Int64(ends[$0] ?? 0)) }
    if find(join, key: key) != nil { return .unchanged }
    return (try? insert(join, [:], links: ends)) == nil ? .rejected : .inserted
  }

  /// Takes one record or child.
  private mutating func apply(
    _ record: PlainRecord, _ name: String, _ owner: [String: Int], _ links: [PlainPipeline.Link],
    _ run: inout PlainRun
  ) throws(PlainStop) -> (result: PlainResult, id: Int?) {
    let (result, id) = try outcome(record, name, owner, links, &run)
    run.counts[name]?.count(result)
    if result == .rejected { run.rejected.append(PlainRejected(entity: name, row: record.row)) }
    return (result, id)
  }

  private mutating func outcome(
    _ record: PlainRecord, _ name: String, _ owner: [String: Int], _ links: [PlainPipeline.Link],
    _ run: inout PlainRun
  ) throws(PlainStop) -> (PlainResult, Int?) {
    let entity = model[name]
    let isShared = owner.isEmpty && name != run.pipeline.entity
    guard let values = values(record, entity) else { return (.rejected, nil) }
    let key = entity.key.map { values[$0] ?? owner[$0].map { .whole(Int64($0)) } ?? .null }
    let id = find(name, key: key)
    if !isShared, run.pipeline.repeated != .last, let id, run.seen[name]?.contains(id) == true {
      if run.pipeline.repeated == .reject { return (.rejected, id) }
      return (.leftOut(isSame: isSame(name, id, said(values, run.pipeline))), id)
    }
    guard let id else {
      do {
        let missing = entity.stored.contains { $0.isRequired && values[$0.name] == nil && $0.initial == nil }
        if missing { return (.rejected, nil) }
        let before = self
        do {
          var ends = owner
          for link in links { ends[link.relationship] = try self.owner(link, of: entity, record) }
          let id = try insert(name, values, links: ends)
          run.seen[name, default: []].insert(id)
          run.made[name, default: []].insert(id)
          run.fresh[name, default: []].insert(id)
          return (.inserted, id)
        } catch {
          self = before
          return (.rejected, nil)
        }
      }
    }
    let isMade = run.made[name]?.contains(id) == true
    if !isMade {
      if case .ignore = run.pipeline.merge {
        run.seen[name, default: []].insert(id)
        return (.ignored, id)
      }
      if case .fail = run.pipeline.merge, !isShared { throw PlainStop(reason: "\(key) is there") }
    }
    let result = merge(name, id, values, links, record, run.pipeline)
    if result != .rejected { run.seen[name, default: []].insert(id) }
    return (result, id)
  }

  /// A record's values; nil where the record is rejected.
  private func values(_ record: PlainRecord, _ entity: PlainEntity) -> [String: PlainValue]? {
    guard record.broken.isEmpty else { return nil }
    var values = record.values.filter { entity.attribute($0.key)?.isTransient == false }
    for attribute in entity.attributes where attribute.twice != nil {
      guard let value = record.values[attribute.twice ?? ""] else { continue }
      if case .whole(let number) = value { values[attribute.name] = .whole(2 * number + 1) }
      if value.isNull { values[attribute.name] = .null }
    }
    let isEmpty = entity.stored.contains {
      $0.isRequired && values[$0.name]?.isNull == true
        || entity.key.contains($0.name) && values[$0.name] == nil
    }
    return isEmpty ? nil : values
  }

  /// What a record says of a row that is there.
  private func said(_ values: [String: PlainValue], _ pipeline: PlainPipeline) -> [String: PlainValue] {
    if case .updateNonNull = pipeline.merge { values.filter { !$0.value.isNull } } else { values }
  }

  private func isSame(_ name: String, _ id: Int, _ values: [String: PlainValue]) -> Bool {
    let entity = model[name]
    guard let object = object(name, id) else { return false }
    return values.allSatisfy { entity.attribute($0.key)?.isVolatile == true || object[$0.key] == $0.value }
  }

  private mutating func merge(
    _ name: String, _ id: Int, _ values: [String: PlainValue], _ links: [PlainPipeline.Link],
    _ record: PlainRecord, _ pipeline: PlainPipeline
  ) -> PlainResult {
    let entity = model[name]
    let values = said(values, pipeline)
    if case .updateIfNewer(let attribute) = pipeline.merge, name == pipeline.entity,
      let held = object(name, id)?[attribute], !held.isNull,
      !held.isLess(than: values[attribute] ?? .null)
    {
      return isSame(name, id, values) ? .left : .older
    }
    let before = self
    do {
      var ends: [String: Int?] = [:]
      for link in links where link.isAlways {
        guard let target = try owner(link, of: entity, record) else { continue }
        ends[link.relationship] = target
      }
      let moves = ends.contains { name, target in object(entity.name, id)?.links[name] != target }
      guard moves || !isSame(name, id, values) else { return .unchanged }
      try update(name, id, values, links: ends)
      return .updated
    } catch {
      self = before
      return .rejected
    }
  }

  /// Finds or makes the owner that a record names; nil where it names none.
  private mutating func owner(
    _ link: PlainPipeline.Link, of entity: PlainEntity, _ record: PlainRecord
  ) throws(PlainRejection) -> Int? {
    guard let relationship = entity.relationship(link.relationship) else { return nil }
    let destination = model[relationship.destination]
    var key: [String: PlainValue] = [:]
    for (owner, own) in link.key {
      guard let value = record.values[own], !value.isNull else { return nil }
      key[owner] = value
    }
    let found = find(destination.name, key: destination.key.map { key[$0] ?? .null })
    if let found { return found }
    return try insert(destination.name, key)
  }
}

/// What one run remembers.
package struct PlainRun {
  let pipeline: PlainPipeline
  /// What became of the records that were taken last.
  package fileprivate(set) var counts: [String: PlainCounts] = [:]
  /// Which of them were rejected.
  package fileprivate(set) var rejected: [PlainRejected] = []
  /// The objects whose keys it has met, and those that it has made.
  var seen: [String: Set<Int>] = [:]
  var made: [String: Set<Int>] = [:]
  /// Those that it has made of the record that it is at.
  var fresh: [String: Set<Int>] = [:]

  package init(pipeline: PlainPipeline) { self.pipeline = pipeline }
}

/// A record that was rejected, or a child of one.
package struct PlainRejected {
  package let entity: String
  package let row: Int
}

/// What became of one record.
enum PlainResult: Equatable {
  case inserted, updated, unchanged, ignored, rejected
  /// Under `update-if-newer`, it is not newer: and says something else, or nothing else.
  case older, left
  /// An earlier one of its key keeps the place.
  case leftOut(isSame: Bool)

  /// Whether its children are left alone.
  var isLeftOut: Bool {
    switch self {
    case .leftOut, .older, .left: true
    default: false
    }
  }
}

extension PlainCounts {
  mutating func count(_ result: PlainResult) {
    read += 1
    switch result {
    case .inserted: inserted += 1
    case .updated: updated += 1
    case .unchanged, .left: unchanged += 1
    case .ignored, .older: ignored += 1
    case .rejected: rejected += 1
    case .leftOut(let isSame): if isSame { duplicates += 1 } else { superseded += 1 }
    }
  }
}
