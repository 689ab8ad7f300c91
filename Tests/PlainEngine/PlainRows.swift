import ImportModel
import PlainStore
import TypedRows

/// A record of a chunk, with the rows that its children have in their chunks.
struct PlainRow {
  var row: Int
  var record: PlainRecord
  var children: [[Int]]
}

extension Chunk {
  /// The rows that are applied, in the input's order. Rows that were folded into a later one of their key bring it their children.
  ///
  /// - Parameter relationships: of the children, by their chunks.
  func plainRows(_ relationships: [String]) -> [PlainRow] {
    let applied = acceptedRows.sorted()
    var places: [[PlainValue]: Int] = [:]
    var rows = applied.map { row in
      PlainRow(row: row, record: record(ofRow: row), children: children.map { _ in [] })
    }
    for (place, row) in applied.enumerated() { places[key(row)] = place }
    let own = Dictionary(applied.enumerated().map { ($1, $0) }) { first, _ in first }
    for (index, children) in children.enumerated() {
      for child in children.acceptedRows {
        let parent = Int(children.lineage[child].parent)
        guard let place = own[parent] ?? places[key(parent)] else { continue }
        rows[place].children[index].append(child)
        let name = relationships[index]
        rows[place].record.children[name, default: []].append(children.record(ofRow: child))
      }
    }
    return rows
  }

  private func key(_ row: Int) -> [PlainValue] { layout.keyColumns.map { value($0, row) ?? .null } }

  private func record(ofRow row: Int) -> PlainRecord {
    var record = PlainRecord()
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
