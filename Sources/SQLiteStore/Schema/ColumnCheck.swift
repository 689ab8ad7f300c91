internal import ImportModel
internal import SQLiteAccess

extension Attribute {
  /// The condition of the column's CHECK, for other programs. Bolide's own connections ignore it, as every value has been
  /// converted: see `Connection`.
  ///
  /// JSON has none: SQLite 3.40 takes `json_valid` for unsafe, and then a program that trusts no schema (`PRAGMA
  /// trusted_schema = OFF`) could not even read the file.
  var check: String? { type == .json ? nil : condition }

  /// What STRICT does not hold of the type, as a condition over the column; nil where STRICT holds all.
  package var condition: String? {
    let column = quoted(name)
    // Of all days SQLite 3.40 takes the first of March 300 for the day before, which there was not.
    let time =
      "replace(replace(\(column), '0300-03-01', '0300-03-02'), '0300-02-29', '0300-02-30')"
    switch type {
    case .integer16: return "\(column) BETWEEN \(Int16.min) AND \(Int16.max)"
    case .integer32: return "\(column) BETWEEN \(Int32.min) AND \(Int32.max)"
    case .boolean: return "\(column) IN (0, 1)"
    // A time that is moved is one that exists: 30 February becomes another day. The text is compared whole, as SQLite's
    // functions stop at U+0000.
    case .day: return "\(time) IS date(\(time), '+0 days')"
    case .date(.seconds): return "\(time) IS strftime('%Y-%m-%dT%H:%M:%SZ', \(time), '+0 days')"
    case .date(let precision):
      // SQLite's own milliseconds are rounded otherwise from version to version.
      let digits = String(repeating: "[0-9]", count: precision.decimals)
      return "\(time) IS strftime('%Y-%m-%dT%H:%M:%S', substr(\(time), 1, 19), '+0 days') "
        + "|| substr(\(column), 20, \(precision.decimals + 2)) AND substr(\(column), 20) GLOB '.\(digits)Z'"
    case .uuid:
      return "\(column) = substr(\(column), 1, 36) AND length(replace(\(column), '-', '')) = 32 "
        + "AND \(column) GLOB '????????-????-????-????-????????????' AND \(column) NOT GLOB '*[^0-9a-f-]*'"
    // To some versions null is no JSON.
    case .json: return "\(column) IS NULL OR json_valid(\(column))"
    case .integer64, .double, .float, .decimal, .string, .binary: return nil
    }
  }
}
