internal import FeedReading

/// Finds arrays that are the coordinates of a point, and makes a column of each.
///
///     geometry: {type: Point, coordinates: [-116.7, 33.5, 10.2]}
///     →  longitude -116.7, latitude 33.5, heightOrDepth 10.2
enum PointSearch {
  /// What becomes of the leaves of records: a point is two attributes or three, everything else is one.
  ///
  /// - Parameter records: how many there are, with the leaves or without them.
  static func sources(_ leaves: [(path: [String], node: InferredNode)], of records: Int) -> [DraftSource] {
    leaves.flatMap { leaf -> [DraftSource] in
      var whole = DraftSource(leaf.path, leaf.node.values)
      let points = leaf.node.values.points
      guard points.count > 0, points.count == leaf.node.values.count,
        let order = order(of: leaf.path, points, leaves, of: records)
      else { return [whole] }
      guard order.fits(points) else {
        if order.isSaid { whole.choice.notes.append("kept whole: not all are a longitude and a latitude") }
        return [whole]
      }
      guard order.isKnown else {
        whole.choice.notes.append(
          "kept whole: a place, perhaps, but nothing tells whether latitude or longitude is first")
        return [whole]
      }
      let axes = order.isLatitudeFirst ? ["latitude", "longitude"] : ["longitude", "latitude"]
      var sources = axes.enumerated().map { place, axis in
        DraftSource(
          element: place, of: leaf.path, named: axis, count: points.count, note: place == 0 ? order.note : nil
        )
      }
      if points.withThird > 0 {
        sources.append(
          DraftSource(
            element: 2, of: leaf.path, named: "heightOrDepth", count: points.withThird,
            note: "the third coordinate: name it by what it is"))
      }
      return sources
    }
  }

  /// Which coordinate comes first, and what says so.
  private struct Order {
    var isLatitudeFirst = false
    /// Whether the feed says that it is a place on Earth.
    var isSaid = true
    /// Whether anything tells which comes first.
    var isKnown = true
    var note: String?

    func fits(_ points: PointValues) -> Bool {
      points.reach[isLatitudeFirst ? 1 : 0] <= 180 && points.reach[isLatitudeFirst ? 0 : 1] <= 90
    }
  }

  private static func order(
    of path: [String], _ points: PointValues, _ leaves: [(path: [String], node: InferredNode)],
    of records: Int
  ) -> Order? {
    let name = NameWords.of(path.last ?? "").joined().lowercased()
    let isInMost = points.count * 10 >= records * 9
    if name == "coordinates",
      leaves.first(where: { $0.path == path.dropLast() + ["type"] })?.node.isOfPoints == true
    {
      return isInMost ? Order() : nil
    }
    for (ending, isLatitudeFirst) in pairs where name.hasSuffix(ending) {
      guard isInMost else { return nil }
      let first = isLatitudeFirst ? "latitude" : "longitude"
      return Order(isLatitudeFirst: isLatitudeFirst, note: "\(first) first, as the name says")
    }
    guard names.contains(name), points.count == records, points.hasFraction else { return nil }
    if points.reach[0] > 90 { return Order(isSaid: false, note: "longitude first: it goes beyond 90") }
    if points.reach[1] > 90 {
      return Order(isLatitudeFirst: true, isSaid: false, note: "latitude first: the second goes beyond 90")
    }
    return Order(isSaid: false, isKnown: false)
  }

  /// Endings of names that say the order, and whether it is the latitude first.
  private static let pairs: [(String, Bool)] = [
    ("latlng", true), ("latlon", true), ("latlong", true), ("latitudelongitude", true), ("lnglat", false),
    ("lonlat", false), ("longlat", false), ("longitudelatitude", false),
  ]

  private static let names: Set<String> = ["coordinates", "coords", "location", "loc", "position"]
}

extension InferredNode {
  /// Whether every value is GeoJSON's word for a point.
  fileprivate var isOfPoints: Bool {
    values.count == values.texts && values.onlyText?.elementsEqual("Point".utf8) == true
  }
}
