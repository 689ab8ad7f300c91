/// One named, typed value of an entity: a column, unless it is transient.
public struct Attribute: Sendable, Hashable, Codable {
  /// The attribute's name, and its column's.
  public var name: String
  /// The type of its values.
  public var type: AttributeType
  /// Whether null is refused.
  ///
  /// A key's attributes always are required.
  public var isRequired: Bool
  /// Whether the value lives during the import only: usable in expressions, links and checks, never stored.
  public var isTransient: Bool
  /// Whether a difference in this attribute alone leaves a row unchanged.
  public var isVolatile: Bool
  /// The value that a new row gets when its record says nothing of this attribute.
  public var defaultValue: Value?
  /// How the store computes the value; nil for an attribute that records bring.
  public var derivation: Derivation?
  /// The only values allowed (`one-of`); empty when every value of the type is.
  public var oneOf: [Value]
  /// The smallest value allowed, in the type's own order.
  public var minimum: Value?
  /// The largest value allowed, in the type's own order.
  public var maximum: Value?
  /// The longest text allowed, in Unicode scalars, or the longest binary value, in bytes.
  public var maximumLength: Int?
  /// A regular expression of Swift's that a whole text must match, by Unicode scalars.
  public var pattern: String?
  /// Whether what is smaller than a date's precision is cut off; unless it is zeros, such a value is refused otherwise.
  public var cutsFractions: Bool
  /// What the value means, its unit above all.
  public var description: String?

  /// Makes an attribute.
  public init(
    name: String, type: AttributeType, isRequired: Bool = false, isTransient: Bool = false,
    isVolatile: Bool = false, defaultValue: Value? = nil, derivation: Derivation? = nil,
    oneOf: [Value] = [], minimum: Value? = nil, maximum: Value? = nil, maximumLength: Int? = nil,
    pattern: String? = nil, cutsFractions: Bool = false, description: String? = nil
  ) {
    self.name = name
    self.type = type
    self.isRequired = isRequired
    self.isTransient = isTransient
    self.isVolatile = isVolatile
    self.defaultValue = defaultValue
    self.derivation = derivation
    self.oneOf = oneOf
    self.minimum = minimum
    self.maximum = maximum
    self.maximumLength = maximumLength
    self.pattern = pattern
    self.cutsFractions = cutsFractions
    self.description = description
  }
}
