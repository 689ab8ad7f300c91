internal import ImportModel

/// A question about the objects that a to-many relationship leads to. The answer is never null: an object for which the
/// condition is null does not meet it.
package final class RelatedObjects {
  /// What is asked.
  package enum Form: String {
    /// Whether at least one meets the condition.
    case any
    /// Whether every one does; so it is where there are none.
    case all
    /// Whether not one does.
    case none
    /// How many do.
    case count
  }

  private let form: Form
  /// Where the tree of their tables begins.
  let root: Int
  /// What ties them to their owner.
  private let link: String
  /// What they have to meet; nil for nothing.
  let condition: PredicateSQL?

  init(form: Form, root: Int, link: String, condition: PredicateSQL?) {
    (self.form, self.root, self.link, self.condition) = (form, root, link, condition)
  }

  /// The question as SQL, which the index of the relationship answers.
  func sql(_ tree: JoinTree, _ source: (Entity) -> String) -> String {
    form.sql("\(tree.from(source, root: root)) WHERE \(link)", condition?.sql(source))
  }
}

extension RelatedObjects.Form {
  /// The question as SQL.
  ///
  /// - Parameters:
  ///   - objects: the tables, and what ties them to their owner, behind FROM.
  ///   - condition: what they have to meet; nil for nothing.
  package func sql(_ objects: String, _ condition: String?) -> String {
    let objects = "FROM \(objects)\(condition.map { " AND (\($0))" } ?? "")"
    return switch self {
    case .any: "EXISTS (SELECT 1 \(objects))"
    case .all: "NOT EXISTS (SELECT 1 \(objects) IS NOT TRUE)"
    case .none: "NOT EXISTS (SELECT 1 \(objects))"
    case .count: "(SELECT count(*) \(objects))"
    }
  }
}
