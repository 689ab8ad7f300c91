internal import ImportModel
internal import PostgreSQLAccess
internal import TypedRows

/// Values of some columns of a chunk's rows as a table `x`, to be joined with a table that has them: `k0`, `k1`, … and the row's
/// place among those that were sent, from 1.
struct KeyRows {
  private let layout: ChunkLayout
  private let columns: [Int]
  /// What the columns are called in the other table.
  private let names: [String]

  /// - Parameters:
  ///   - columns: the chunk's.
  ///   - names: what they are called in the other table; nil for what the attributes are.
  init(_ layout: ChunkLayout, _ columns: [Int], names: [String]? = nil) {
    (self.layout, self.columns) = (layout, columns)
    self.names = names ?? columns.map { layout.columns[$0].attribute.name }
  }

  /// How many parameters the table takes, from `$1` on.
  var count: Int { columns.count }

  var table: String {
    parameterRows(columns.indices.map { "k\($0)" }, place: "place")
  }

  /// A value as the other table's column has it.
  func value(_ place: Int) -> String { type(place).value(ofParameter: "x.k\(place)") }

  /// The condition under which a row of the other table has the values.
  func equal(_ alias: String) -> String {
    names.indices.map { "\(alias).\(quoted(names[$0])) = \(value($0))" }.joined(separator: " AND ")
  }

  func parameters(_ chunk: Chunk, _ rows: [Int32]) -> [Parameter] {
    columns.map { layout.parameter(chunk, $0, rows) }
  }

  // MARK: Their range

  /// The condition that the other table's first column is within the range of the values: a table that is hashed for the join is
  /// read in this part alone, and behind its last key nothing is.
  func isWithin(_ alias: String) -> String {
    guard let name = names.first.map(quoted) else { return "true" }
    func bound(_ place: Int) -> String { type(0).value(ofParameter: "($\(count + place))[1]") }
    return "\(alias).\(name) >= \(bound(1)) AND \(alias).\(name) <= \(bound(2))"
  }

  /// The smallest and the largest value of the first column, as the parameters behind the others.
  func bounds(_ chunk: Chunk, _ rows: [Int32]) -> [Parameter] {
    guard let column = columns.first else { return [] }
    func isLess(_ left: Int32, _ right: Int32) -> Bool { chunk.compare(column, Int(left), Int(right)) < 0 }
    return [rows.min(by: isLess), rows.max(by: isLess)].map { row in
      layout.parameter(chunk, column, row.map { [$0] } ?? [])
    }
  }

  private func type(_ place: Int) -> AttributeType { layout.columns[columns[place]].attribute.type }
}

extension ChunkLayout {
  /// A column's cells as an array; null for what is absent.
  func parameter(_ chunk: Chunk, _ column: Int, _ rows: [Int32]) -> Parameter {
    var array = ArrayParameter(columns[column].attribute.type.element, capacity: rows.count)
    for row in rows { array.fields.append(chunk, column, Int(row)) }
    return array.parameter
  }
}

extension ChunkLayout {
  /// The columns of a key, as `keyDigest` reads them.
  var keyValues: String {
    keyColumns.map { columns[$0].attribute.type.result(ofColumn: quoted(columns[$0].name)) }
      .joined(separator: ", ")
  }

  /// The digest of a key that a result's row has in its columns from one on: that of the chunk's row with this key.
  func keyDigest(_ rows: QueryResult, _ row: Int, from first: Int) -> Int64 {
    var digest = SipHash(digestKey)
    for (place, column) in keyColumns.enumerated() {
      switch columns[column].attribute.type.value(rows, row, first + place) {
      case .integer(let number): digest.add(UInt64(bitPattern: number))
      case .real(let number): digest.add(number.bitPattern)
      case .text(let text): digest.add(part: text)
      case .blob(let bytes): bytes.withUnsafeBufferPointer { digest.add(part: $0) }
      case .null: break
      }
    }
    return digest.value
  }
}
