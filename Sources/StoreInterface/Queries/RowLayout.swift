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
