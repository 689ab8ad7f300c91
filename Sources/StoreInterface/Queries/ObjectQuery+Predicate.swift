public import ImportModel

extension ObjectQuery {
  /// A predicate: an SQL expression with values bound to it.
  ///
  ///     "group.year = \(year) AND impactEnergy > \(0.05)"
  ///
  /// An interpolated value is bound to a `?` in its place and never becomes a part of the text. An instant is compared in
  /// the form of whole seconds, a decimal as a number; `Value` has initialisers for other forms of dates.
  public struct Predicate: Sendable, Hashable {
    /// The expression, with a `?` for each value.
    public var text: String
    /// The values, in the order of their `?`.
    public var values: [Value]

    /// Holds for every object; for calls that write, where every object has to be asked for.
    public static let all: Self = "TRUE"

    /// Makes a predicate from a text that is not a literal.
    ///
    /// - Parameter text: is run as it is, so it must not contain what others have written; that belongs into `values`.
    public init(text: String, values: [Value] = []) {
      self.text = text
      self.values = values
    }
  }

  /// All values that are bound to the predicate.
  package var boundValues: [Value] { (predicate?.values ?? []) + arguments }
}

extension ObjectQuery.Predicate: ExpressibleByStringInterpolation {
  /// A literal's text with its values.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var predicate = ObjectQuery.Predicate(text: "")

    /// Makes an empty one.
    public init(literalCapacity: Int, interpolationCount: Int) {
      predicate.text.reserveCapacity(literalCapacity + interpolationCount)
      predicate.values.reserveCapacity(interpolationCount)
    }

    /// Appends text.
    public mutating func appendLiteral(_ literal: String) { predicate.text += literal }

    /// Binds a value.
    public mutating func appendInterpolation(_ value: some ValueConvertible) {
      predicate.text += "?"
      predicate.values.append(value.storedValue)
    }

    /// Binds a value, or null: `IS \(value)` compares with it, `= \(value)` never holds for null.
    public mutating func appendInterpolation(_ value: (some ValueConvertible)?) {
      appendInterpolation(value.storedValue)
    }
  }

  /// Makes a predicate without values, or with those of `?` that are given beside it.
  public init(stringLiteral text: String) { self.init(text: text) }

  /// Makes a predicate with the interpolated values bound.
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.predicate }
}
