/// One value of an attribute.
package enum PlainValue: Sendable {
  case null
  case whole(Int64)
  case real(Double)
  case text(String)
  case bytes([UInt8])
  /// A total beyond the range of its type, or what is computed from one: the store has null.
  case beyond
}

extension PlainValue: Hashable {
  /// Real numbers are compared bit by bit, texts byte by byte.
  package static func == (left: PlainValue, right: PlainValue) -> Bool {
    switch (left, right) {
    case (.null, .null), (.beyond, .beyond): true
    case (.whole(let a), .whole(let b)): a == b
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.bytes(let a), .bytes(let b)): a == b
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .whole(let number): hasher.combine(number)
    case .real(let number): hasher.combine(number.bitPattern)
    case .text(let text): hasher.combine(Array(text.utf8))
    case .bytes(let bytes): hasher.combine(bytes)
    case .beyond: hasher.combine(1)
    }
  }

  package var isNull: Bool { self == .null }

  /// As the store has it.
  package var stored: PlainValue { self == .beyond ? .null : self }

  /// Whether it comes before another value of its type.
  package func isLess(than other: PlainValue) -> Bool {
    switch (self, other) {
    case (.whole(let a), .whole(let b)): a < b
    case (.real(let a), .real(let b)): a < b
    case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    default: false
    }
  }
}
