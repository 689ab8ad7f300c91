/// The pipelines of the generated feed: fireballs alone, with links to their owners, and with the owners' sums.
enum BenchPipeline: String, CaseIterable {
  case plain, links, derived

  /// The pipeline file.
  var yaml: String {
    switch self {
    case .plain: Self.fireballs
    case .links: Self.fireballs + Self.link + Self.owners("")
    case .derived: Self.fireballs + Self.link + Self.owners(Self.derivations)
    }
  }

  private static let fireballs = """
    bolide: 1
    name: bench
    entity: Fireball
    key: date
    attributes:
      date:         date
      energy:       double
      impactEnergy: { type: double, from: impact-e }
      altitude:     { type: double, from: alt }
      velocity:     { type: double, from: vel }
      lat:          { type: double, transient: true }
      latDir:       { type: string, transient: true, from: lat-dir, one-of: [N, S] }
      lon:          { type: double, transient: true }
      lonDir:       { type: string, transient: true, from: lon-dir, one-of: [E, W] }
      latitude:     { type: double, value: "CASE latDir WHEN 'N' THEN lat WHEN 'S' THEN -lat END" }
      longitude:    { type: double, value: "CASE lonDir WHEN 'E' THEN lon WHEN 'W' THEN -lon END" }

    """

  /// 2,000 owners, in no order that the dates know.
  private static let link = """
    link:
      cell: { to: { number: "abs(CAST(strftime('%s', date) AS INTEGER)) % 2000" } }

    """

  private static func owners(_ derivations: String) -> String {
    """
    entities:
      Cell:
        key: number
        attributes:
          number:            integer16
    \(derivations)    relationships:
          fireballs: { to-many: Fireball, inverse: cell, on-delete: nullify }

    """
  }

  private static let derivations = """
          fireballCount:     { derived: fireballs.@count }
          totalImpactEnergy: { derived: fireballs.impactEnergy.@sum }

    """
}
