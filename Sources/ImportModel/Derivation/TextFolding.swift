internal import Foundation

/// Another spelling of a text, by Unicode's rules and no language's.
public enum TextFolding: String, Sendable, Hashable, Codable, CaseIterable {
  /// Without case and diacritics: what a search compares.
  case canonical
  /// In upper case.
  case uppercase
  /// In lower case.
  case lowercase

  /// Rises when the same text gets another spelling: stores then compute theirs anew.
  package static let version: Int64 = 1

  private static let locale = Locale(identifier: "en_US_POSIX")

  /// The other spelling.
  package func apply(_ text: String) -> String {
    guard text.utf8.contains(0) else { return spelling(of: text) }
    // Foundation ends some of its texts there.
    return text.split(separator: "\0", omittingEmptySubsequences: false).map { spelling(of: String($0)) }
      .joined(separator: "\0")
  }

  private func spelling(of text: String) -> String {
    switch self {
    case .canonical:
      text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: Self.locale)
    case .uppercase: text.uppercased(with: Self.locale)
    case .lowercase: text.lowercased(with: Self.locale)
    }
  }
}
