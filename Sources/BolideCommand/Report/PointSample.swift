import Bolide
import Foundation

/// The newest objects of an entity that have a place on Earth.
struct PointSample {
  /// An object on the map.
  struct Point {
    var latitude: Double
    var longitude: Double
    var measure: Double?
    var date: Date?
  }

  let entity: String
  /// How many objects the entity has.
  let total: Int64
  /// The newest first.
  private(set) var points: [Point] = []
  /// What tells the size of a dot, where there is such an attribute.
  let measure: String?
  /// The measure of every object that was read, the newest first.
  private(set) var measures: [Double] = []
  /// How many objects were read.
  private(set) var read = 0

  private static let mostObjects = 10_000
  private static let mostPoints = 2000

  /// - Returns: nil where no entity has a latitude and a longitude, or several have and none was chosen.
  init?(_ engine: any StoreEngine, _ status: StoreStatus, _ choices: ReportChoices) throws {
    guard choices.map != "none" else { return nil }
    var places: [(count: StoreStatus.Count, attributes: Attributes)] = []
    for count in status.entities where count.rows > 0 && (choices.map ?? count.entity) == count.entity {
      var found: Attributes?
      try engine.readRows(ObjectQuery(count.entity, limit: 1), at: nil) {
        found = Attributes($0, measure: choices.measure)
      }
      if let found { places.append((count, found)) }
    }
    guard places.count == 1, let (count, attributes) = places.first else { return nil }
    (entity, total, measure) = (count.entity, count.rows, attributes.measure)
    var request = ObjectQuery(
      entity, sort: [.init("bolide_id", ascending: false)], limit: Self.mostObjects)
    request.properties = attributes.names
    try engine.readRows(request, at: nil) { row in
      read += 1
      let measure = attributes.measure.flatMap { row[$0, as: Double.self] }
      if let measure, measure.isFinite { measures.append(measure) }
      guard points.count < Self.mostPoints, let latitude = row[attributes.latitude, as: Double.self],
        let longitude = row[attributes.longitude, as: Double.self], abs(latitude) <= 90,
        abs(longitude) <= 360
      else { return }
      points.append(
        Point(
          latitude: latitude, longitude: longitude > 180 ? longitude - 360 : longitude, measure: measure,
          date: attributes.date.flatMap { row[$0, as: Date.self] }))
    }
  }

  /// Which attributes say where, how much and when.
  private struct Attributes {
    var latitude: String
    var longitude: String
    var measure: String?
    var date: String?

    init?(_ row: Snapshot.Row, measure: String?) {
      func first(_ names: Set<String>) -> String? {
        row.values.first { names.contains($0.name.lowercased()) && $0.type?.isNumeric == true }?.name
      }
      guard let latitude = first(["latitude", "lat"]), let longitude = first(["longitude", "lon", "lng"])
      else { return nil }
      (self.latitude, self.longitude) = (latitude, longitude)
      let others = row.values.filter {
        ![latitude, longitude].contains($0.name) && $0.type?.isNumeric == true
      }
      self.measure = (others.first { $0.name == measure } ?? (measure == nil ? others.first : nil))?.name
      date = row.values.first { $0.type?.isInstant == true }?.name
    }

    var names: [String] { [latitude, longitude] + [measure, date].compactMap(\.self) }
  }
}

extension AttributeType {
  fileprivate var isInstant: Bool {
    switch self {
    case .date, .day: true
    default: false
    }
  }
}
