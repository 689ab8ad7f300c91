public import ImportModel
internal import TypedRows

/// One change of an object, with who made it and its values before and after.
public struct ObjectChange: Sendable, Hashable {
  /// A property with its value before and after a change; null where the object was not there.
  public struct Difference: Sendable, Hashable {
    /// The attribute's or relationship's name.
    public var name: String
    /// The attribute's type; nil for a relationship, whose value is the other object's id.
    public var type: AttributeType?
    /// The value before.
    public var old: Value
    /// The value after.
    public var new: Value

    package init(name: String, type: AttributeType?, old: Value, new: Value) {
      self.name = name
      self.type = type
      self.old = old
      self.new = new
    }
  }

  /// The transaction's number.
  public var transaction: Int64
  /// When it was committed: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
  public var at: String
  /// Who wrote it; nil for another program.
  public var author: String?
  /// The run of an import that wrote it.
  public var run: Int64?
  /// The object's id.
  public var id: Int64
  /// What happened.
  public var kind: HistoryChange.Kind
  /// Whether the store itself made the change: only derived attributes have other values.
  public var isDerived: Bool
  /// Whether an erasure has taken values of it: these are not among the differences.
  public var isErased: Bool
  /// What differs; of an insert and a delete all values that are not null.
  public var differences: [Difference]

  /// Finds what differs.
  ///
  /// - Parameters:
  ///   - names: the properties that are looked at, in order.
  ///   - before: the object's values before the change; nil where it was not there.
  ///   - after: those after it.
  package init(
    transaction: Int64, at: String, author: String?, run: Int64?, of entity: Entity, _ id: Int64,
    _ names: [String], from before: [String: Value]?, to after: [String: Value]?
  ) {
    (self.transaction, self.at, self.author, self.run, self.id) = (transaction, at, author, run, id)
    kind = before == nil ? .insert : after == nil ? .delete : .update
    differences = names.compactMap { name in
      let (old, new) = (before?[name] ?? .null, after?[name] ?? .null)
      return old == new
        ? nil : Difference(name: name, type: entity.attribute(named: name)?.type, old: old, new: new)
    }
    isDerived =
      kind == .update && differences.allSatisfy { entity.attribute(named: $0.name)?.derivation != nil }
    isErased = false
  }
}

/// Which object's log is wanted.
public enum LoggedObject: Sendable, Hashable {
  /// Those that have or had a key: its value, or `name=value` for each part of it.
  case key([String])
  /// The one with an id.
  case id(Int64)
}

extension Entity {
  /// A key as words, each read as its attribute's type wants it. A relationship's is the other object's id.
  package func keyValues(_ words: [String]) throws -> [(name: String, value: Value)] {
    var words = words
    // The only part needs no name, even if there is an equals sign in its value.
    if key.count == 1, words.count == 1, !words[0].hasPrefix("\(key[0])=") {
      words[0] = "\(key[0])=\(words[0])"
    }
    var texts: [String: String] = [:]
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      texts[parts[0]] = parts.count == 2 ? parts[1] : nil
    }
    guard Set(texts.keys) == Set(key), words.count == key.count else { throw StoreError.keyOf(self) }
    return try key.map { name in
      let text = texts[name] ?? ""
      guard let attribute = attribute(named: name) else {
        guard let id = Int64(text) else { throw StoreError.notAValue(name, "the id of an object") }
        return (name, .integer(id))
      }
      guard let value = Value(text, as: attribute.type) else {
        throw StoreError.notAValue(name, attribute.type.writtenForm)
      }
      return (name, value)
    }
  }
}
