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

  /// What may not be told: a password as it is and as libpq reads it, in the parts that an address may be taken apart in.
  private let secrets: [String]

  /// Reads an address; nil for a path that is none.
  package init?(_ address: String) {
    guard address.isServerAddress else { return nil }
    let parts = address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    connection = String(parts[0])
    let fragment = parts.count > 1 ? String(parts[1]) : ""
    schema = fragment.isEmpty ? "public" : fragment.removingPercentEncoding ?? fragment
    var text = parts.count > 1 && fragment.isEmpty ? connection : address
    var secrets: [Substring] = []
    if let password = Self.password(in: text) {
      secrets = text[password].split(whereSeparator: ":@/?#".contains)
      text.removeSubrange(password)
    }
    shown = Self.withoutSecretParameters(text)
    self.secrets = secrets.flatMap { [String($0), $0.removingPercentEncoding].compactMap(\.self) }
  }

  /// What may be told of libpq's words about the address: not what they quote of a password, or end with.
  package func withoutSecrets(_ words: String) -> String {
    if connection == shown.prefix(while: { $0 != "#" }) { return words }
    let end = words.range(of: ": \"")?.lowerBound ?? words.endIndex
    let parts = words[..<end].split(separator: "\"", omittingEmptySubsequences: false)
    return parts.enumerated().map { place, part in
      place % 2 == 1 && secrets.contains(where: part.contains) ? "…" : String(part)
    }.joined(separator: "\"")
  }

  /// A user's colon, and what stands behind it up to the last `@`. Who has not escaped the signs in a password has the rest of it in what
  /// libpq takes for a port, a database or a parameter, or in the schema.
  private static func password(in text: String) -> Range<String.Index>? {
    guard let start = text.range(of: "://")?.upperBound,
      let colon = text[start...].firstIndex(where: ":@/?#".contains), text[colon] == ":",
      let at = text[colon...].lastIndex(of: "@")
    else { return nil }
    // A host's port.
    let port = text[colon...].dropFirst().prefix { !"/?#".contains($0) }
    return !port.isEmpty && port.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
      ? nil : colon..<at
  }

  private static func withoutSecretParameters(_ text: String) -> String {
    guard let question = text.firstIndex(of: "?") else { return text }
    let end = text[question...].firstIndex(of: "#") ?? text.endIndex
    let kept = text[question..<end].dropFirst().split(separator: "&").filter { part in
      let name = part.prefix { $0 != "=" }
      return !["password", "sslpassword", "passfile"].contains(
        (name.removingPercentEncoding ?? String(name)).lowercased())
    }
    return text[..<question] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&")) + text[end...]
  }
}
