extension FireballFeed {
  /// What a table must hold that took every row of this feed, by the names of the bench's pipelines.
  ///
  /// Worked out from the rows before they are text; nothing of the import's has a hand in it.
  /// - Complexity: O(rows).
  func numbers() -> TableNumbers {
    let impacts = FireballImpacts()
    var table = TableNumbers()
    for name in ["date", "energy", "impactEnergy", "altitude", "velocity", "latitude", "longitude"] {
      table.columns[name] = TableNumbers.Column()
    }
    forEachRow { row in
      table.rows += 1
      table.columns["date"]?.add(row.time)
      table.columns["energy"]?.add(row.energy.thousandths)
      table.columns["impactEnergy"]?.add(impacts.thousandths(row.energy))
      if let altitude = row.altitude { table.columns["altitude"]?.add(altitude * 100) }
      if let velocity = row.velocity { table.columns["velocity"]?.add(velocity * 100) }
      if let place = row.location {
        table.columns["latitude"]?.add(place.latitude * (place.isSouth ? -100 : 100))
        table.columns["longitude"]?.add(place.longitude * (place.isWest ? -100 : 100))
      }
    }
    return table
  }
}

extension FireballEnergy {
  /// The value as the feed writes it, in thousandths of 10^10 J.
  fileprivate var thousandths: Int {
    var result = digits * 10
    for _ in 0..<exponent { result *= 10 }
    return result
  }
}

extension FireballImpacts {
  /// The text's value in thousandths of a kiloton; it has three decimals at most.
  fileprivate func thousandths(_ energy: FireballEnergy) -> Int {
    var result = 0
    var decimals: Int?
    for byte in self[energy] {
      if byte == UInt8(ascii: ".") {
        decimals = 0
      } else {
        result = result * 10 + Int(byte - UInt8(ascii: "0"))
        decimals = decimals.map { $0 + 1 }
      }
    }
    for _ in (decimals ?? 0)..<3 { result *= 10 }
    return result
  }
}
