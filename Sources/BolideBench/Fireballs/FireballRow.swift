/// One row of the feed, before it is text.
///
/// All numbers with one decimal are in tenths.
struct FireballRow: Equatable {
  struct Location: Equatable {
    /// 0 to 900, in tenths of a degree.
    var latitude: Int
    var isSouth: Bool
    /// 0 to 1800, in tenths of a degree.
    var longitude: Int
    var isWest: Bool
  }

  /// Seconds since 1970, UTC; the key.
  var time: Int
  var energy: FireballEnergy
  /// Given whole or not at all.
  var location: Location?
  /// In tenths of a kilometre.
  var altitude: Int?
  /// In tenths of a kilometre a second.
  var velocity: Int?

  /// Row number `row` of the feed that belongs to `seed`.
  init(_ row: Int, seed: UInt64, calendar: FireballCalendar) {
    var random = SplitMix64(seed: seed, row: row, purpose: 1)
    time = calendar.time(of: row, &random)
    energy = FireballEnergy(&random)
    // Which attributes are there at all, with the shares of the real feed in thousandths.
    let known = random.next(below: 1_000)
    if known < 825 { location = Location(&random) }
    if known < 555 { altitude = Self.drawAltitude(&random) }
    if known < 333 || known >= 822 && known < 825 { velocity = Self.drawVelocity(&random) }
    if known >= 822 { altitude = nil }
  }

  static func drawAltitude(_ random: inout SplitMix64) -> Int {
    draw([140, 187, 222, 252, 296, 352, 407, 520, 610, 710, 890], &random)
  }

  static func drawVelocity(_ random: inout SplitMix64) -> Int {
    draw([98, 111, 118, 125, 144, 172, 210, 257, 302, 423, 711], &random)
  }

  /// Draws from a distribution given by its values at the shares below, straight lines between them.
  private static func draw(_ values: [Int], _ random: inout SplitMix64) -> Int {
    let shares = [0, 10, 50, 100, 250, 500, 750, 900, 950, 990, 1_000]
    let scale = 1_000
    let draw = random.next(below: 1_000 * scale)
    var upper = 1
    while draw >= shares[upper] * scale { upper += 1 }
    let within = draw - shares[upper - 1] * scale
    let width = (shares[upper] - shares[upper - 1]) * scale
    return values[upper - 1] + (values[upper] - values[upper - 1]) * within / width
  }
}

extension FireballRow.Location {
  /// Anywhere on the globe, every square kilometre alike.
  init(_ random: inout SplitMix64) {
    // A latitude is taken as often as its circle is long: cos(d) ≈ (32400 - 4d²) / (32400 + d²), in whole numbers.
    repeat {
      latitude = random.next(below: 901)
      let square = latitude * latitude / 100
      if random.next(below: 32_400 + square) < 32_400 - 4 * square { break }
    } while true
    longitude = random.next(below: 1_801)
    let hemispheres = random.next()
    isSouth = hemispheres & 1 == 1
    isWest = hemispheres & 2 == 2
  }

  /// A place nearby, always another one.
  func moved(_ random: inout SplitMix64) -> Self {
    var result = self
    let step = 1 + random.next(below: 20)
    result.longitude += longitude + step > 1_800 ? -step : step
    if random.next(below: 2) == 0 { result.latitude += latitude + step > 900 ? -step : step }
    return result
  }
}
