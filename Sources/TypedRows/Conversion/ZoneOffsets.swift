internal import Foundation
internal import ImportModel

/// The offsets of a time zone from UTC, in a table, so that its rules are asked once and not for every value.
///
/// Used by one thread.
final class ZoneOffsets {
  private let zone: TimeZone
  /// The offset before the first change, and the changes: when, in seconds since 1970, and to what.
  private var changes: [(start: Int64, offset: Int64)]
  /// Changes that are later are not in the table yet.
  private var end: Int64

  /// - Parameter name: a name that the pipeline's check has passed.
  init(_ name: String) {
    guard let zone = TimeZone(identifier: name) else { preconditionFailure("the pipeline was not checked") }
    self.zone = zone
    changes = [(Int64.min, Int64(zone.secondsFromGMT(for: Self.beforeAll)))]
    end = Int64(Self.beforeAll.timeIntervalSince1970)
    extend(to: CivilTime(year: 2100).microseconds / 1_000_000)
  }

  /// 1800: before there were zones.
  private static let beforeAll = Date(timeIntervalSince1970: -5_364_662_400)

  /// The instant at which the zone's clocks show a time, in microseconds since 1970.
  ///
  /// - Parameter local: the time, as microseconds since 1970 in a zone without an offset.
  /// - Throws: `skippedTime` or `repeatedTime` where there is no such instant, or there are two.
  /// - Complexity: O(log n) in the changes of the zone's offset.
  func instant(of local: Int64) throws(ConversionFailure) -> Int64 {
    // No zone is or was this far from UTC.
    let reach: Int64 = 26 * 3600
    let seconds = CivilTime.floored(Int(local), 1_000_000).quotient
    if Int64(seconds) + reach >= end { extend(to: Int64(seconds) + 400 * 86_400) }
    var index = lastChange(before: Int64(seconds) - reach)
    var found: Int64?
    while index < changes.count, changes[index].start <= Int64(seconds) + reach {
      let instant = Int64(seconds) - changes[index].offset
      let next = index + 1 < changes.count ? changes[index + 1].start : Int64.max
      if changes[index].start <= instant, instant < next {
        guard found == nil else { throw .repeatedTime }
        found = local - changes[index].offset * 1_000_000
      }
      index += 1
    }
    guard let found else { throw .skippedTime }
    return found
  }

  private func lastChange(before instant: Int64) -> Int {
    max(0, changes.partitioningIndex { $0.start > instant } - 1)
  }

  private func extend(to limit: Int64) {
    while let next = zone.nextDaylightSavingTimeTransition(after: Date(timeIntervalSince1970: Double(end))) {
      let start = Int64(next.timeIntervalSince1970)
      guard start > end, start <= limit else { break }
      let offset = Int64(zone.secondsFromGMT(for: next))
      if offset != changes[changes.count - 1].offset { changes.append((start, offset)) }
      end = start
    }
    end = max(end, limit)
  }
}
