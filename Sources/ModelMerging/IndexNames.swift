package import ImportModel

extension Entity {
  /// The name of an index that pipelines declare, on attributes and relationships.
  package func indexName(_ names: [String]) -> String {
    indexName(columns: columns(of: names), isUnique: false)
  }

  /// The name of an index on columns.
  package func indexName(columns: [String], isUnique: Bool) -> String {
    (isUnique ? "bolide_unique_" : "bolide_index_") + dotted(columns)
  }

  /// The entity's name and others, parted by a dot. A dot of their own is written as ~1 and the ~ as ~0: no two lists look alike.
  package func dotted(_ names: [String]) -> String {
    ([name] + names).map { $0.replacing("~", with: "~0").replacing(".", with: "~1") }.joined(separator: ".")
  }
}
