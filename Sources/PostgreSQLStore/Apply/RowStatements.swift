internal import ImportModel
internal import PostgreSQLAccess
internal import TypedRows

/// The statements that write a chunk's rows, each row an element of its parameters' arrays.
///
///     COPY     the id, the stored columns, the links' owners: what no statement has to compute, and at a third less time
///     INSERT   $1 ids, the stored columns, the links' owners, the instant
///     UPDATE   $1 ids, the stored columns without the key, the owners of links that the pipeline owns, the instant
struct RowStatements {
  private let layout: ChunkLayout
  /// Nil where new rows are copied.
  private let insert: String?
  /// The table with the columns of copied rows.
  private let target: String
  /// Nil where nothing of a row may change.
  let update: String?
  /// The stored columns that an update writes.
  private let changing: [Int]
  /// The links that it writes, by their places in the layout.
  private let relinking: [Int]

  init(layout: ChunkLayout, model: Model) {
    self.layout = layout
    let entity = layout.entity
    let copies = Copy.all(entity, model).filter { $0.folding == nil }
    let times = entity.derivedAttributes.filter { $0.derivation == .now }
    func value(_ column: Int) -> String {
      layout.columns[column].attribute.type.value(ofParameter: "x.c\(column)")
    }
    func link(_ place: Int) -> String { "x.l\(place)" }
    /// What a column will hold: a value of the parameters, a copy of one, or what it holds.
    func next(_ name: String, _ columns: [Int], _ links: [Int], _ other: String) -> String {
      if let column = columns.first(where: { layout.columns[$0].name == name }) { return value(column) }
      if let place = links.first(where: { layout.owners[$0].relationship.column == name }) {
        return link(place)
      }
      if let copy = copies.first(where: { $0.attribute.name == name }) {
        return copy.value { next($0, columns, links, other) }
      }
      if name == "bolide_id" { return "x.id" }
      if let time = times.first(where: { $0.name == name }) {
        return EntityTriggers.now(time, instant(columns, links))
      }
      return other.isEmpty ? entity.start(of: name) : "\(other).\(quoted(name))"
    }
    func rows(_ columns: [Int], _ links: [Int]) -> String {
      parameterRows(["id"] + columns.map { "c\($0)" } + links.map { "l\($0)" })
    }
    func instant(_ columns: [Int], _ links: [Int]) -> String {
      "$\(columns.count + links.count + 2)::text::timestamptz"
    }

    let stored = Array(0..<layout.storedCount)
    let links = Array(layout.owners.indices)
    let names =
      ["bolide_id"] + stored.map { quoted(layout.columns[$0].name) }
      + links.map { quoted(layout.owners[$0].relationship.column) }
      + (copies.map(\.attribute) + times).map { quoted($0.name) }
    let values =
      ["x.id"] + stored.map(value) + links.map(link)
      + copies.map { next($0.attribute.name, stored, links, "") }
      + times.map { EntityTriggers.now($0, instant(stored, links)) }
    target = "\(quoted(entity.name))(\(names.joined(separator: ", ")))"
    // The instant has a place even where nothing is derived from it. ON CONFLICT would look each key up once more: where another
    // writer was faster, the statement fails, and the chunk is applied again.
    insert =
      copies.isEmpty && times.isEmpty
      ? nil
      : """
      INSERT INTO \(target)
      SELECT \(values.joined(separator: ", ")) FROM \(rows(stored, links)) WHERE \(instant(stored, links)) IS NOT NULL
      """
    changing = stored.filter { !layout.columns[$0].isKey }
    relinking = links.filter { layout.owners[$0].timing == .always }
    let (changing, relinking) = (changing, relinking)
    var written = Set(
      changing.map { layout.columns[$0].name } + relinking.map { layout.owners[$0].relationship.column })
    let assignments =
      changing.map { "\(quoted(layout.columns[$0].name)) = \(value($0))" }
      + relinking.map { "\(quoted(layout.owners[$0].relationship.column)) = \(link($0))" }
    written.formUnion(times.map(\.name))
    // A copy of a copy comes behind it.
    let affected = copies.filter { copy in
      guard copy.ownColumns.contains(where: written.contains) else { return false }
      written.insert(copy.attribute.name)
      return true
    }
    let derived =
      affected.map {
        "\(quoted($0.attribute.name)) = \(next($0.attribute.name, changing, relinking, "t"))"
      } + times.map { "\(quoted($0.name)) = \(EntityTriggers.now($0, instant(changing, relinking)))" }
    update =
      assignments.isEmpty
      ? nil
      : """
      UPDATE \(quoted(entity.name)) AS t SET \((assignments + derived).joined(separator: ", "))
      FROM \(rows(changing, relinking)) WHERE t.bolide_id = x.id AND \(instant(changing, relinking)) IS NOT NULL
      """
  }

  /// Writes new rows.
  ///
  /// - Parameters:
  ///   - ids: theirs.
  ///   - now: the instant for what is derived from the clock.
  /// - Returns: how many there are then.
  func insert(
    _ chunk: Chunk, _ rows: [Int32], ids: [Int64], _ links: Links, now: String,
    _ connection: PostgreSQLConnection
  ) throws -> Int {
    if let insert {
      let columns = (0..<layout.storedCount).map { layout.parameter(chunk, $0, rows) }
      let owners = layout.owners.indices.map { place in
        ArrayParameter.ids(rows.lazy.map { links.owner(place, Int($0)) })
      }
      return try connection.run(insert, [.integers(ids)] + columns + owners + [.text(now)]).affected
    }
    let columns = 1 + layout.storedCount + layout.owners.count
    return try connection.copy(into: target, columns: columns, rows: rows.count) { place, fields in
      let row = Int(rows[place])
      fields.append(ids[place])
      for column in 0..<layout.storedCount { fields.append(chunk, column, row) }
      for link in layout.owners.indices {
        let owner = links.owner(link, row)
        if owner == 0 { fields.appendNull() } else { fields.append(owner) }
      }
    }
  }

  /// What a record left out, and what says the same in other words, keeps its stored value.
  func updateParameters(_ chunk: Chunk, _ rows: [Int32], _ stored: StoredRows, _ links: Links) -> [Parameter]
  {
    let tuples = rows.map { stored.tuple($0) ?? 0 }
    var parameters = [Parameter.integers(tuples.map(stored.id))]
    for column in changing {
      let type = layout.columns[column].attribute.type
      var array = ArrayParameter(type.element, capacity: rows.count)
      for (row, tuple) in zip(rows, tuples) {
        if stored.differs(chunk, Int(row), column, tuple) {
          array.fields.append(chunk, column, Int(row))
        } else {
          array.fields.append(stored: stored.value(tuple, column), type)
        }
      }
      parameters.append(array.parameter)
    }
    for place in relinking {
      parameters.append(
        ArrayParameter.ids(
          zip(rows, tuples).lazy.map { row, tuple in
            let owner = links.owner(place, Int(row))
            return owner != 0 ? owner : links.storedOwner(place, stored, tuple)
          }))
    }
    return parameters
  }
}

extension ArrayParameter {
  /// Object ids; 0 is null.
  static func ids(_ ids: some Sequence<Int64>) -> Parameter {
    var array = ArrayParameter(.integer64)
    for id in ids { if id == 0 { array.fields.appendNull() } else { array.fields.append(id) } }
    return array.parameter
  }
}
