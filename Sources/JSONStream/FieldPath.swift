/// Where a value stands within a record: keys, and indexes of arrays, with `/` between them.
///
/// `close_approach_data/0/miss_distance/kilometers` reaches through an object, an array and two more objects.
/// `~1` stands for a `/` within a key and `~0` for a `~`, as in JSON Pointer. A path that is one word in angle
/// brackets, `<day>`, is the key that the wildcard of that name matched in the records' path; where no wildcard
/// has that name it is an ordinary key.
public struct FieldPath: Sendable, Hashable, CustomStringConvertible {
  /// The keys, outermost first, with `~0` and `~1` resolved.
  ///
  /// Never empty.
  public let components: [String]

  /// Reads a path as people write it.
  ///
  /// - Throws: `PathError` for an empty text and for a `~` that is neither `~0` nor `~1`.
  public init(_ text: String) throws(PathError) {
    guard !text.isEmpty else { throw PathError(text: text) }
    components = try FieldPath.components(of: text)
  }

  /// A path of one key, taken as it is: a `/` in it is part of the key.
  public init(key: String) {
    components = [key]
  }

  /// The path as `init(_:)` reads it.
  public var description: String {
    components.map { key in
      var text = ""
      for character in key.unicodeScalars {
        switch character {
        case "~": text += "~0"
        case "/": text += "~1"
        default: text.unicodeScalars.append(character)
        }
      }
      return text
    }.joined(separator: "/")
  }

  static func components(of text: String) throws(PathError) -> [String] {
    var components: [String] = []
    var component = String.UnicodeScalarView()
    var scalars = text.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      switch scalar {
      case "/":
        components.append(String(component))
        component = String.UnicodeScalarView()
      case "~":
        switch scalars.next() {
        case "0": component.append("~")
        case "1": component.append("/")
        default: throw PathError(text: text)
        }
      default:
        component.append(scalar)
      }
    }
    components.append(String(component))
    return components
  }
}

extension FieldPath: ExpressibleByStringLiteral {
  /// A path that a program has in its text; one that cannot be read ends the program.
  ///
  ///     RecordReader(fields: ["id", "geometry/coordinates/2"])
  public init(stringLiteral text: String) {
    do {
      try self.init(text)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

/// A path that cannot be read.
public struct PathError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The path as it was given.
  public let text: String

  /// What was found and what is expected.
  public var description: String {
    text.isEmpty
      ? "found an empty path; expected a key"
      : "found a '~' in '\(text)'; expected '~0' for '~' or '~1' for '/'"
  }
}
