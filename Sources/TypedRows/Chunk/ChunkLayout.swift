package import ImportModel

/// Which columns the chunks of a pipeline have, and what each is for.
///
///     | stored attributes, references | owner keys of links | transient attributes |
///     0                               storedCount           keptCount              columns.count
///
/// References are object ids that are part of the key. Children have one, their parent's, which is known when the chunk
/// of the parents has been applied; links of a many-to-many relationship have nothing else.
package struct ChunkLayout: Sendable {
  /// One column of a chunk.
  package struct Column: Sendable {
    /// The attribute's name; for an owner's key a name of Bolide's own.
    package let name: String
    /// The attribute whose type and rules the values follow: the owner's for a part of an owner's key.
    package let attribute: Attribute
    /// How the cells lie.
    package let storage: StorageClass
    /// Whether the column is part of the entity's key.
    package let isKey: Bool
    /// Whether a difference in this column makes a row changed.
    let isCompared: Bool
  }

  /// A link, and where the chunk has its owner's key.
  package struct Owner: Sendable {
    /// The to-one relationship.
    package let relationship: Relationship
    /// The owner's entity.
    package let entity: Entity
    /// When the link is made.
    package let timing: Link.Timing
    /// The columns of the owner's key, in the order of the link's parts.
    package let columns: Range<Int>
  }

  /// What no two objects have the same of, besides the key.
  package struct Constraint: Sendable {
    /// The columns of the values; for a link, those of its owner's key.
    package let columns: [Int]
    /// The link, where at most one object leads to each owner.
    package let owner: Owner?
  }

  /// The entity whose rows the chunk holds.
  package let entity: Entity
  /// The nested arrays whose elements become rows of chunks of their own, in declared order.
  package private(set) var children: [ChunkLayout]
  /// Whether the rows are elements of arrays in records.
  package let isChildren: Bool
  /// Of children, the list whose elements hold their arrays, by its index in the records' `children`; nil for the record.
  package private(set) var within: Int?
  /// Whether rows of other chunks stand in arrays of these.
  package private(set) var holdsChildren = false
  /// The columns of object ids, for the key's relationships in their declared order.
  package let references: Range<Int>
  /// The chunk as a table, in SQL: see `ChunkTable`.
  package let tableName: String
  /// All columns.
  package let columns: [Column]
  /// How the cells of each column lie, apart from the rest for the hot path.
  package let storages: [StorageClass]
  /// How many of them become columns of the table; they come first.
  package let storedCount: Int
  /// How many of them are kept until the chunk is applied; the others live while their batch does.
  package let keptCount: Int
  /// Those of them whose cells are places of bytes.
  let keptTexts: [Int]
  /// The columns of the key, in the key's order.
  package let keyColumns: [Int]
  /// The stored columns in which a record may differ from its row.
  package let comparedColumns: [Int]
  /// Those and the links': the columns in which two records of one key may differ.
  let repeatColumns: [Int]
  /// The columns in which a new row must have a value, and has no default for it.
  package let required: [Int]
  /// The entity's further constraints in declared order, then one-to-one links.
  package let constraints: [Constraint]
  /// The links, in declared order.
  package let owners: [Owner]
  /// What a record does to a row that is there.
  package let mergePolicy: MergePolicy
  /// Whether null leaves it, apart from the rest for the hot path.
  private let keepsNonNull: Bool
  /// Which record counts when several have the same key.
  package let repeatedKeyPolicy: RepeatedKeyPolicy
  /// How much is kept of rejected records.
  package let rejectBounds: RejectBounds
  /// Into how many parts a chunk is moved before it is applied: 1 where it is applied as it is.
  package var partCount = 1
  /// The key of the keys' digests: noughts until an import gives it its store's.
  package var digestKey = SipHash.Key([])
  /// What the store cannot hold; nil where it holds everything.
  package private(set) var storeLimits: StoreLimits?
  /// Whether two JSON texts say the same: by their bytes, unless an import knows better.
  package var sameJSON: TextEquality = { $0.elementsEqual($1) } {
    didSet { for index in children.indices { children[index].sameJSON = sameJSON } }
  }

  /// Compares two texts, valid during the call.
  package typealias TextEquality =
    @Sendable (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Bool

  /// - Parameters:
  ///   - pipeline: a pipeline without `problems()`.
  ///   - model: the store's model, which holds the pipeline's: attributes that the pipeline does not know have a
  ///     column too, always absent, so that new rows get their defaults.
  ///   - number: tells the chunks of one pipeline apart: 0 for the records, from 1 for their children, then for links.
  ///   - isChildren: whether the rows are elements of arrays in records.
  package init(_ pipeline: Pipeline, model: Model, number: Int = 0, isChildren: Bool = false) {
    guard let entity = model.entity(named: pipeline.entity) else {
      preconditionFailure("a checked pipeline has its entity")
    }
    self.entity = entity
    func column(_ attribute: Attribute) -> Column {
      let isKey = entity.key.contains(attribute.name)
      return Column(
        name: attribute.name, attribute: attribute, storage: attribute.type.storage, isKey: isKey,
        isCompared: !isKey && !attribute.isTransient && !attribute.isVolatile)
    }
    var columns = entity.writableAttributes.map(column)
    self.isChildren = isChildren
    references = columns.count..<columns.count + entity.keyRelationships.count
    columns += entity.keyRelationships.map {
      Column(
        name: $0.column, attribute: Attribute(name: $0.name, type: .integer64, isRequired: true),
        storage: .integer, isKey: true, isCompared: false)
    }
    storedCount = columns.count
    required = columns.indices.filter { index in
      let attribute = columns[index].attribute
      return attribute.isRequired && attribute.defaultValue == nil && !columns[index].isKey
    }
    var owners: [Owner] = []
    for (number, link) in pipeline.links.enumerated() {
      guard let relationship = entity.relationship(named: link.relationship),
        let owner = model.entity(named: relationship.destination)
      else { preconditionFailure("a checked link has its relationship and its owner") }
      let first = columns.count
      for (part, key) in link.ownerKey.enumerated() {
        guard let attribute = owner.attribute(named: key.attribute) else {
          preconditionFailure("a checked link names attributes of its owner")
        }
        columns.append(
          Column(
            name: "bolide_owner_\(number)_\(part)", attribute: attribute, storage: attribute.type.storage,
            isKey: false, isCompared: false))
      }
      owners.append(
        Owner(relationship: relationship, entity: owner, timing: link.timing, columns: first..<columns.count))
    }
    keptCount = columns.count
    comparedColumns = (0..<storedCount).filter { [columns] in columns[$0].isCompared }
    repeatColumns = comparedColumns + owners.flatMap(\.columns)
    columns += entity.attributes.filter(\.isTransient).map(column)
    self.columns = columns
    storages = columns.map(\.storage)
    keptTexts = (0..<keptCount).filter { [columns] in [.text, .blob].contains(columns[$0].storage) }
    self.owners = owners
    func places(_ names: [String]) -> [Int] {
      names.compactMap { name in columns.firstIndex { $0.name == name } }
    }
    keyColumns = places(entity.keyColumns)
    constraints =
      entity.uniquenessConstraints.map { Constraint(columns: places($0), owner: nil) }
      + owners.filter { model.isOneToOne($0.relationship) }.map {
        Constraint(columns: Array($0.columns), owner: $0)
      }
    mergePolicy = pipeline.mergePolicy
    keepsNonNull = pipeline.mergePolicy == .updateNonNull
    repeatedKeyPolicy = pipeline.repeatedKeyPolicy ?? .last
    var bounds = pipeline.settings.rejectBounds
    // No record is larger.
    bounds.text = min(bounds.text, 1 << 30)
    rejectBounds = bounds
    tableName = "temp.bolide_chunk\(number == 0 ? "" : "_\(number)")"
    children = pipeline.children.enumerated().map { index, children in
      guard let own = pipeline.pipeline(of: children) else {
        preconditionFailure("a checked pipeline has the entities of its children")
      }
      var layout = ChunkLayout(own, model: model, number: index + 1, isChildren: true)
      layout.within = pipeline.list(holding: children)
      return layout
    }
    let holders = children.map(\.within)
    holdsChildren = holders.contains(nil)
    for index in children.indices { children[index].holdsChildren = holders.contains(index) }
  }

  /// Whether equal keys of a chunk can be folded before the table is known: the last record counts in any case.
  var foldsEarly: Bool {
    if case .updateIfNewer = mergePolicy { return false }
    return repeatedKeyPolicy == .last
  }

  /// Whether a cell leaves the value of a row that is there as it is.
  package func isSilent(_ state: CellState) -> Bool {
    state == .absent || state == .null && keepsNonNull
  }

  /// Whether any row may be rejected, or named in an error, when the chunk meets the table.
  var rejectsLate: Bool {
    !constraints.isEmpty || repeatedKeyPolicy == .reject || mergePolicy == .fail
      || storeLimits?.mayJoin == true
  }

  /// Has rows rejected that a store cannot hold.
  ///
  /// - Parameters:
  ///   - store: "a … server".
  ///   - model: the store's.
  ///   - indexedBytes: how many bytes of texts, binary values and JSON one of its indexes takes.
  package mutating func limit(to store: String, _ model: Model, indexedBytes: Int) {
    storeLimits = StoreLimits(self, model, of: store, indexedBytes: indexedBytes)
    for index in children.indices { children[index].limit(to: store, model, indexedBytes: indexedBytes) }
  }

  /// The column of an attribute, if records bring it.
  package func column(of attribute: String) -> Int? {
    columns.indices.first { isAttribute($0) && columns[$0].name == attribute }
  }

  /// Whether a column is an attribute; expressions see these.
  package func isAttribute(_ column: Int) -> Bool {
    !references.contains(column) && (column < storedCount || column >= keptCount)
  }
}
