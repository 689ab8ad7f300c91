import Foundation
import ImportModel

@testable import SQLiteStore

/// Recipes by authors, and comments by people: in one store, or the comments in another.
enum Kitchen {
  private static func integer(_ name: String) -> Attribute { Attribute(name: name, type: .integer64) }

  private static func string(_ name: String) -> Attribute {
    Attribute(name: name, type: .string, isRequired: ["slug", "name"].contains(name))
  }

  private static let catalogue = [
    Entity(
      name: "Recipe", key: ["slug"], attributes: [string("slug"), string("order"), integer("minutes")],
      relationships: [Relationship(name: "author", kind: .toOne, destination: "Author")]),
    Entity(name: "Author", key: ["name"], attributes: [string("name"), integer("born")]),
  ]

  private static let overlay = [
    Entity(
      name: "Comment", key: ["number"],
      attributes: [
        Attribute(name: "number", type: .integer64, isRequired: true), string("recipe"), integer("stars"),
        string("text"), Attribute(name: "weight", type: .double),
      ],
      relationships: [Relationship(name: "by", kind: .toOne, destination: "Person")]),
    Entity(name: "Person", key: ["name"], attributes: [string("name"), integer("age")]),
  ]

  /// Recipes with fetched properties. Those that name a store find comments there, the others in the same one.
  static func recipes(_ properties: [FetchedProperty] = []) -> Pipeline {
    var model = Model(entities: catalogue + overlay)
    if properties.contains(where: { $0.store != nil }) { model.entities = catalogue }
    model.entities[0].fetchedProperties = properties
    return Pipeline(
      name: "recipes", entity: "Recipe", model: model,
      fields: catalogue[0].attributes.map { Field($0.name) })
  }

  /// Comments in a store of their own.
  static let comments = Pipeline(
    name: "comments", entity: "Comment", model: Model(entities: overlay),
    fields: overlay[0].attributes.map { Field($0.name) })

  static let recipeRows = """
    INSERT INTO Author(bolide_id, name, born) VALUES (1, 'x', 1970), (2, 'y', 1980);
    INSERT INTO Recipe(bolide_id, slug, "order", minutes, author_id) VALUES
      (1, 'soup', 'b', 30, 1), (2, 'tart', 'a', 60, 2), (3, 'cake', 'a', NULL, NULL), (4, 'it''s', NULL, 5, 1);
    """

  static let commentRows = """
    INSERT INTO Person(bolide_id, name, age) VALUES (1, 'x', 30), (2, 'z', 40);
    INSERT INTO Comment(bolide_id, number, recipe, stars, text, by_id) VALUES (1, 10, 'soup', 5, 'good', 1),
      (2, 20, 'soup', 2, 'thin', 2), (3, 30, 'tart', 4, NULL, NULL), (4, 40, 'gone', 1, '', 1), (5, 50, 'soup', 4, 'again', 1);
    """

  /// The small world in one store.
  static func store(_ temporary: TemporaryStore, _ properties: [FetchedProperty]) throws -> SQLiteEngine {
    let store = try temporary.open(recipes(properties))
    try temporary.shell(recipeRows + commentRows)
    return store
  }

  /// The small world in two stores.
  static func stores(
    _ temporary: TemporaryStore, _ other: TemporaryStore, _ properties: [FetchedProperty]
  ) throws -> SQLiteEngine {
    _ = try other.open(comments)
    try other.shell(commentRows)
    let store = try temporary.open(
      recipes(
        properties.map {
          var property = $0
          property.store = other.path
          return property
        }))
    try temporary.shell(recipeRows)
    return store
  }
}

extension FetchedProperty {
  /// Comments, as most tests want them.
  static func comments(
    _ predicate: String? = "recipe = $FETCH_SOURCE.slug", sort: [String] = [], limit: Int? = nil,
    finds cardinality: Cardinality = .many, info userInfo: [String: Value] = [:], name: String = "comments",
    store: String? = nil
  ) -> FetchedProperty {
    FetchedProperty(
      name: name, destination: "Comment", predicate: predicate, sort: sort, limit: limit,
      cardinality: cardinality, userInfo: userInfo, store: store)
  }
}
