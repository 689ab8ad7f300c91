internal import GRDB
internal import ImportModel
internal import ModelMerging
internal import SQLiteAccess
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  /// Makes tables and columns anew that another program has dropped.
  ///
  /// - Returns: what was missing.
  /// - Throws: `StoreError.foreignSchema` for what cannot be made anew.
  private func mendSchema() throws -> [String] {
    try writing { db in
      let model = try ModelRecord(db).model
      if try SchemaDrift(db, model).error == nil { return [] }
      var problems: [String] = []
      try db.inTransaction(.immediate) {
        let drift = try SchemaDrift(db, model)
        problems = drift.problems
        try drift.mend(db)
        return .commit
      }
      return problems
    }
  }

  /// Repairs what can be repaired: triggers, indexes and derived attributes, in transactions of a bounded size.
  ///
  /// Other programs may write meanwhile. What they missed cannot be made up in history, so any repair of a value notes a
  /// gap there.
  /// - Parameter found: called for each thing that was wrong and is not any more.
  /// - Complexity: as `verify`.
  package func rebuild(_ found: (Finding) throws -> Void) throws {
    try mendSchema().forEach { try found(Finding(message: $0)) }
    // First the triggers: a refresh fires them, and whoever altered one could make it endless.
    for problem in try restoreTriggers().problems { try found(Finding(message: problem)) }
    try assignPending(restoringTriggers: false)
    try writing { db in
      let model = try ModelRecord(db).model
      let numbers = try PropertyNumbers(db, model: model, creating: false)
      let plan = try DerivedPlan(model, numbers)
      let refresh = try DerivedRefresh(db, plan, numbers, marks: nil)
      let marks = try DerivedInvalidations(db, plan)
      var isRepaired = false
      // What is read comes before what reads it.
      for step in try DerivedStep.all(db, plan, numbers, marks: nil) {
        let batch = try RawStatement(
          db,
          "SELECT bolide_id FROM \(quoted(step.entity.name)) WHERE bolide_id > ? ORDER BY bolide_id LIMIT 2000"
        )
        var last = Int64.min
        var isAtEnd = false
        while !isAtEnd {
          try db.inTransaction(.immediate) {
            batch.bind(last, at: 1)
            var objects: [Int64] = []
            while try batch.step() { objects.append(batch.integer(0)) }
            isAtEnd = objects.isEmpty
            last = objects.last ?? last
            for object in objects {
              for finding in try step.findings(of: object) where !finding.finding.isTrue {
                isRepaired = true
                try found(finding.finding)
                try marks.mark(finding.node.property, object)
              }
            }
            try refresh.run(history: nil, clock: timestamp())
            return .commit
          }
          // The gap is still to be noted.
          if isRepaired { StoreCall.current?.settle() }
        }
      }
      guard isRepaired else { return }
      try db.inTransaction(.immediate) {
        try HistoryWriter(db).noteGap("derived values were not true")
        return .commit
      }
    }
  }
}

extension DerivedStep {
  /// The attributes of an object that are not what they should be, and the totals that no number is.
  func findings(of object: Int64) throws -> [(node: DerivedNode, finding: Finding)] {
    try values(of: object).compactMap { node, stored, expected in
      guard stored == expected else {
        return (
          node,
          Finding(
            entity: entity.name, id: object, attribute: node.attribute.name, stored: stored,
            expected: expected, type: node.attribute.type)
        )
      }
      let isNullTotal = node.attribute.isTotal && expected == .null
      return isNullTotal ? (node, .nullTotal(node.attribute, of: entity, object)) : nil
    }
  }
}
