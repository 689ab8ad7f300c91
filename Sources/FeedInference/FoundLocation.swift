internal import ImportModel
internal import JSONStream

/// Where an inference found the records, as a pipeline says it.
struct FoundLocation: Equatable {
  /// What the pipeline says.
  var record: RecordLocation
  /// What was found, in plain words.
  var description: String

  /// The name that stands for the keys of a map until it is known what they are.
  static let wildcard = "<key>"

  /// Puts what an inference found into a pipeline's words.
  init(_ pass: InferencePass) {
    let layout = pass.layout.among(pass.keys)
    description = Self.plain(layout, keys: pass.keys, records: pass.records)
    record =
      if let delimiter = layout.delimiter {
        .delimited(by: delimiter)
      } else if layout.areObjectsAtTop {
        pass.records == 1 ? .automatic : .lines
      } else if !layout.hasArrays, let path = layout.path {
        .path(path.description)
      } else {
        layout.isUsual ? .columnar : .automatic
      }
  }

  /// What a reader found in words, without what it would have taken too.
  ///
  /// - Parameter keys: the keys of the outermost object.
  static func plain(_ layout: Layout, keys: [String], records: Int) -> String {
    layout.areObjectsAtTop && records == 1 ? "one object" : layout.among(keys).description
  }

  init(_ record: RecordLocation, _ description: String) {
    self.record = record
    self.description = description
  }

  /// Whether the records are the values of a map, or stand in them.
  var hasWildcard: Bool {
    if case .path(let path) = record {
      path.split(separator: "/").contains("\(Self.wildcard)")
    } else {
      false
    }
  }

  /// Gives the map's keys a name.
  mutating func name(wildcard name: String) {
    guard case .path(let path) = record else { return }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    record = .path(parts.map { $0 == Self.wildcard ? "<\(name)>" : String($0) }.joined(separator: "/"))
    description = description.replacing(Self.wildcard, with: "<\(name)>")
  }
}

extension Layout {
  /// Whether the records are objects, one a line or one after another.
  var areObjectsAtTop: Bool { isConcatenated && !hasArrays }

  /// Whether the records are arrays.
  var hasArrays: Bool {
    if case .none = names { false } else { true }
  }

  /// The path of the records; nil where they stand at the top, or nowhere.
  var path: FieldPath? { rows.flatMap { $0.isEmpty ? nil : FieldPath(components: $0) } }

  /// Rows under `data`, named by `fields`.
  fileprivate var isUsual: Bool {
    guard case .found(let sources) = names else { return false }
    return rows == ["data"] && sources.map(\.path) == [["fields"]] && sources[0].key == nil
  }

  /// With those names' sources alone that the outermost object has.
  fileprivate func among(_ keys: [String]) -> Layout {
    guard case .found(let sources) = names else { return self }
    let present = sources.filter { source in keys.contains { $0.utf8.elementsEqual(source.path[0].utf8) } }
    var layout = self
    if !present.isEmpty { layout.names = .found(present) }
    return layout
  }
}
