/// One made-up asteroid with its close approaches, as NeoWs writes it.
struct NeowsAsteroid {
  private let id: Int
  private let name: String
  /// In hundredths.
  private let magnitude: Int
  private let minimumKilometers: Double
  private let isHazardous: Bool
  private let isSentry: Bool
  private let approaches: [NeowsApproach]

  /// - Parameter day: when it first comes, in days since 1970.
  init(row: Int, day: Int, seed: UInt64) {
    var random = SplitMix64(seed: seed, row: row, purpose: 4)
    id = 3_000_000 + row * 7 + random.next(below: 7)
    name = "(\(random.nextDesignation(from: 0)))"
    // A step of a fifth of a magnitude makes a body smaller by this; powers would differ between machines.
    let step = random.next(below: 60)
    var kilometers = 1.0581643
    for _ in 0..<step { kilometers *= 0.9120108393559098 }
    magnitude = 1700 + step * 20 + random.next(below: 20)
    minimumKilometers = kilometers
    isSentry = random.next(below: 25) == 0
    let count = [1, 1, 1, 1, 1, 1, 2, 2, 3][random.next(below: 9)]
    var minute = day * 1440 + random.next(below: 1440)
    var approaches: [NeowsApproach] = []
    for _ in 0..<count {
      approaches.append(NeowsApproach(minute: minute, &random))
      minute += 1440 * (30 + random.next(below: 500)) + random.next(below: 1440)
    }
    self.approaches = approaches
    isHazardous = step < 26 && approaches.contains { $0.isNear }
  }

  /// The object as it stands in the feed.
  var json: String {
    let sizes = [("kilometers", 1.0), ("meters", 1000.0), ("miles", 0.621371192), ("feet", 3280.839895)].map {
      unit, factor in
      let (least, most) = (minimumKilometers * factor, minimumKilometers * 2.2360679775 * factor)
      return
        "\"\(unit)\":{\"estimated_diameter_min\":\(fixed(least)),\"estimated_diameter_max\":\(fixed(most))}"
    }
    return #"{"links":{"self":"http://api.nasa.gov/neo/rest/v1/neo/\#(id)?api_key=DEMO_KEY"},"#
      + #""id":"\#(id)","neo_reference_id":"\#(id)","name":"\#(name)","#
      + #""nasa_jpl_url":"https://ssd.jpl.nasa.gov/tools/sbdb_lookup.html#/?sstr=\#(id)","#
      + #""absolute_magnitude_h":\#(fixed(Double(magnitude) / 100, places: 2)),"#
      + #""estimated_diameter":{\#(sizes.joined(separator: ","))},"#
      + #""is_potentially_hazardous_asteroid":\#(isHazardous),"#
      + #""close_approach_data":[\#(approaches.map(\.json).joined(separator: ","))],"is_sentry_object":\#(isSentry)}"#
  }
}

/// One close approach.
struct NeowsApproach {
  /// Since 1970.
  private let minute: Int
  private let metersPerSecond: Double
  private let kilometers: Double
  private let body: String

  init(minute: Int, _ random: inout SplitMix64) {
    self.minute = minute
    metersPerSecond = 2000 + random.nextFraction() * 28_000
    // Most pass far away.
    let share = random.nextFraction()
    kilometers = 40_000 + share * share * 74_000_000
    body = random.next(below: 40) == 0 ? "Moon" : "Earth"
  }

  /// Within 0.05 astronomical units.
  var isNear: Bool { kilometers < 7_480_000 }

  var json: String {
    let time = CalendarMinute(minutes: minute)
    let (seconds, hours) = (metersPerSecond / 1000, metersPerSecond * 3.6)
    return #"{"close_approach_date":"\#(time.date)","close_approach_date_full":"\#(time.full)","#
      + #""epoch_date_close_approach":\#(minute * 60_000),"#
      + #""relative_velocity":{"kilometers_per_second":"\#(fixed(seconds))","#
      + #""kilometers_per_hour":"\#(fixed(hours))","miles_per_hour":"\#(fixed(hours * 0.621371192))"},"#
      + #""miss_distance":{"astronomical":"\#(fixed(kilometers / 149_597_870.7))","#
      + #""lunar":"\#(fixed(kilometers / 384_400))","kilometers":"\#(fixed(kilometers, places: 6))","#
      + #""miles":"\#(fixed(kilometers * 0.621371192, places: 6))"},"orbiting_body":"\#(body)"}"#
  }
}
