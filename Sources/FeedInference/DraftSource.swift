internal import FeedReading
internal import ImportModel
internal import JSONStream

/// Where an attribute's values come from, and what was seen of them.
struct DraftSource {
  /// The keys that lead to it.
  let path: [String]
  /// The same as a pipeline says it.
  let from: String
  let values: ColumnValues
  /// Records that bring a value.
  let count: Int
  /// The type and what is to be said of it.
  var choice: TypeChoice

  /// The values under a path of keys.
  init(_ path: [String], _ values: ColumnValues) {
    self.init(path, from: FieldPath(keys: path).description, values)
  }

  init(_ path: [String], from: String, _ values: ColumnValues) {
    (self.path, self.from, self.values, count) = (path, from, values, values.count)
    choice = TypeChoice(values, name: path.last ?? "")
  }

  /// A number in arrays that so many records have.
  init(element place: Int, of path: [String], named name: String, count: Int, note: String?) {
    self.path = path + [name]
    from = FieldPath(keys: path + ["\(place)"]).description
    (values, self.count) = (ColumnValues(), count)
    choice = TypeChoice(.double)
    choice.notes = [note].compactMap(\.self)
  }
}

extension FieldPath {
  /// A path of keys that are taken as they are.
  fileprivate init(keys: [String]) {
    // Every key is escaped, so that the text can be read as a path again.
    let text = keys.map { FieldPath(key: $0).description }.joined(separator: "/")
    self = (try? FieldPath(text)) ?? FieldPath(key: text)
  }
}
