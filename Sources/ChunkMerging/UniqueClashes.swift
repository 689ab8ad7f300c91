package import ImportModel
package import TypedRows

extension Chunk {
  /// A cell as a part of what is compared byte by byte.
  package func part(_ column: Int, _ row: Int) -> Value {
    guard state(column, row) == .value else { return .null }
    return switch layout.storages[column] {
    case .integer: .integer(integer(column, row))
    case .real: .real(real(column, row))
    case .text, .blob: .blob(Array(bytes(column, row)))
    }
  }

  /// Rejects a row whose values in a constraint others have.
  package func rejectClash(_ row: Int, _ constraint: Int, input: String) {
    if let owner = layout.constraints[constraint].owner {
      let name = owner.relationship.name
      return reject(
        row, .taken(name, owner.entity.name, by: layout.entity.name), attribute: name, input: input)
    }
    let names = layout.entity.uniquenessConstraints[constraint]
    reject(
      row, .notUnique(names, of: layout.entity.name), attribute: names.count == 1 ? names[0] : nil,
      input: input)
  }
}
