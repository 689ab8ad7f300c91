/// Where one attribute's value comes from.
public struct Field: Sendable, Hashable, Encodable {
  /// The place of a value.
  public enum Source: Sendable, Hashable, Encodable {
    /// A key or a path in the record, such as `impact-e` or `close_approach_data/0/miss_distance/kilometers`.
    case path(String)
    /// An SQL scalar expression over the entity's attributes.
    case expression(String)
  }

  /// The attribute.
  public var attribute: String
  /// Where its value comes from.
  public var source: Source
  /// Texts that mean null besides null itself.
  public var missing: [String]
  /// The form of a date, where the usual ones would be ambiguous.
  public var dateForm: DateForm?
  /// The time zone of times that are written without one, by its name, such as `Europe/Berlin` or `UTC`.
  ///
  /// Nil for a pipeline that does not say: they are read as UTC.
  public var zone: String?

  /// Makes a field; `path` and the attribute's own name are what most fields say.
  public init(
    _ attribute: String, from source: Source? = nil, missing: [String] = [], dateForm: DateForm? = nil
  ) {
    self.attribute = attribute
    self.source = source ?? .path(attribute)
    self.missing = missing
    self.dateForm = dateForm
  }
}

/// How a date is written, where that must be said.
public enum DateForm: Sendable, Hashable {
  /// Seconds since 1970-01-01T00:00:00Z.
  case epochSeconds
  /// Milliseconds since 1970-01-01T00:00:00Z.
  case epochMilliseconds
  /// Day before month, as in 21/11/2009.
  case dayFirst
  /// Month before day, as in 11/21/2009.
  case monthFirst
  /// A pattern of letters, such as `dd.MM.yyyy HH:mm`; its text and no other form is read.
  case pattern(String)
}

/// The form as one text, by which a store keeps it.
extension DateForm: RawRepresentable, Codable {
  /// The word of a form, or the pattern, which is never such a word.
  public var rawValue: String {
    switch self {
    case .epochSeconds: "epochSeconds"
    case .epochMilliseconds: "epochMilliseconds"
    case .dayFirst: "dayFirst"
    case .monthFirst: "monthFirst"
    case .pattern(let text): text
    }
  }

  /// The form of a word; any other text is a pattern.
  public init(rawValue: String) {
    switch rawValue {
    case "epochSeconds": self = .epochSeconds
    case "epochMilliseconds": self = .epochMilliseconds
    case "dayFirst": self = .dayFirst
    case "monthFirst": self = .monthFirst
    default: self = .pattern(rawValue)
    }
  }
}
