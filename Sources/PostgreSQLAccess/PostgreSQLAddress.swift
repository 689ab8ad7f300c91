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

  /// What may be told of libpq's words about the address, which end with the part that it means.
  package func withoutSecrets(_ words: String) -> String {
    guard Self.withoutPassword(connection) != connection, let part = words.range(of: ": \"") else {
      return words
    }
    return String(words[..<part.lowerBound])
  }

  /// Takes out what stands behind a user's colon, and parameters that hold secrets.
  private static func withoutPassword(_ connection: String) -> String {
    var text = connection
    guard let start = text.range(of: "://")?.upperBound else { return text }
    // libpq takes `?` as a part of a password, and `/` as its end: who has not escaped that has the rest in what it takes for a port.
    let ends: [Character] = ["/", "?"]
    let end = ends.lazy.map { text[start...].firstIndex(of: $0) ?? text.endIndex }
      .first { text[start..<$0].contains("@") }
    if let end, let at = text[start..<end].lastIndex(of: "@"),
      let colon = text[start..<at].firstIndex(of: ":")
    {
      text.removeSubrange(colon..<at)
    }
    guard let question = text.firstIndex(of: "?") else { return text }
    let kept = text[text.index(after: question)...].split(separator: "&").filter { part in
      !["password=", "sslpassword=", "passfile="].contains { part.lowercased().hasPrefix($0) }
    }
    return text[..<question] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
  }
}
