/// What becomes of a row when a feed is made again: its source corrected it, moved it, or dropped it.
enum FireballFate {
  case kept, revised, rekeyed, dropped
}

extension FireballRow {
  /// The row with at least one other value and the same key.
  func revised(_ random: inout SplitMix64) -> FireballRow {
    var row = self
    switch random.next(below: 5) {
    case 0: row.energy = energy.raised(&random)
    case 1: row.velocity = Self.changed(velocity, &random, draw: Self.drawVelocity)
    case 2: row.altitude = Self.changed(altitude, &random, draw: Self.drawAltitude)
    case 3:
      if let location {
        row.location = random.next(below: 10) == 0 ? nil : location.moved(&random)
      } else {
        row.location = Location(&random)
      }
    default:
      row.energy = energy.raised(&random)
      row.velocity = Self.changed(velocity, &random, draw: Self.drawVelocity)
      row.altitude = Self.changed(altitude, &random, draw: Self.drawAltitude)
    }
    return row
  }

  /// Another value: a missing one is found, and of those that are there some are lost and the others move.
  private static func changed(
    _ value: Int?, _ random: inout SplitMix64, draw: (inout SplitMix64) -> Int
  ) -> Int? {
    guard let value else { return draw(&random) }
    return random.next(below: 5) == 0 ? nil : value + 1 + random.next(below: 30)
  }
}
