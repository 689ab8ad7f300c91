internal import ImportModel

/// The derived attributes of one owner entity over one of its to-many relationships.
///
/// What touches one of them touches all: they are read, changed and computed together.
struct DerivationGroup {
  let owner: Entity
  let child: Entity
  /// The child's relationship to its owner.
  let toOne: Relationship
  /// The owner's attributes that are derived over the relationship. Never empty.
  let attributes: [Attribute]

  /// All groups of a model, in the order of its entities.
  static func all(in model: Model) -> [DerivationGroup] {
    model.entities.flatMap { owner in
      owner.relationships.compactMap { toMany -> DerivationGroup? in
        guard let (child, toOne) = model.children(of: toMany) else { return nil }
        let attributes = owner.derivedAttributes.filter { $0.derivation?.relationship == toMany.name }
        guard !attributes.isEmpty else { return nil }
        return DerivationGroup(owner: owner, child: child, toOne: toOne, attributes: attributes)
      }
    }
  }

  /// The groups that an entity's objects are the children of.
  static func over(_ child: Entity, in model: Model) -> [DerivationGroup] {
    all(in: model).filter { $0.child.name == child.name }
  }

  /// The owner's columns of the group: each attribute's, and behind a sum of reals its low part's.
  var columns: [String] {
    attributes.flatMap { [quoted($0.name)] + ($0.lowPart.map { [quoted($0)] } ?? []) }
  }

  /// The statement that writes all columns of one owner: the values in their order, then the object's id.
  var update: String {
    "UPDATE \(quoted(owner.name)) SET \(columns.map { "\($0) = ?" }.joined(separator: ", ")) WHERE bolide_id = ?"
  }

  /// The child's attribute that a derived attribute sums; nil for a count.
  func summed(_ attribute: Attribute) -> String? {
    guard case .sum(_, let name) = attribute.derivation else { return nil }
    return name
  }
}
