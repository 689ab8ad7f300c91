/// Where the records of an input are, and what each is made of.
public enum RecordShape: Sendable, Hashable {
  /// Found from the bytes, with the requested fields as evidence.
  case automatic
  /// Every value at the top is a record: newline-delimited or concatenated objects, or one object alone.
  ///
  /// A first value that is an array of strings names the columns of the arrays after it.
  case lines
  /// The elements of the array at `path`, or the one object there.
  ///
  /// `""` is the document itself; a component in angle brackets stands for any key:
  /// `near_earth_objects/<day>`.
  case array(path: String)
  /// Rows are arrays at the path `rows`; their names are an array of strings at the path `names`, or of
  /// objects whose member `nameKey` is the name.
  ///
  /// The two may come in either order.
  case columnar(names: String = "fields", nameKey: String? = nil, rows: String = "data")
  /// Rows are arrays at the path `rows`, and the input names no columns.
  case positional(names: [String], rows: String = "")
  /// Lines of cells with a delimiter between them, as RFC 4180 has them: CSV, or TSV with a tab.
  ///
  /// A cell in double quotes may hold delimiters, line breaks and, doubled, quotes; a quote within any other cell stands for
  /// itself. Lines end with LF, CRLF or CR, and empty ones are passed. All cells are strings. The first line names the columns
  /// unless `names` does; a line that repeats two names or more is passed, too: files were joined.
  case delimited(by: UInt8 = UInt8(ascii: ","), names: [String]? = nil)
}

/// Where the reader looks: a shape with its paths taken apart.
package struct Layout: Sendable {
  package struct NamesSource: Sendable {
    package var path: [String]
    package var key: String?
  }

  package enum Names: Sendable {
    /// Records are objects.
    case none
    /// Rows are arrays, named by whichever of these the input has.
    case found([NamesSource])
    /// Rows are arrays, named by the first of them.
    case firstRow
    /// Rows are arrays with these names.
    case given([String])
  }

  /// Nil when the input has no rows: only its envelope is read.
  package var rows: [String]?
  package var names: Names = .none
  /// Many values stand at the top.
  package var isConcatenated = false
  /// A value whose first row may turn out to be names, as in `lines`.
  var mayHaveHeader = false
  /// Rows of another reader's input: what follows their end is not this reader's.
  var endsWithRows = false
  /// What stands between the cells of delimited text; nil for JSON.
  package var delimiter: UInt8?
  /// How many bytes were looked at in vain, where nothing says where the rows are.
  var lookedAt: Int?

  static let wildcard = (open: UInt8(ascii: "<"), close: UInt8(ascii: ">"))

  /// The name of a wildcard component, as it stands in a path.
  static func isWildcard(_ component: String) -> Bool {
    component.utf8.count > 2 && component.utf8.first == wildcard.open && component.utf8.last == wildcard.close
  }

  /// Nil for `automatic`, which takes the bytes to answer.
  init?(_ shape: RecordShape) throws(PathError) {
    switch shape {
    case .automatic:
      return nil
    case .lines:
      rows = []
      isConcatenated = true
      mayHaveHeader = true
    case .array(let path):
      rows = try Layout.path(path)
    case .columnar(let names, let nameKey, let path):
      rows = try Layout.path(path)
      self.names = .found([NamesSource(path: try Layout.path(names), key: nameKey)])
    case .positional(let names, let path):
      rows = try Layout.path(path)
      self.names = .given(names)
    case .delimited(let delimiter, let names):
      rows = []
      self.delimiter = delimiter
      self.names = names.map { .given($0) } ?? .firstRow
    }
  }

  package init(rows: [String]?, names: Names = .none) {
    self.rows = rows
    self.names = names
  }

  /// So many bytes show no rows, and more follow.
  init(notWithin bytes: Int) {
    rows = nil
    lookedAt = bytes
  }

  private static func path(_ text: String) throws(PathError) -> [String] {
    text.isEmpty ? [] : try FieldPath.components(of: text)
  }

  private static func delimitedLines(_ delimiter: UInt8) -> String {
    switch delimiter {
    case UInt8(ascii: ","): "lines of comma-separated values"
    case UInt8(ascii: "\t"): "lines of tab-separated values"
    default: "lines of values separated by '\(Character(UnicodeScalar(delimiter)))'"
    }
  }

  /// Says what was found, in one line.
  package var description: String {
    guard let rows else { return "an object without rows" }
    if let delimiter {
      let lines = Layout.delimitedLines(delimiter)
      if case .given = names { return "\(lines), with given names" }
      return "\(lines), named by the first of them"
    }
    let place = rows.isEmpty ? "" : " under \(FieldPath(components: rows))"
    switch names {
    case .none where isConcatenated: return "one object a line, or concatenated"
    case .none: return "objects\(place)"
    case .found(let sources):
      let names = sources.map { "\(FieldPath(components: $0.path))" }.joined(separator: " or ")
      return "rows\(place), named by \(names)"
    case .firstRow: return "rows\(place), named by the first of them"
    case .given: return "rows\(place), with given names"
    }
  }
}

extension FieldPath {
  package init(components: [String]) {
    self.components = components
  }
}
