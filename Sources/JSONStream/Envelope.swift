/// What stands around the records.
public struct Envelope: Sendable, Hashable {
  /// The keys of the document's outermost object, in their order, as far as they were read; at most 64 of them.
  public internal(set) var keys: [String] = []
  /// The member `count` of the outermost object, be it a number or a number as text.
  public internal(set) var count: Int?
  /// Whether there was an array, or an object, where the records are: it may have been empty.
  public internal(set) var hasRows = false
  /// How many bytes were looked at for rows in vain, when the input went on behind them; nil otherwise.
  public internal(set) var lookedAt: Int?
  /// The columns' names, where the rows are arrays.
  public internal(set) var names: [String]?

  static let mostKeys = 64
}

/// The way through the envelope to the rows and the names: which paths agree with the containers that are open.
///
/// A path is known by a bit: 0 is the rows', 1 and on are the names'. `live[d]` are the paths whose first `d`
/// components lead to the container that is `d` deep.
struct Route {
  var paths: [[String]] = []
  var live: [UInt8] = [0]
  /// The paths that agree with the key before the value under the cursor.
  var matched: UInt8 = 0
  /// The place of the element under the cursor in each open container.
  var indexes: [Int] = [0]
  /// The key of the outermost object's member under the cursor.
  var topKey = ""
  /// The last keys that wildcards of the rows' path matched, by the component's text.
  var wildcards: [(component: String, key: String)] = []
  /// How often `wildcards` has changed.
  var wildcardChanges = 0
  /// Where the key under the cursor stands.
  var keyOffset = 0

  init() {}

  init(_ layout: Layout) {
    if case .found(let sources) = layout.names {
      paths = [layout.rows ?? []] + sources.map(\.path)
    } else {
      paths = [layout.rows ?? []]
    }
    live = [UInt8.max]
    if layout.rows == nil { live[0] &= ~1 }
    if paths.count < 8 { live[0] &= (1 << UInt8(paths.count)) - 1 }
    matched = live[0]
  }

  /// The paths that are complete at a value `depth` containers deep.
  func complete(_ depth: Int) -> UInt8 {
    var bits: UInt8 = 0
    for (path, components) in paths.enumerated() where components.count == depth {
      bits |= matched & 1 << UInt8(path)
    }
    return bits
  }

  /// Follows the paths that are live in the container `depth` deep to its member `key`.
  mutating func follow(key: String, depth: Int) {
    matched = 0
    for (path, components) in paths.enumerated() where live[depth] & 1 << UInt8(path) != 0 {
      guard depth - 1 < components.count else { continue }
      let component = components[depth - 1]
      if component.utf8.elementsEqual(key.utf8) {
        matched |= 1 << UInt8(path)
      } else if Layout.isWildcard(component) {
        matched |= 1 << UInt8(path)
        if path == 0 {
          wildcards.removeAll { $0.component == component }
          wildcards.append((component, key))
          wildcardChanges += 1
        }
      }
    }
  }

  mutating func enter(depth: Int) {
    if live.count <= depth {
      live.append(0)
      indexes.append(0)
    }
    live[depth] = matched
    indexes[depth] = 0
  }
}
