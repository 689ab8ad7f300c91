internal import Foundation

/// The names of time zones, as the IANA database has them.
enum ZoneNames {
  /// Whether times can be read in the zone.
  static func isKnown(_ name: String) -> Bool {
    // Foundation also takes spellings that it makes names of, such as GMT+3; those are no names.
    name == "UTC" || TimeZone(identifier: name)?.identifier == name
  }

  /// The names to suggest.
  static var all: [String] { ["UTC"] + TimeZone.knownTimeZoneIdentifiers }
}
