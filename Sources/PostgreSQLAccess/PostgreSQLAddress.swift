internal import Foundation
internal import ImportModel

/// Where a store on a PostgreSQL server is: `postgresql://feeds.example.org/feeds#fireballs`.
///
/// What stands before `#` is libpq's, with all of its ways in; behind it is the schema.
package struct PostgreSQLAddress: Sendable, Hashable {
  /// What libpq connects by; it may hold a password.
  package let connection: String
  /// The schema that holds the store.
  package let schema: String
  /// The address for people: without a password.
  package let shown: String

  /// Reads an address; nil for a path that is none.
  package init?(_ address: String) {
    guard address.isServerAddress else { return nil }
    let parts = address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    connection = String(parts[0])
    let fragment = parts.count > 1 ? String(parts[1]) : ""
    schema = fragment.isEmpty ? "public" : fragment.removingPercentEncoding ?? fragment
    shown = Self.withoutPassword(connection) + (fragment.isEmpty ? "" : "#\(fragment)")
  }

  /// Takes out what stands behind a user's colon, and parameters that hold secrets.
  private static func withoutPassword(_ connection: String) -> String {
    var text = connection
    guard let start = text.range(of: "://")?.upperBound else { return text }
    let end = text[start...].firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
    if let at = text[start..<end].lastIndex(of: "@"), let colon = text[start..<at].firstIndex(of: ":") {
      text.removeSubrange(colon..<at)
    }
    guard let question = text.firstIndex(of: "?") else { return text }
    let kept = text[text.index(after: question)...].split(separator: "&").filter { part in
      !["password=", "sslpassword=", "passfile="].contains { part.lowercased().hasPrefix($0) }
    }
    return text[..<question] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
  }
}
