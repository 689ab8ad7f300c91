internal import GRDB
package import ImportModel
internal import ModelMerging
internal import SQLiteAccess
internal import SQLiteStore

extension SQLiteEngine {
  /// The tables, indexes and triggers that a pipeline makes in a new store.
  package static func schemaText(of pipeline: Pipeline) throws -> String {
    try DatabaseQueue().inDatabase { db in
      try Connection.protect(db, trustsSchema: true)
      try StoreSchema.create(db)
      let update = try ModelUpdate(stored: ModelRecord(), declared: pipeline)
      try update.apply(db)
      return try SchemaText.text(db, update.model)
    }
  }

  package func model() throws -> Model { try reading { try ModelRecord($0).model } }

  /// The store's tables, indexes and triggers as SQL that makes them, with a comment line for what each is for.
  package func schemaText() throws -> String {
    try reading { try SchemaText.text($0, ModelRecord($0).model) }
  }
}

/// The tables, indexes and triggers of a store as SQL, with what each is for.
enum SchemaText {
  static func text(_ db: Database, _ model: Model) throws -> String {
    var parts: [String] = []
    func add(_ comment: String, _ type: String, _ table: String, _ name: String? = nil) throws {
      let find = try RawStatement(
        db,
        """
        SELECT sql FROM sqlite_schema WHERE type = ? AND tbl_name = ? AND name = ifnull(?, name) AND sql IS NOT NULL
        ORDER BY name
        """)
      for (index, value) in [type, table, name].enumerated() { find.bind(value, at: Int32(index + 1)) }
      while try find.step() { parts.append("-- \(comment)\n\(find.string(0) ?? "");\n") }
    }
    for entity in model.entities {
      let name = entity.name
      let key = entity.key.listed
      let schema = EntitySchema(entity: entity, model: model)
      let join = model.joins.first { $0.toMany.holder.name == name }
      let purpose =
        join.map { owner, end, toMany in
          "a row for each link between \(owner.name).\(end.name) and \(toMany.destination.name).\(toMany.toOne.name)"
        } ?? "one row an object, known by \(key)"
      try add("\(name): \(purpose).".oneLine, "table", name)
      for constraint in entity.uniquenessConstraints {
        try add(
          "\(name): no two objects have the same \(constraint.listed).".oneLine, "index", name,
          schema.index(constraint).name)
      }
      for relationship in entity.toOneRelationships.filter(schema.hasIndex) {
        let purpose =
          model.isOneToOne(relationship)
          ? "no two objects lead to the same \(relationship.destination) by \(relationship.name)"
          : "finds the objects that lead to a \(relationship.destination)"
        try add("\(name): \(purpose).".oneLine, "index", name, schema.index(relationship).name)
      }
      for index in entity.indexes {
        try add(
          "\(name): finds and sorts objects by \(index.listed).".oneLine, "index", name,
          schema.declaredIndex(index).name)
      }
      try add(
        "\(name): rows that the running statement may replace or delete, kept until the next one."
          .oneLine, "table",
        "bolide_replaced_\(name)")
      for (event, purpose) in events {
        let table = event == "replaced" ? "bolide_replaced_\(name)" : name
        try add("\(name): \(purpose)".oneLine, "trigger", table, "bolide_\(name)_\(event)")
      }
      for relationship in entity.toOneRelationships {
        for (event, purpose) in ownerEvents {
          try add(
            "\(name): \(purpose) \(relationship.destination).".oneLine, "trigger", name,
            schema.triggerName(event, by: relationship.column))
        }
      }
    }
    for (table, purpose) in StoreSchema.purposes {
      try add(purpose, "table", table)
      try add("\(table): finds rows.", "index", table)
      try add("\(table): signs what the program writes.", "trigger", table)
    }
    return parts.joined(separator: "\n")
  }

  private static let events = [
    ("insert", "a new row goes into history and into what is derived from it."),
    ("update", "changed values go into history and into what is derived from them."),
    ("derived", "changed derived values go into history."),
    ("marks", "changed derived values mark what is derived from them."),
    ("restore", "what other programs write into derived values is put right."),
    ("delete", "a deleted row goes into history and out of what is derived from it."),
    ("before_insert", "remembers the rows that OR REPLACE would take away."),
    ("before_delete", "forgets a row that OR REPLACE has not taken away."),
    ("before_update", "remembers the rows that OR REPLACE would take away."),
    ("replaced", "a row that OR REPLACE took away is booked as deleted."),
    ("id", "the identity of an object never changes."),
  ]

  private static let ownerEvents = [
    ("moved", "a row that leads to another goes into what is derived in that"),
    ("changed", "changed values go into what is derived in the"),
  ]
}

extension String {
  /// A name may hold a line's end, and a comment may not.
  fileprivate var oneLine: String { String(map { $0.isNewline ? " " : $0 }) }
}
