/// What a store keeps, as this model sees it.
package struct PlainModel: Sendable {
  package var entities: [PlainEntity]

  package init(entities: [PlainEntity] = []) { self.entities = entities }

  package subscript(name: String) -> PlainEntity {
    guard let entity = entities.first(where: { $0.name == name }) else {
      preconditionFailure("no entity \(name)")
    }
    return entity
  }
}

/// One kind of object. The links of a many-to-many relationship are an entity too.
package struct PlainEntity: Sendable {
  package var name: String
  /// Attributes, and of children and links relationships.
  package var key: [String]
  package var unique: [[String]] = []
  /// Indexes, which change nothing.
  package var indexes: [[String]] = []
  package var attributes: [PlainAttribute]
  package var relationships: [PlainRelationship] = []
  /// Whether it is the links between two others.
  package var isJoin = false

  package init(name: String, key: [String], attributes: [PlainAttribute]) {
    (self.name, self.key, self.attributes) = (name, key, attributes)
  }

  package func attribute(_ name: String) -> PlainAttribute? { attributes.first { $0.name == name } }

  package func relationship(_ name: String) -> PlainRelationship? { relationships.first { $0.name == name } }

  /// What a row has: no transient attributes.
  package var stored: [PlainAttribute] { attributes.filter { !$0.isTransient } }
}

/// A named value.
package struct PlainAttribute: Sendable {
  package enum Kind: Hashable, Sendable {
    case integer16, integer32, integer64, double, float, string, boolean, date, day, uuid, binary, json
    case decimal(Int)
    /// A date with milliseconds.
    case instant
  }

  package var name: String
  package var kind: Kind
  package var isRequired = false
  package var isTransient = false
  package var isVolatile = false
  package var initial: PlainValue?
  package var derivation: PlainDerivation?
  /// The attribute of which it is twice the value and one more; nil where the record has it.
  package var twice: String?
  /// The field of what holds the array that it comes from, so many lists further out; nil where the record has it.
  package var outer: (up: Int, name: String)?

  package init(name: String, kind: Kind) { (self.name, self.kind) = (name, kind) }
}

/// A reference to another entity.
package struct PlainRelationship: Sendable {
  package enum Kind: Sendable { case toOne, hasOne, toMany, manyToMany }
  package enum Rule: String, Sendable { case nullify, cascade, deny }

  package var name: String
  package var kind: Kind
  package var destination: String
  package var inverse: String?
  package var rule = Rule.nullify
  /// Of a many-to-many relationship, the entity of the links.
  package var join: String?

  package init(name: String, kind: Kind, destination: String, inverse: String? = nil, rule: Rule = .nullify) {
    (self.name, self.kind, self.destination) = (name, kind, destination)
    (self.inverse, self.rule) = (inverse, rule)
  }
}

/// How an attribute follows from others.
package enum PlainDerivation: Sendable {
  package enum Function: String, CaseIterable, Sendable { case count, sum, min, max, average }
  package enum Folding: String, CaseIterable, Sendable { case canonical, uppercase, lowercase }

  case aggregate(Function, over: String, of: String?, where: PlainFilter?)
  case copy([String])
  case folded(Folding, [String])
  case now
}

/// A condition on one attribute.
package struct PlainFilter: Sendable {
  package enum Comparison: Sendable { case less, equal, greater, isNull, isNotNull }

  package var attribute: String
  package var comparison: Comparison
  package var value: PlainValue

  package init(_ attribute: String, _ comparison: Comparison, _ value: PlainValue = .null) {
    (self.attribute, self.comparison, self.value) = (attribute, comparison, value)
  }

  func takes(_ object: PlainObject) -> Bool {
    let held = object[attribute]
    switch comparison {
    case .isNull: return held.isNull
    case .isNotNull: return !held.isNull
    case .less: return held.isLess(than: value)
    case .equal: return held == value
    case .greater: return value.isLess(than: held)
    }
  }
}

/// How records become objects.
package struct PlainPipeline: Sendable {
  package enum Merge: Sendable {
    case update, updateNonNull, ignore, fail
    case updateIfNewer(String)
  }
  package enum Repeated: String, CaseIterable, Sendable { case last, first, reject }

  package struct Link: Sendable {
    package var relationship: String
    /// Each attribute of the owner's key, with the record's attribute that has it.
    package var key: [(owner: String, own: String)]
    package var isAlways: Bool

    package init(_ relationship: String, key: [(owner: String, own: String)], isAlways: Bool) {
      (self.relationship, self.key, self.isAlways) = (relationship, key, isAlways)
    }
  }

  package struct Children: Sendable {
    package var relationship: String
    package var isManyToMany: Bool
    package var isAlways: Bool
    /// The lists in each of them.
    package var children: [Children]

    package init(_ relationship: String, isManyToMany: Bool, isAlways: Bool, children: [Children] = []) {
      (self.relationship, self.isManyToMany, self.isAlways) = (relationship, isManyToMany, isAlways)
      self.children = children
    }
  }

  package var entity: String
  package var merge = Merge.update
  package var repeated = Repeated.last
  package var isAtomic = false
  package var links: [Link] = []
  package var children: [Children] = []

  package init(entity: String) { self.entity = entity }
}

extension PlainModel {
  /// The relationships of all lists of a pipeline, with the entity of what holds each.
  package func lists(of pipeline: PlainPipeline) -> [(holder: String, end: PlainRelationship)] {
    lists(pipeline.children, of: pipeline.entity)
  }

  private func lists(
    _ lists: [PlainPipeline.Children], of holder: String
  ) -> [(holder: String, end: PlainRelationship)] {
    lists.flatMap { list -> [(holder: String, end: PlainRelationship)] in
      guard let end = self[holder].relationship(list.relationship) else { return [] }
      return [(holder, end)] + self.lists(list.children, of: end.destination)
    }
  }
}

/// What a record says: an attribute that is not here is absent.
package struct PlainRecord: Sendable {
  package var values: [String: PlainValue] = [:]
  /// Attributes with something that is no value of theirs.
  package var broken: Set<String> = []
  package var children: [String: [PlainRecord]] = [:]
  /// A number by which its caller knows it among the records of its entity.
  package var row = 0

  package init() {}
}

/// What became of records.
package struct PlainCounts: Hashable, Sendable {
  package var read = 0
  package var inserted = 0
  package var updated = 0
  package var unchanged = 0
  package var ignored = 0
  package var duplicates = 0
  package var superseded = 0
  package var rejected = 0
  package var rolledBack = 0

  package init() {}
}
