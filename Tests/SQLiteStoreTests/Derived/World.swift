import ImportModel

@testable import SQLiteStore

/// Quakes in regions in countries, with every form of derived attribute, some over others.
enum World {
  private static func derived(
    _ name: String, _ type: AttributeType, _ text: String, where filter: String? = nil
  )
    -> Attribute
  {
    do {
      return Attribute(name: name, type: type, derivation: try Derivation(parsing: text, where: filter))
    } catch {
      preconditionFailure(error.message)
    }
  }

  static let quake = Entity(
    name: "Quake", key: ["id"],
    attributes: [
      Attribute(name: "id", type: .string, isRequired: true),
      Attribute(name: "code", type: .integer64, isRequired: true),
      Attribute(name: "place", type: .string),
      Attribute(name: "magnitude", type: .double),
      Attribute(name: "depth", type: .integer64),
      Attribute(name: "cost", type: .decimal(scale: 2)),
      Attribute(name: "day", type: .day),
      Attribute(name: "seen", type: .integer64, isVolatile: true),
      derived("placeCopy", .string, "place"),
      derived("canonical", .string, "canonical:(place)"),
      derived("shout", .string, "uppercase:(region.title)"),
      derived("regionTitle", .string, "region.title"),
      derived("countryName", .string, "region.country.name"),
      derived("quietCountry", .string, "lowercase:(region.country.name)"),
      derived("ofRegion", .string, "region.countryName"),
      derived("regionTotal", .double, "region.total"),
      derived("copyOfCanonical", .string, "canonical"),
      derived("changed", .date(precision: .milliseconds), "now()"),
    ],
    relationships: [Relationship(name: "region", kind: .toOne, destination: "Region", inverse: "quakes")],
    uniquenessConstraints: [["code"]])

  static let region = Entity(
    name: "Region", key: ["name"],
    attributes: [
      Attribute(name: "name", type: .string, isRequired: true),
      Attribute(name: "title", type: .string),
      derived("count", .integer64, "quakes.@count"),
      derived("total", .double, "quakes.magnitude.@sum"),
      derived("depths", .integer64, "quakes.depth.@sum"),
      derived("shallowest", .integer64, "quakes.depth.@min"),
      derived("largest", .double, "quakes.magnitude.@max"),
      derived("mean", .double, "quakes.magnitude.@average"),
      derived("meanDepth", .double, "quakes.depth.@average"),
      derived("meanCost", .double, "quakes.cost.@average"),
      derived("firstDay", .day, "quakes.day.@min"),
      derived("strong", .integer64, "quakes.@count", where: "magnitude > 5 OR place LIKE 'a%'"),
      derived("strongTotal", .double, "quakes.magnitude.@sum", where: "magnitude > 5"),
      derived("deepest", .integer64, "quakes.depth.@max", where: "cost > 1"),
      derived("totals", .double, "quakes.regionTotal.@max"),
      derived("strongTotals", .double, "quakes.regionTotal.@max", where: "magnitude > 5"),
      derived("countryName", .string, "country.name"),
      derived("canonical", .string, "canonical:(title)"),
      derived("again", .string, "uppercase:(canonical)"),
      derived("changed", .date(precision: .seconds), "now()"),
    ],
    relationships: [
      Relationship(name: "country", kind: .toOne, destination: "Country", inverse: "regions"),
      Relationship(name: "quakes", kind: .toMany, destination: "Quake", inverse: "region"),
    ])

  static let country = Entity(
    name: "Country", key: ["code"],
    attributes: [
      Attribute(name: "code", type: .string, isRequired: true),
      Attribute(name: "name", type: .string),
      derived("regionCount", .integer64, "regions.@count"),
      derived("quakeCount", .integer64, "regions.count.@sum"),
      derived("total", .double, "regions.total.@sum"),
      derived("largest", .double, "regions.largest.@max"),
      derived("busy", .integer64, "regions.@count", where: "title IS NOT NULL"),
      derived("titledQuakes", .integer64, "regions.count.@sum", where: "title IS NOT NULL"),
    ],
    relationships: [Relationship(name: "regions", kind: .toMany, destination: "Region", inverse: "country")])

  static let model = Model(entities: [quake, region, country])

  /// Records become quakes, linked to their regions.
  static func quakes(when timing: Link.Timing = .insert) -> Pipeline {
    Pipeline(
      name: "quakes", entity: "Quake", model: model, fields: fields(quake),
      links: [Link("region", ownerKey: [Link.KeyPart("name", "place")], when: timing)])
  }

  /// Records become regions, linked to their countries.
  static func regions(when timing: Link.Timing = .insert) -> Pipeline {
    Pipeline(
      name: "regions", entity: "Region", model: model, fields: fields(region),
      links: [Link("country", ownerKey: [Link.KeyPart("code", "title")], when: timing)])
  }

  /// Records become countries.
  static let countries = Pipeline(name: "countries", entity: "Country", model: model, fields: fields(country))

  private static func fields(_ entity: Entity) -> [Field] {
    entity.attributes.filter { $0.derivation == nil }.map { Field($0.name) }
  }

  /// What Python computes from the stored columns alone; prints each value that differs.
  static let oracle = """
    import math, sqlite3, sys, unicodedata
    from fractions import Fraction
    db = sqlite3.connect(sys.argv[1]); db.row_factory = sqlite3.Row
    load = lambda name: {row["bolide_id"]: dict(row) for row in db.execute(f"SELECT * FROM {name}")}
    quakes, regions, countries = load("Quake"), load("Region"), load("Country")
    fold = lambda s: s and "".join(c for c in unicodedata.normalize("NFD", s) if not unicodedata.combining(c)).lower()
    upper = lambda s: s and s.upper()
    def check(entity, row, name, true):
        stored = row[name]
        same = stored == true and type(stored) == type(true)
        if not same: print(entity, row["bolide_id"], name, "is", repr(stored), "instead of", repr(true))
        row[name] = true
    def values(rows, name): return [row[name] for row in rows if row[name] is not None]
    def mean(numbers, unit=1): return float(sum(map(Fraction, numbers)) / (len(numbers) * unit)) if numbers else None
    for region in regions.values():
        country = countries.get(region["country_id"])
        own = [quake for quake in quakes.values() if quake["region_id"] == region["bolide_id"]]
        def put(name, true): check("Region", region, name, true)
        put("count", len(own)); put("total", math.fsum(values(own, "magnitude"))); put("depths", sum(values(own, "depth")))
        put("shallowest", min(values(own, "depth"), default=None)); put("largest", max(values(own, "magnitude"), default=None))
        put("mean", mean(values(own, "magnitude"))); put("meanDepth", mean(values(own, "depth")))
        put("meanCost", mean(values(own, "cost"), 100)); put("firstDay", min(values(own, "day"), default=None))
        strong = [quake for quake in own if (quake["magnitude"] or 0) > 5]
        put("strongTotal", math.fsum(values(strong, "magnitude")))
        put("strong", sum(1 for quake in own if (quake["magnitude"] or 0) > 5 or (quake["place"] or "")[:1] in ("a", "A")))
        put("deepest", max(values([quake for quake in own if (quake["cost"] or 0) > 100], "depth"), default=None))
        put("totals", region["total"] if own else None); put("strongTotals", region["total"] if strong else None)
        put("countryName", country["name"] if country else None)
        put("canonical", fold(region["title"])); put("again", upper(fold(region["title"])))
    for country in countries.values():
        own = [region for region in regions.values() if region["country_id"] == country["bolide_id"]]
        def put(name, true): check("Country", country, name, true)
        put("regionCount", len(own)); put("quakeCount", sum(values(own, "count")))
        put("total", math.fsum(values(own, "total"))); put("largest", max(values(own, "largest"), default=None))
        titled = [region for region in own if region["title"] is not None]
        put("busy", len(titled)); put("titledQuakes", sum(values(titled, "count")))
    for quake in quakes.values():
        region = regions.get(quake["region_id"]) or {"title": None, "country_id": None, "countryName": None, "total": None}
        country = countries.get(region["country_id"]) or {"name": None}
        def put(name, true): check("Quake", quake, name, true)
        put("placeCopy", quake["place"]); put("canonical", fold(quake["place"])); put("copyOfCanonical", fold(quake["place"]))
        put("shout", upper(region["title"])); put("regionTitle", region["title"]); put("countryName", country["name"])
        put("quietCountry", country["name"] and country["name"].lower()); put("ofRegion", region["countryName"])
        put("regionTotal", region["total"])
        if not quake["changed"]: print("Quake", quake["bolide_id"], "has no time of its change")
    """
}
