import ImportModel
import PlainStore
import TypedRows

extension Chunk {
  /// The records that are applied, in the input's order. Rows that were folded into a later one of their key bring it their
  /// children.
  ///
  /// - Parameter relationships: of the children, by their chunks.
  func plainRecords(_ relationships: [String]) -> [PlainRecord] {
    let applied = acceptedRows.sorted()
    var records = applied.map { record(ofRow: $0) }
    var places: [[PlainValue]: Int] = [:]
    for (place, row) in applied.enumerated() { places[key(row)] = place }
    let own = Dictionary(applied.enumerated().map { ($1, $0) }) { first, _ in first }
    // What each row holds: first the rows of each list, last those of the records. A list stands behind the one that holds it.
    var held: [[Int: [String: [PlainRecord]]]] = Array(repeating: [:], count: children.count + 1)
    for (index, children) in children.enumerated().reversed() {
      let holder = layout.children[index].within ?? self.children.count
      for row in children.acceptedRows {
        var record = children.record(ofRow: row)
        record.children = held[index][row] ?? [:]
        let parent = Int(children.lineage[row].parent)
        held[holder][parent, default: [:]][relationships[index], default: []].append(record)
      }
    }
    for (row, lists) in (held.last ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard let place = own[row] ?? places[key(row)] else { continue }
      records[place].children.merge(lists) { $0 + $1 }
    }
    return records
  }

  private func key(_ row: Int) -> [PlainValue] { layout.keyColumns.map { value($0, row) ?? .null } }

  private func record(ofRow row: Int) -> PlainRecord {
    var record = PlainRecord()
    record.row = row
    for column in 0..<layout.keptCount where !layout.references.contains(column) {
      record.values[layout.columns[column].name] = value(column, row)
    }
    return record
  }

  /// Nil for a value that the record does not have.
  private func value(_ column: Int, _ row: Int) -> PlainValue? {
    switch state(column, row) {
    case .absent: nil
    case .null: .null
    case .value:
      switch layout.storages[column] {
      case .integer: .whole(integer(column, row))
      case .real: .real(real(column, row))
      case .text: .text(String(decoding: bytes(column, row), as: UTF8.self))
      case .blob: .bytes(Array(bytes(column, row)))
      }
    }
  }

  /// Rejects a row that the plain store rejected, for the reason that the row shows.
  func reject(_ row: Int, in input: String) {
    if let column = layout.required.first(where: { state($0, row) == .absent }) {
      let name = layout.columns[column].name
      reject(row, .missing(name), attribute: name, input: input)
    } else if let constraint = layout.constraints.first {
      let names = constraint.columns.map { layout.columns[$0].name }
      reject(row, .notUnique(names, of: layout.entity.name), attribute: nil, input: input)
    } else {
      reject(row, .repeatedKey(layout.entity.key), attribute: nil, input: input)
    }
  }
}
