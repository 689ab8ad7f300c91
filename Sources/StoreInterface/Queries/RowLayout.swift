package import ImportModel

/// What a fetched row holds of an object, and in which cells.
package struct RowLayout: Sendable {
  /// One property.
  package struct Member: Sendable {
    /// The property's name.
    package let name: String
    /// Nil for an object id.
    package let type: AttributeType?
    /// Where its value is.
    package let cell: Int
    /// The object that a relationship leads to, when it is brought along.
    package let related: RowLayout?

    package init(name: String, type: AttributeType?, cell: Int, related: RowLayout?) {
      (self.name, self.type, self.cell, self.related) = (name, type, cell, related)
    }
  }

  /// What a fetched property brings along.
  package struct Fetched: Sendable {
    /// The fetched property.
    package let property: FetchedProperty
    /// What each object holds, in cells of its own.
    package let layout: RowLayout

    package init(property: FetchedProperty, layout: RowLayout) {
      (self.property, self.layout) = (property, layout)
    }
  }

  /// The objects' entity.
  package let entity: String
  /// The properties in order; the object's own id comes first where all properties are fetched.
  package var members: [Member] = []
  /// Where the object id is. Null there means that there is no object.
  package let id: Int
  /// The properties of the key, where they are asked for.
  package var key: [Member] = []
  /// The fetched properties that are brought along, in the request's order.
  package var fetched: [Fetched] = []

  package init(entity: String, id: Int) {
    (self.entity, self.id) = (entity, id)
  }
}

/// A fetched row, valid until the next one.
package protocol FetchedRow {
  /// One value.
  subscript(cell: Int) -> FetchedCell { get }

  /// Hands over the objects that a fetched property has found, once.
  ///
  /// - Parameter index: in the layout's list.
  /// - Throws: `StoreError` when there are more or fewer than it may find, and what the closure throws.
  func fetched(_ index: Int, _ body: (any FetchedRow) throws -> Void) throws
}

/// One value of a fetched row.
package enum FetchedCell {
  case null
  case integer(Int64)
  case real(Double)
  /// Valid until the next row.
  case text(UnsafeBufferPointer<UInt8>)
  /// Valid until the next row.
  case blob(UnsafeBufferPointer<UInt8>)
}

extension RowLayout {
  /// A row as values, without what fetched properties find; nil when there is no object.
  ///
  /// - Parameter value: gives a cell's.
  package func row(_ value: (Int) -> Value) -> Snapshot.Row? {
    guard case .integer(let own) = value(id) else { return nil }
    func property(_ member: Member) -> HistoryChange.Property {
      HistoryChange.Property(name: member.name, type: member.type, value: value(member.cell))
    }
    var row = Snapshot.Row(entity: entity, id: own, key: key.map(property), values: [])
    row.values.reserveCapacity(members.count)
    // The object's own id is no property of it.
    for member in members where member.cell != id {
      row.values.append(property(member))
      if let related = member.related {
        row.related.append(Snapshot.Row.Related(name: member.name, row: related.row(value)))
      }
    }
    return row
  }

  /// A row with a value in each property that is no relationship, or is one whose object is brought along.
  package var madeUpRow: Snapshot.Row {
    var row = Snapshot.Row(entity: entity, id: 0, key: [], values: [])
    for member in members where member.cell != id {
      let value = member.type?.madeUpValue ?? (member.related == nil ? .null : .integer(0))
      row.values.append(HistoryChange.Property(name: member.name, type: member.type, value: value))
      row.related += member.related.map { [.init(name: member.name, row: $0.madeUpRow)] } ?? []
    }
    return row
  }
}

extension AttributeType {
  /// A value that can be read as each Swift type that the attribute's can.
  fileprivate var madeUpValue: Value {
    switch self {
    case .integer16, .integer32, .integer64, .decimal, .boolean: .integer(0)
    case .double, .float: .real(0)
    case .string: .text("")
    case .date(let precision): .text(precision.instant("2000-01-01T00:00:00.000Z"))
    case .day: .text("2000-01-01")
    case .uuid: .text("00000000-0000-0000-0000-000000000000")
    case .binary: .blob([])
    case .json: .text("null")
    }
  }
}
