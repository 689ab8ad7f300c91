internal import FeedReading
internal import ImportModel
internal import JSONStream

/// An attribute of a new pipeline, and what was seen of its values.
struct DraftAttribute {
  var name: String
  /// Where the value is, as a pipeline says it.
  var from: String
  var choice: TypeChoice
  /// The key that the value stood under in the feed.
  let key: String
  /// How many keys lead to it.
  let depth: Int
  /// Records that bring a value, objects taken apart included.
  let count: Int
  /// Other settings than these, where the values mean more than their type says.
  var role: Role = .own
  /// Texts that mean that there is no value.
  var missing: [String] = []

  /// What becomes of an attribute besides being stored.
  enum Role: Equatable {
    /// It is stored as it comes.
    case own
    /// It lives during the import only: an expression uses it. `oneOf` are the values it may have.
    case used(oneOf: [String])
    /// An expression gives it.
    case computed(String)
    /// Its arrays become rows of another entity.
    case children
  }

  /// How likely the attribute is the key, or a part of it; 0 for one that cannot be.
  ///
  /// - Parameter isLast: numbers with decimals and nested values are asked too, as there is nothing else.
  func keyRank(isLast: Bool) -> Int {
    guard count > 0, !choice.isLeftOut, role == .own else { return 0 }
    let byType: Int
    switch choice.type {
    case .uuid: byType = 40
    case .date, .day: byType = 30
    case .string: byType = 20
    case .integer64: byType = 15
    case .json: return isLast ? 1 : 0
    default: return isLast ? 2 : 0
    }
    let words = NameWords.of(key).map { $0.lowercased() }
    guard let last = words.last else { return byType }
    let byName: Int
    switch last {
    case "id", "uuid", "guid": byName = words.count == 1 ? 100 : 80
    case "key", "identifier", "des", "designation", "code", "ref", "number": byName = 60
    case "date", "datetime", "time", "timestamp", "day": byName = 50
    case "name", "title", "slug": byName = 30
    default: byName = 0
    }
    return max(1, byName + byType - 10 * (depth - 1))
  }

  /// Records without a value, in a few words; nil when there are none.
  func gap(of records: Int) -> String? {
    count == 0 || count >= records ? nil : "missing in \((records - count).grouped)"
  }
}
