/// The pipelines of the generated feed: fireballs alone, into a table of another name, in little memory, sorted, with links to their
/// owners, with copies of their owners' keys, and with the owners' sums.
enum BenchPipeline: String, CaseIterable {
  case plain, other, small, sorted, links, copied, derived, years

  /// The pipeline file.
  var yaml: String {
    let more =
      switch self {
      case .small: "memory: 48MiB\n"
      case .sorted: "sort: key\n"
      case .copied: "  cellNumber:   { derived: cell.number }\n"
      default: ""
      }
    var base = Self.fireballs + more
    if self == .other {
      base = base.replacing("Fireball", with: "Meteor").replacing("bench", with: "meteors")
    }
    return base + (owner.map { $0.yaml(isDerived ? Self.derivations : "") } ?? "")
  }

  /// What each row is linked to.
  var owner: BenchOwner? {
    switch self {
    case .plain, .other, .small, .sorted: nil
    case .links, .copied, .derived: .cell
    case .years: .year
    }
  }

  /// Whether the owners keep their rows' count and sum.
  var isDerived: Bool { self == .derived || self == .years }

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

  private static let derivations = """
          fireballCount:     { derived: fireballs.@count }
          totalImpactEnergy: { derived: fireballs.impactEnergy.@sum }

    """
}

/// What rows are linked to: an entity that each row's date says the key of.
struct BenchOwner {
  let entity: String
  let relationship: String
  let key: String
  /// The key, as SQL over the row.
  let keyOfRow: String

  /// The same for a server.
  fileprivate let keyOfServerRow: String

  func keyOfRow(_ dialect: TableNumbers.Dialect) -> String {
    dialect == .postgreSQL ? keyOfServerRow : keyOfRow
  }

  /// 2,000 owners, in no order that the dates know.
  static let cell = BenchOwner(
    entity: "Cell", relationship: "cell", key: "number",
    keyOfRow: "abs(CAST(strftime('%s', date) AS INTEGER)) % 2000",
    keyOfServerRow: "abs(extract(epoch FROM date)::bigint) % 2000")

  /// As in the pipeline of fireballs that comes with the tool.
  static let year = BenchOwner(
    entity: "FireballGroup", relationship: "group", key: "year",
    keyOfRow: "CAST(strftime('%Y', date) AS INTEGER)", keyOfServerRow: "extract(year FROM date)")

  fileprivate func yaml(_ derivations: String) -> String {
    """
    link:
      \(relationship): { to: { \(key): "\(keyOfRow)" } }
    entities:
      \(entity):
        key: \(key)
        attributes:
          \(key): integer16
    \(derivations)    relationships:
          fireballs: { to-many: Fireball, inverse: \(relationship), on-delete: nullify }

    """
  }
}
