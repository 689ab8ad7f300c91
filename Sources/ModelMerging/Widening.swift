package import ImportModel

/// An attribute's type that holds every value of the one before.
package struct Widening: Sendable {
  package let entity: Entity
  /// The attribute as it is afterwards.
  package let attribute: Attribute
  package let before: AttributeType

  package init(entity: Entity, attribute: Attribute, before: AttributeType) {
    (self.entity, self.attribute, self.before) = (entity, attribute, before)
  }

  /// The attributes of a model that have a wider type than in another one, derived ones too.
  static func all(from old: Model, to new: Model) -> [Widening] {
    new.entities.flatMap { entity in
      entity.storedAttributes.compactMap { attribute in
        guard let before = old.entity(named: entity.name)?.attribute(named: attribute.name),
          !before.isTransient, before.derivation == attribute.derivation,
          before.type.widens(to: attribute.type)
        else { return nil }
        return Widening(entity: entity, attribute: attribute, before: before.type)
      }
    }
  }

  package var name: String { "\(entity.name).\(attribute.name)" }

  /// Whether values get another form.
  package var isConversion: Bool {
    switch (before, attribute.type) {
    case (.decimal, .decimal), (.date, .date): true
    case (.integer16, .double), (.integer32, .double), (.integer64, .double): true
    default: false
    }
  }

  /// The same of a row of `bolide_widening`, as SQL.
  package static let wasConversion = """
    type NOT IN (\([AttributeType.integer32, .integer64].map { "'\($0.description)'" }.joined(separator: ", ")))
    AND was <> '\(AttributeType.float.description)'
    """

  /// The largest stored value that the wider type holds exactly, as its opposite too; nil where it holds every one.
  package var limit: Int64? {
    // What is derived is computed anew.
    if attribute.derivation != nil { return nil }
    return switch (before, attribute.type) {
    case (.decimal, .decimal): Int64.max / factor
    case (_, .double) where before != .float: 1 << 53
    default: nil
    }
  }

  /// The units of the wider decimal in one of the other.
  package var factor: Int64 {
    guard case (.decimal(let less), .decimal(let more)) = (before, attribute.type) else { return 1 }
    return (less..<more).reduce(1) { factor, _ in factor * 10 }
  }
}

extension AttributeType {
  /// Whether another type holds every value of this one, or all that are stored may be asked whether it does.
  func widens(to other: AttributeType) -> Bool {
    switch (self, other) {
    case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64): true
    case (.integer16, .double), (.integer32, .double), (.integer64, .double), (.float, .double): true
    case (.decimal(let less), .decimal(let more)): less < more
    case (.date(let less), .date(let more)): less.decimals < more.decimals
    default: false
    }
  }
}
