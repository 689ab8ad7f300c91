/// Checks that a model is not larger than SQLite can hold, and than an import can work with.
///
/// These are counts alone. Whether SQLite takes the tables and triggers of a large model is tried out by the store.
enum SizeCheck {
  /// A table of SQLite's has 2,000 columns; some are Bolide's own.
  static let mostColumns = 1_990
  /// They are evaluated together, as one expression, and SQLite's expressions are 1,000 deep at most.
  static let mostChecks = 500
  /// Every entity is a table with its triggers, and each is looked at whenever the store is opened.
  static let mostEntities = 1_000

  /// Books what is too large.
  static func run(_ pipeline: Pipeline, _ list: inout ProblemList) {
    let count = pipeline.model.entities.count
    if count > mostEntities { list.add(.tooManyEntities(count, mostEntities), at: ["entities"]) }
    for entity in pipeline.model.entities where entity.columnCount > mostColumns {
      list.add(
        .tooManyColumns(entity, mostColumns), at: pipeline.part(of: entity.name) + ["attributes"])
    }
    func check(_ checks: [String], _ entity: String) {
      guard checks.count > mostChecks else { return }
      list.add(.tooManyChecks(checks.count, mostChecks), at: pipeline.part(of: entity) + ["check"])
    }
    check(pipeline.checks, pipeline.entity)
    for children in pipeline.children {
      check(children.checks, pipeline.toMany(of: children)?.destination.name ?? pipeline.entity)
    }
  }
}

extension Entity {
  /// The columns of its table that are the model's.
  fileprivate var columnCount: Int { storedAttributes.count + toOneRelationships.count }
}

extension Pipeline {
  /// Whether it is past a limit that is a count: nothing else of it is worth a look then.
  package var isTooLarge: Bool {
    var list = ProblemList(self, unread: [])
    SizeCheck.run(self, &list)
    return !list.problems.isEmpty
  }

  /// Whether it is so large that SQLite may not take it.
  package var isLarge: Bool {
    model.entities.count > 100 || checks.count + fields.count > 200
      || model.entities.contains { $0.columnCount > 100 }
  }
}
