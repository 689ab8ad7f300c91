package import GRDB
package import ImportModel
internal import SQLiteAccess
internal import StoreInterface

/// Computes anew what stands in `bolide_dirty`, what is read before what reads it.
package final class DerivedRefresh {
  private let steps: [DerivedStep]
  private let isPending: RawStatement
  private let clear: RawStatement
  private let begin: RawStatement
  private let end: RawStatement

  package init(_ db: Database, _ plan: DerivedPlan, _ numbers: PropertyNumbers, marks: DerivedInvalidations?)
    throws
  {
    steps = try DerivedStep.all(db, plan, numbers, marks: marks)
    isPending = try RawStatement(db, "SELECT 1 FROM bolide_dirty LIMIT 1")
    clear = try RawStatement(db, "DELETE FROM bolide_dirty")
    begin = try RawStatement(db, ForeignSQL.begin(0, "0"))
    end = try RawStatement(db, ForeignSQL.end(0, "0"))
  }

  /// Refreshes, inside the caller's transaction.
  ///
  /// - Parameters:
  ///   - history: nil where the triggers are on, and write it.
  ///   - isNew: whether an object of an entity was made in this very transaction: its history is its insertion.
  ///   - clock: the instant of the transaction.
  ///   - columns: what is computed for all objects, where the triggers are on.
  package func run(
    history: HistoryWriter?, clock: String, columns: WholeColumns? = nil,
    isNew: (_ entity: String, _ object: Int64) -> Bool = { _, _ in false }
  ) throws {
    let isMarked = try isPending.step()
    isPending.reset()
    guard isMarked || columns?.isEmpty == false else { return }
    // The triggers, where they are on, let nobody else write derived attributes.
    if history == nil { try begin.run() }
    for step in steps {
      try columns?.compute(through: step.nodes[0].rank)
      try step.run(history, clock, isNew)
    }
    if history == nil { try end.run() }
    try columns?.noteHistory()
    try clear.run()
  }

  /// Computes attributes for all their objects, and what is marked besides, in the caller's transaction. The triggers are on.
  ///
  /// - Parameters:
  ///   - properties: the attributes' numbers.
  ///   - new: those of them that the model has not had before.
  ///   - filled: those of these whose columns have the values of all objects but the marked ones.
  static func run(
    _ db: Database, model: Model, _ numbers: PropertyNumbers, computing properties: Set<Int64>,
    new: Set<Int64> = [], filled: Set<Int64> = []
  ) throws {
    let plan = try DerivedPlan(model, numbers)
    var columns: WholeColumns?
    if try Triggers.foreign(db, model: model) == nil {
      columns = try WholeColumns(db, plan, numbers, computing: properties, new: new, filled: filled)
    } else {
      // It hears of each object by itself.
      for node in plan.nodes where properties.contains(node.property) && !node.isFromClock {
        try DerivedInvalidations.markAll(db, node.property, of: node.entity)
      }
    }
    try DerivedRefresh(db, plan, numbers, marks: nil).run(
      history: nil, clock: timestamp(), columns: columns)
  }

  /// Refreshes what other programs have marked, in a transaction of its own. The triggers are on.
  package static func run(_ db: Database, model: Model) throws {
    let isFolded = try db.value("SELECT folding FROM bolide_store") == .integer(TextFolding.version)
    guard try !isFolded || db.value("SELECT 1 FROM bolide_dirty LIMIT 1") != .null else { return }
    try db.inTransaction(.immediate) {
      let numbers = try PropertyNumbers(db, model: model, creating: false)
      // Another version of Bolide has written texts in its own way.
      let texts = try isFolded ? [] : DerivedPlan(model, numbers).nodes.filter { $0.path?.folding != nil }
      try signing(db) {
        try run(db, model: model, numbers, computing: Set(texts.map(\.property)))
      }
      if !isFolded { try db.run("UPDATE bolide_store SET folding = \(TextFolding.version)") }
      return .commit
    }
  }

  /// Signs what follows from changes that one author has signed, and from no others.
  private static func signing(_ db: Database, _ refresh: () throws -> Void) throws {
    let made = try db.integer("SELECT \(ChangeNumbers.made)")
    let isSigned = try db.value(
      """
      SELECT count(DISTINCT name) = 1 AND total(last - max(first, assigned + 1) + 1) = \(made) - assigned
      FROM bolide_signed, (SELECT \(ChangeNumbers.assigned) AS assigned) WHERE last > assigned
      """)
    try refresh()
    guard isSigned == .integer(1) else { return }
    try db.run("UPDATE bolide_signed SET last = \(ChangeNumbers.made) WHERE last = \(made)")
  }
}

/// Some derived attributes of one entity and rank that are computed together.
package final class DerivedStep {
  package let entity: Entity
  /// The attributes' numbers, in the order of the values.
  package let nodes: [DerivedNode]

  private let number: Int64
  private let marks: DerivedInvalidations?
  private let marked: RawStatement
  private let read: RawStatement
  private let db: Database
  /// Made when it is first needed: SQLite then reads all that the table's triggers do, which who only looks need not wait for.
  private lazy var write: Result<RawStatement, any Error> = Result { try RawStatement(db, update) }
  private let update: String
  /// Nil for attributes that `read` itself computes, behind their stored values.
  private let children: (group: DerivedGroup, values: AggregateValues)?
  /// Parameters of `read` before the object's id: one for each attribute from the clock.
  private let clocks: [Bool]

  package static func all(
    _ db: Database, _ plan: DerivedPlan, _ numbers: PropertyNumbers, marks: DerivedInvalidations?
  ) throws -> [DerivedStep] {
    var steps: [DerivedStep] = []
    var scalars: [[DerivedNode]] = []
    for node in plan.nodes where node.isScalar {
      if let index = scalars.firstIndex(where: {
        // The clock is asked for those alone that are marked for it.
        $0[0].entity.name == node.entity.name && $0[0].rank == node.rank
          && ($0[0].path == nil) == (node.path == nil)
      }) {
        scalars[index].append(node)
      } else {
        scalars.append([node])
      }
    }
    steps += try scalars.map { try DerivedStep(db, $0, numbers, marks) }
    steps += try DerivedGroup.all(in: plan).map { try DerivedStep(db, $0, numbers, marks) }
    return steps.sorted { $0.nodes[0].rank < $1.nodes[0].rank }
  }

  /// Attributes of the objects' own.
  private init(
    _ db: Database, _ nodes: [DerivedNode], _ numbers: PropertyNumbers, _ marks: DerivedInvalidations?
  )
    throws
  {
    (self.nodes, self.marks, entity) = (nodes, marks, nodes[0].entity)
    number = numbers.entity(entity.name)
    let table = quoted(entity.name)
    clocks = nodes.map { $0.path == nil }
    let columns = nodes.map { "bolide_object.\(quoted($0.attribute.name))" }
    let values = nodes.map { $0.path?.value { "bolide_object.\(quoted($0))" } ?? "?" }
    read = try RawStatement(
      db,
      "SELECT \((columns + values).joined(separator: ", ")) FROM \(table) AS bolide_object WHERE bolide_id = ?"
    )
    let assignments = nodes.map { "\(quoted($0.attribute.name)) = ?" }.joined(separator: ", ")
    update = "UPDATE \(table) SET \(assignments) WHERE bolide_id = ?"
    self.db = db
    marked = try RawStatement(db, Self.marked(nodes))
    children = nil
  }

  /// Aggregates over a relationship.
  private init(
    _ db: Database, _ group: DerivedGroup, _ numbers: PropertyNumbers, _ marks: DerivedInvalidations?
  )
    throws
  {
    nodes = group.members.map(\.node)
    (self.marks, entity) = (marks, group.owner)
    number = numbers.entity(entity.name)
    clocks = []
    read = try RawStatement(db, group.select)
    update = group.update
    self.db = db
    marked = try RawStatement(db, Self.marked(nodes))
    children = (group, try AggregateValues(db, group))
  }

  /// The objects whose attributes are marked, each once.
  package static func marked(_ nodes: [DerivedNode]) -> String {
    let objects = nodes.flatMap { node in
      switch node.source {
      case .clock: [DerivedInvalidations.objects(node.property)]
      case .path(let path):
        (0...path.hops.count).map { path.origins(from: node.entity, property: node.property, hop: $0) }
      case .children(let children):
        [DerivedInvalidations.objects(node.property)]
          + [children.owners(property: node.property)].compactMap(\.self)
      }
    }
    // UNION orders and leaves each out but one.
    return objects.joined(separator: " UNION ") + (objects.count == 1 ? "" : " ORDER BY 1")
  }

  package func run(
    _ history: HistoryWriter?, _ clock: String, _ isNew: (String, Int64) -> Bool
  ) throws {
    // First all of them: what is written below is also read by the search.
    var objects: [Int64] = []
    while try marked.step() { objects.append(marked.integer(0)) }
    for object in objects {
      guard let (changed, values) = try newValues(of: object, clock) else { continue }
      defer { read.reset() }
      guard !changed.isEmpty || children != nil else { continue }
      try history?.noteDerived(number, object, changed, read, isNew: isNew(entity.name, object))
      if let children { marks?.note(values, of: children.group) }
      let write = try write.get()
      write.bind(values)
      write.bind(object, at: Int32(values.count + 1))
      try write.run()
      guard db.changesCount == 1 else { throw StoreError.rowsKept(entity.name) }
      for change in changed { try marks?.propagate(change.property, object) }
    }
  }

  /// What an object's attributes should be; nil for an object that is not there any more.
  ///
  /// Leaves `read` on the object's row: the caller resets it.
  func newValues(
    of object: Int64, _ clock: String
  ) throws -> (changed: [(property: Int64, column: Int32)], values: [Value])? {
    var parameter: Int32 = 1
    for (index, isClock) in clocks.enumerated() where isClock {
      read.bind(nodes[index].attribute.instant(clock), at: parameter)
      parameter += 1
    }
    read.bind(object, at: parameter)
    guard try read.step() else {
      read.reset()
      return nil
    }
    if let children {
      let values = try children.values.values(of: object)
      return (children.group.changed(read, values), values)
    }
    let values = nodes.indices.map { read.value(Int32(nodes.count + $0)) }
    let changed = nodes.indices.filter { read.differs(Int32($0), Int32(nodes.count + $0)) }
    return (changed.map { (nodes[$0].property, Int32($0)) }, values)
  }
}

extension DerivedStep {
  /// What an object's attributes are and should be; none for those from the clock, which nothing can tell.
  package func values(of object: Int64) throws -> [(node: DerivedNode, stored: Value, expected: Value)] {
    guard let (_, values) = try newValues(of: object, "") else { return [] }
    defer { read.reset() }
    var place = 0
    return nodes.compactMap { node in
      defer { place += 1 + node.attribute.hiddenColumns.count }
      if node.isScalar && node.path == nil { return nil }
      return (node, read.value(Int32(place)), values[place])
    }
  }
}

extension Attribute {
  /// An instant with milliseconds as the attribute's type has it.
  func instant(_ clock: String) -> String { precision.instant(clock) }

  /// The precision of its dates.
  var precision: DatePrecision {
    if case .date(let precision) = type { precision } else { .seconds }
  }
}

extension RawStatement {
  /// Whether two columns of the current row hold other values, byte for byte.
  func differs(_ left: Int32, _ right: Int32) -> Bool {
    guard type(left) == type(right) else { return true }
    return switch value(left) {
    case .null: false
    case .integer(let value): value != integer(right)
    case .real(let value): value != real(right)
    case .text, .blob: !bytes(left).elementsEqual(bytes(right))
    }
  }
}
