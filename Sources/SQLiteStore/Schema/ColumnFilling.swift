internal import Foundation
package import GRDB
package import ImportModel
internal import ModelMerging
internal import SQLiteAccess
internal import StoreInterface

/// Fills the columns of an update's new derived attributes in large tables, before the update, in transactions of some
/// milliseconds: other programs write in between, and a kill loses one step.
package final class ColumnFilling {
  private let db: Database
  private let leastRows: Int64
  private let pipeline: Pipeline
  private let dropping: [String]
  /// How many ids, or changes, the next step covers.
  private var size: Int64
  private let firstSize: Int64
  /// How many changes were left to the last step that caught up with them; nil while there are objects to fill.
  private var left: Int64?
  /// Whether entities have many rows, by name.
  private var isLarge: [String: Bool] = [:]
  private var isResumed = true

  /// - Parameters:
  ///   - leastRows: with fewer rows, neither an attribute's objects nor what it reads are worth it.
  ///   - size: how many ids the first step covers.
  package init(
    _ db: Database, for pipeline: Pipeline, dropping: [String] = [],
    leastRows: Int64 = UnfinishedColumns.leastRows, size: Int64 = 256
  ) {
    (self.db, self.pipeline, self.dropping, self.leastRows) = (db, pipeline, dropping, leastRows)
    (self.size, firstSize) = (size, size)
  }

  /// Takes steps until all is filled.
  ///
  /// - Parameters:
  ///   - progress: told after each step which part of the work is done, from 0 to 1.
  ///   - pause: called after each step, outside of transactions, with the seconds that it took. Who waits for the lock looks for
  ///     it only now and then, so that it has to be free for a good part of the time.
  package func run(
    progress: (Double) -> Void = { _ in },
    pause: (Double) throws -> Void = { usleep(UInt32(min(max($0 / 2, 0.005), 0.1) * 1e6)) }
  ) throws {
    // A step that the machine forgets is taken once more.
    try db.run("PRAGMA synchronous = NORMAL")
    let result = Result {
      try buildIndexes { try pause(0.1) }
      try takeSteps(progress, pause)
    }
    try db.run("PRAGMA synchronous = FULL")
    try result.get()
  }

  /// Builds the new indexes of present columns in large tables, each in a transaction of its own.
  private func buildIndexes(_ pause: () throws -> Void) throws {
    let update = try update()
    guard update.conflicts.isEmpty, update.unsound == nil, update.isAddition else { return }
    for entity in update.model.entities {
      guard let before = update.base.entity(named: entity.name), try hasManyRows(before) else { continue }
      let schema = EntitySchema(entity: entity, model: update.model)
      for index in entity.indexes
      where index.allSatisfy({
        before.attribute(named: $0)?.isTransient == false || before.relationship(named: $0) != nil
      }) {
        let index = schema.declaredIndex(index)
        let find = "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?"
        if try db.value(find, .text(index.name)) != .null { continue }
        try db.inTransaction(.immediate) {
          if try db.value(find, .text(index.name)) == .null { try db.run(index.sql) }
          return .commit
        }
        try pause()
      }
    }
  }

  private func update() throws -> ModelUpdate {
    try ModelUpdate(stored: ModelRecord(db), declared: pipeline, dropping: dropping)
  }

  private func takeSteps(_ progress: (Double) -> Void, _ pause: (Double) throws -> Void) throws {
    let clock = ContinuousClock()
    while true {
      let gathered = try gather()
      var done: Double?
      var start = clock.now
      try db.inTransaction(.immediate) {
        // Not the wait for the lock.
        start = clock.now
        done = try step(gathered)
        return .commit
      }
      guard let done else { return }
      // A step takes some 25 ms.
      let seconds = (clock.now - start) / .seconds(1)
      size = seconds < 0.012 ? size * 2 : seconds > 0.05 ? max(1, size / 2) : size
      progress(done)
      try pause(seconds)
    }
  }

  /// What is to be filled, and how far each is.
  private struct Plan {
    let model: Model
    let numbers: PropertyNumbers
    let nodes: [DerivedNode]
    var unfinished: UnfinishedColumns

    func column(_ node: DerivedNode) throws -> UnfinishedColumns.Column? { try unfinished.column(of: node) }
  }

  /// - Returns: nil where there is nothing to fill.
  private func plan() throws -> Plan? {
    let update = try update()
    guard update.conflicts.isEmpty, update.unsound == nil else { return nil }
    let numbers = try PropertyNumbers(db, model: update.model, creating: false, isTentative: true)
    let nodes = try update.fillable(DerivedPlan(update.model, numbers), db).filter(isWorthSteps)
    if nodes.isEmpty { return nil }
    return Plan(
      model: update.model, numbers: numbers, nodes: nodes, unfinished: try UnfinishedColumns(db))
  }

  /// Computes the aggregates of few owners over many objects, without the lock: ranges of owners would have the objects read
  /// in another order than they lie in.
  private func gather() throws -> (nodes: [DerivedNode], values: [WholeColumns.Gathered]) {
    var nodes: [DerivedNode] = []
    var values: [WholeColumns.Gathered] = []
    try db.inTransaction(.deferred) {
      if let plan = try plan() {
        nodes = try plan.nodes.filter { try isGathered($0) && plan.column($0)?.through == .min }
        values = try WholeColumns.gather(nodes, db)
      }
      return .commit
    }
    return (nodes, values)
  }

  /// Takes one step, in the caller's transaction.
  ///
  /// - Returns: the part of the work that is done; nil where there is nothing to do.
  private func step(_ gathered: (nodes: [DerivedNode], values: [WholeColumns.Gathered])) throws -> Double? {
    guard var plan = try plan() else { return nil }
    for node in plan.nodes {
      if let column = try plan.column(node) {
        if try isResumed && !isWorthwhile(column) { try UnfinishedColumns.restart(node, db) }
      } else {
        let others = plan.unfinished.columns.filter {
          $0.name == "\(node.entity.name).\(node.attribute.name)"
        }
        try UnfinishedColumns.end(others, dropping: true, db)
        try UnfinishedColumns.begin(node, for: pipeline, plan.model, db)
      }
    }
    isResumed = false
    plan.unfinished = try UnfinishedColumns(db)
    var (done, isFound) = (0.0, false)
    for node in plan.nodes {
      guard let column = try plan.column(node) else { continue }
      let objects = "FROM \(quoted(node.entity.name)) WHERE bolide_id > \(column.through)"
      guard case .integer(let first) = try db.value("SELECT min(bolide_id) \(objects)") else {
        done += 1
        continue
      }
      if isFound { continue }
      isFound = true
      let last = try db.integer("SELECT max(bolide_id) \(objects)")
      if try isGathered(node) {
        try WholeColumns.write(gathered.values, db)
        // Owners that come now are told of by history.
        for node in gathered.nodes { try UnfinishedColumns.note(.max, of: node, db) }
        continue
      }
      let together = try plan.nodes.filter {
        try $0.entity.name == node.entity.name && plan.column($0)?.through == column.through
          && !isGathered($0)
      }
      let (end, isBeyond) = first.addingReportingOverflow(size - 1)
      let through = isBeyond ? last : min(end, last)
      try WholeColumns(
        db, together, plan.numbers, new: Set(together.map(\.property)), in: first...through
      ).compute(through: .max)
      for node in together { try UnfinishedColumns.note(through, of: node, db) }
      done += Double(through) / Double(max(1, last))
    }
    if !isFound { return try catchUp(plan) ? 1 : nil }
    return min(1, done / Double(plan.nodes.count))
  }

  /// Computes again, in the caller's transaction, what other programs have changed behind the steps.
  ///
  /// - Returns: whether there is more than a step's worth left, and less than before.
  private func catchUp(_ plan: Plan) throws -> Bool {
    let made = try db.integer("SELECT \(ChangeNumbers.made)")
    let columns = try plan.nodes.compactMap { node in try plan.column(node).map { (node, $0) } }
    guard let first = columns.map(\.1.change).min(), first < made,
      try columns.allSatisfy({ try UnfinishedColumns.isFollowed($0.1, db) })
    else { return false }
    // One change may have an owner's thousands of objects read again.
    if left == nil { size = min(16, firstSize) }
    guard made - first > size, made - first < left ?? .max else { return false }
    left = made - first
    let properties = Set(plan.nodes.map(\.property))
    for (node, column) in columns {
      try UnfinishedColumns.mark(node, column, through: first + size, plan.numbers, db)
    }
    try WholeColumns(db, plan.nodes, plan.numbers, new: properties, filled: properties).compute(
      through: .max)
    for (node, column) in columns where column.change < first + size {
      try UnfinishedColumns.note(change: first + size, of: node, db)
    }
    for property in properties { try db.run("DELETE FROM bolide_dirty WHERE property = \(property)") }
    return true
  }

  /// Whether a column that was begun earlier is worth going on with: what has changed since is less than its table.
  private func isWorthwhile(_ column: UnfinishedColumns.Column) throws -> Bool {
    let changes =
      "SELECT count(*) FROM (SELECT 1 FROM bolide_change WHERE change > \(column.change) LIMIT \(leastRows))"
    return try UnfinishedColumns.isFollowed(column, db) && db.integer(changes) < leastRows
  }

  private func isWorthSteps(_ node: DerivedNode) throws -> Bool {
    try hasManyRows(node.entity) || node.children.map { try hasManyRows($0.entity) } ?? false
  }

  private func isGathered(_ node: DerivedNode) throws -> Bool {
    try node.wholeValue == nil && !hasManyRows(node.entity)
  }

  private func hasManyRows(_ entity: Entity) throws -> Bool {
    if let known = isLarge[entity.name] { return known }
    let rows = "SELECT count(*) FROM (SELECT 1 FROM \(quoted(entity.name)) LIMIT \(leastRows))"
    let has = try db.integer(rows) >= leastRows
    isLarge[entity.name] = has
    return has
  }
}

extension ModelUpdate {
  /// Takes over the columns of new attributes that are there, and drops those that are in the way or wanted by nobody any
  /// more, in the caller's transaction.
  ///
  /// - Returns: each with whether history tells all that has changed since its filling began.
  func takeColumns(_ db: Database) throws -> [(column: UnfinishedColumns.Column, isFollowed: Bool)] {
    let unfinished = try UnfinishedColumns(db)
    if unfinished.columns.isEmpty { return [] }
    let numbers = try PropertyNumbers(db, model: model, creating: false, isTentative: true)
    let taken = try fillable(DerivedPlan(model, numbers), db).compactMap(unfinished.column)
    let isRebuilt = !drops.isEmpty || !renames.steps.isEmpty
    let dropped = unfinished.columns.filter { column in
      !taken.contains(column)
        && (isRebuilt || column.pipeline == pipeline.name
          || model.entity(named: column.entity)?.propertyNames.contains(column.attribute.name) == true)
    }
    let columns = try taken.map { ($0, try UnfinishedColumns.isFollowed($0, db)) }
    try UnfinishedColumns.end(taken, dropping: false, db)
    try UnfinishedColumns.end(dropped, dropping: true, db)
    return columns
  }

  /// Sees that no column of another program has the name of a new one.
  func checkRoom(
    for attributes: [Attribute], _ links: [Relationship], in entity: Entity, _ db: Database
  ) throws {
    guard !attributes.isEmpty || !links.isEmpty, let table = try TableColumns(db, entity.name) else { return }
    let names = attributes.flatMap { [$0.name] + $0.hiddenColumns.map(\.name) } + links.map(\.column)
    if let taken = names.first(where: table.has) { throw StoreError.columnTaken(taken, entity.name) }
  }

  /// Marks what has changed in columns that were filled before, in the caller's transaction.
  ///
  /// - Returns: the attributes whose other objects have their value.
  func markBehind(
    _ taken: [(column: UnfinishedColumns.Column, isFollowed: Bool)], _ numbers: PropertyNumbers,
    _ db: Database
  ) throws -> Set<Int64> {
    var filled: Set<Int64> = []
    for node in try DerivedPlan(model, numbers).nodes {
      for (column, isFollowed) in taken
      where isFollowed && column.entity == node.entity.name && column.attribute == node.attribute {
        try UnfinishedColumns.mark(node, column, numbers, db)
        filled.insert(node.property)
      }
    }
    return filled
  }

  /// Whether what is there keeps its name and its form.
  fileprivate var isAddition: Bool { drops.isEmpty && renames.steps.isEmpty && widenings.isEmpty }

  /// The new derived attributes that can be computed from what the store has before the update.
  func fillable(_ plan: DerivedPlan, _ db: Database) throws -> [DerivedNode] {
    guard isAddition,
      // A trigger of another program's is to hear of each object.
      try Triggers.foreign(db, model: base) == nil
    else { return [] }
    return plan.nodes.filter { node in
      guard let before = base.entity(named: node.entity.name),
        before.attribute(named: node.attribute.name) == nil
      else { return false }
      func hasLink(_ relationship: Relationship, of entity: Entity) -> Bool {
        base.entity(named: entity.name)?.toOneRelationships.contains {
          $0.name == relationship.name && $0.destination == relationship.destination
        } ?? false
      }
      func hasSame(_ attribute: Attribute, of entity: Entity) -> Bool {
        // What the log of changes leaves out cannot be followed.
        !attribute.isVolatile
          && base.entity(named: entity.name)?.attribute(named: attribute.name) == attribute
      }
      switch node.source {
      case .clock: return false
      case .path(let path):
        let ends = path.hops.indices.allSatisfy {
          hasLink(path.hops[$0].relationship, of: path.entity(after: $0, from: node.entity))
        }
        return ends && hasSame(path.attribute, of: path.entity(after: path.hops.count, from: node.entity))
      case .children(let children):
        let read =
          [children.attribute].compactMap(\.self)
          + children.filterAttributes.compactMap { children.objects.attribute(named: $0) }
        return hasLink(children.toOne, of: children.entity)
          && children.onward.map { hasLink($0.relationship, of: children.entity) } ?? true
          && read.allSatisfy { hasSame($0, of: children.objects) }
      }
    }
  }
}
