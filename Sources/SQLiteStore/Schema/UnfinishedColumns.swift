package import GRDB
package import ImportModel
internal import ModelMerging
internal import SQLiteAccess
internal import StoreInterface

/// The columns of new derived attributes that are filled in steps before the model has them: see the design page 15.
///
/// Each is a row of a table that is there as long as there are such columns. What changes behind a step stands in history,
/// which so says which objects are to be computed again when the model gets the attribute.
package struct UnfinishedColumns {
  /// Tables of fewer rows are filled in the update's own transaction.
  package static let leastRows: Int64 = 50_000

  private static let table = "bolide_unfinished"

  /// As SQLite keeps it.
  private static let create = """
    CREATE TABLE bolide_unfinished(
      entity     INTEGER NOT NULL,                  -- bolide_entity
      attribute  TEXT    NOT NULL,                  -- the derived attribute that the model is going to have
      definition TEXT    NOT NULL,                  -- the attribute as JSON
      pipeline   TEXT    NOT NULL,                  -- whose model has it
      model      INTEGER NOT NULL,                  -- bolide_model: the version when the column's filling began
      number     INTEGER NOT NULL,                  -- bolide_transaction: the newest one by then
      change     INTEGER NOT NULL,                  -- bolide_change: the last one by then
      through    INTEGER NOT NULL,                  -- the objects up to this id have their value
      PRIMARY KEY (entity, attribute)
    ) STRICT, WITHOUT ROWID
    """

  /// A column that is there.
  package struct Column: Equatable {
    let entity: String
    let attribute: Attribute
    let definition: String
    package let pipeline: String
    let model: Int64
    let number: Int64
    let change: Int64
    let through: Int64

    package var name: String { "\(entity).\(attribute.name)" }
  }

  package let columns: [Column]

  /// - Throws: `StoreError.foreignSchema` where the table is not Bolide's.
  package init(_ db: Database) throws {
    let text = try db.value("SELECT sql FROM sqlite_schema WHERE name = '\(Self.table)'")
    guard text != .null else {
      columns = []
      return
    }
    guard text == .text(Self.create) else {
      throw StoreError.foreignSchema("the table \(Self.table) is not as Bolide made it")
    }
    let rows = try RawStatement(
      db,
      """
      SELECT e.name, u.definition, u.pipeline, u.model, u.number, u.change, u.through
      FROM bolide_unfinished AS u JOIN bolide_entity AS e USING (entity) ORDER BY entity, attribute
      """)
    var columns: [Column] = []
    let model = try ModelRecord(db).model
    while try rows.step() {
      let definition = rows.string(1) ?? ""
      columns.append(
        Column(
          entity: rows.string(0) ?? "", attribute: try ModelRecord.decode(Attribute.self, definition),
          definition: definition, pipeline: rows.string(2) ?? "", model: rows.integer(3),
          number: rows.integer(4), change: rows.integer(5), through: rows.integer(6)))
    }
    // The file may come from anywhere: nothing that the model has is taken for unfinished.
    self.columns = columns.filter { column in
      model.entity(named: column.entity).map { !$0.propertyNames.contains(column.attribute.name) } ?? false
    }
  }

  /// What a pipeline has begun.
  package func begun(by pipeline: Pipeline) -> [Column] { columns.filter { $0.pipeline == pipeline.name } }

  func column(of node: DerivedNode) throws -> Column? {
    let definition = try ModelRecord.encode(node.attribute)
    return columns.first { $0.entity == node.entity.name && $0.definition == definition }
  }

  /// Makes a derived attribute's columns, in the caller's transaction.
  static func begin(_ node: DerivedNode, for pipeline: Pipeline, _ model: Model, _ db: Database) throws {
    if try db.value("SELECT 1 FROM sqlite_schema WHERE name = '\(table)'") == .null { try db.run(create) }
    for column in EntitySchema(entity: node.entity, model: model).columns(node.attribute) {
      try db.run("ALTER TABLE \(quoted(node.entity.name)) ADD COLUMN \(column)")
    }
    try db.run(
      """
      INSERT INTO bolide_unfinished SELECT entity, ?, ?, ?, 0, 0, 0, \(Int64.min) FROM bolide_entity WHERE name = ?
      """, .text(node.attribute.name), .text(ModelRecord.encode(node.attribute)), .text(pipeline.name),
      .text(node.entity.name))
    try restart(node, db)
  }

  /// Begins to fill a column from its first object on.
  static func restart(_ node: DerivedNode, _ db: Database) throws {
    try set(
      """
      model = (SELECT max(version) FROM bolide_model), change = \(ChangeNumbers.made), through = \(Int64.min),
      number = max(ifnull((SELECT max(number) FROM bolide_transaction), 0), ifnull((SELECT max(number) FROM bolide_pruned), 0))
      """, of: node, db)
  }

  /// Notes through which object a column is filled.
  static func note(_ through: Int64, of node: DerivedNode, _ db: Database) throws {
    try set("through = \(through)", of: node, db)
  }

  /// Notes that all objects have their value as of a change.
  static func note(change: Int64, of node: DerivedNode, _ db: Database) throws {
    let last = "ifnull((SELECT max(bolide_id) FROM \(quoted(node.entity.name))), through)"
    try set("change = \(change), through = max(through, \(last))", of: node, db)
  }

  private static func set(_ assignments: String, of node: DerivedNode, _ db: Database) throws {
    try db.run(
      """
      UPDATE bolide_unfinished SET \(assignments)
      WHERE attribute = ? AND entity = (SELECT entity FROM bolide_entity WHERE name = ?)
      """, .text(node.attribute.name), .text(node.entity.name))
  }

  /// Whether history has all that has changed since a column's filling began, of a model that is still the same.
  static func isFollowed(_ column: Column, _ db: Database) throws -> Bool {
    try db.value(
      """
      SELECT (SELECT max(version) FROM bolide_model) = \(column.model)
      AND NOT EXISTS (SELECT 1 FROM bolide_pruned WHERE last_change > \(column.change))
      AND NOT EXISTS (SELECT 1 FROM bolide_gap WHERE number > \(column.number))
      """) == .integer(1)
  }

  /// Drops all that there are, in the caller's transaction.
  package static func drop(_ db: Database) throws {
    try end(UnfinishedColumns(db).columns, dropping: true, db)
  }

  /// Takes columns out of the list of the unfinished, in the caller's transaction.
  ///
  /// - Parameter dropping: whether their values go too.
  static func end(_ columns: [Column], dropping: Bool, _ db: Database) throws {
    for column in columns {
      try db.run(
        "DELETE FROM bolide_unfinished WHERE attribute = ? AND entity = (SELECT entity FROM bolide_entity WHERE name = ?)",
        .text(column.attribute.name), .text(column.entity))
      for name in dropping ? [column.attribute.name] + column.attribute.hiddenColumns.map(\.name) : [] {
        try db.run("ALTER TABLE \(quoted(column.entity)) DROP COLUMN \(quoted(name))")
      }
    }
    if !columns.isEmpty, try db.value("SELECT 1 FROM bolide_unfinished LIMIT 1") == .null {
      try db.run("DROP TABLE bolide_unfinished")
    }
  }

  /// Marks the objects of which a value may be another than in a column.
  ///
  /// - Parameter last: the last change that is looked at.
  static func mark(
    _ node: DerivedNode, _ column: Column, through last: Int64 = .max, _ numbers: PropertyNumbers,
    _ db: Database
  ) throws {
    let isChange = "c.change > \(column.change) AND c.change <= \(last)"
    /// The objects of an entity that were made or changed.
    func changed(_ entity: Entity, _ selected: String = "bolide_id") -> String {
      """
      SELECT bolide_object.\(quoted(selected)) AS object FROM bolide_change AS c
      CROSS JOIN \(quoted(entity.name)) AS bolide_object ON bolide_object.bolide_id BETWEEN c.first AND c.last
      WHERE \(isChange) AND c.entity = \(numbers.entity(entity.name))
      """
    }
    func mark(_ hop: Int, _ objects: String) throws {
      try db.run(
        """
        INSERT OR IGNORE INTO bolide_dirty(property, hop, object)
        SELECT \(node.property), \(hop), object FROM (\(objects)) WHERE object IS NOT NULL
        """)
    }
    try mark(0, changed(node.entity))
    let isBehind = "bolide_id > \(column.through)"
    try mark(0, "SELECT bolide_id AS object FROM \(quoted(node.entity.name)) WHERE \(isBehind)")
    switch node.source {
    case .clock: break
    case .path(let path):
      for hop in path.hops.indices { try mark(hop + 1, changed(path.hops[hop].destination)) }
    case .children(let children):
      let column = children.toOne.column
      try mark(0, changed(children.entity, column))
      // Who it belonged to before, also of one that is gone.
      let property = numbers.columns(of: children.entity).first { $0.column == column }?.number ?? 0
      try mark(
        0,
        """
        SELECT v.value AS object FROM bolide_change AS c JOIN bolide_previous AS v USING (change)
        WHERE \(isChange) AND c.entity = \(numbers.entity(children.entity.name)) AND v.property = \(property)
        """)
      if children.readsThroughLinks { try mark(1, changed(children.objects)) }
    }
  }
}
