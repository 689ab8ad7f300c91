internal import ImportModel
package import TypedRows

/// A row that takes values in constraints besides the key.
package struct Claimant {
  package let row: Int32
  /// Nil for a new row.
  package let id: Int64?
  /// For each constraint, whether its values are others than the store's.
  package let claims: [Bool]

  package init(row: Int32, id: Int64?, claims: [Bool]) {
    (self.row, self.id, self.claims) = (row, id, claims)
  }
}

extension Chunk {
  /// Rejects the rows that clash with others, or with objects that keep their values.
  ///
  /// - Parameters:
  ///   - holders: for each constraint, the objects that have the values that rows claim, by row.
  ///   - handOn: is told of each object that gives up its values in a constraint to a row that lands.
  /// - Returns: the rejected rows.
  package func rejectClashes(
    _ claimants: [Claimant], _ holders: [[Int32: Int64]], input: String,
    handOn: (_ id: Int64, _ constraint: Int) -> Void = { _, _ in }
  ) -> Set<Int32> {
    let claimants = claimants.sorted { $0.row < $1.row }
    var placeOf: [Int64: Int] = [:]
    for (place, claimant) in claimants.enumerated() { if let id = claimant.id { placeOf[id] = place } }
    var numbers: [Values: Int] = [:]
    let claims = claimants.map { claimant in
      layout.constraints.enumerated().map { constraint, value -> UniqueConflictResolver.Claim? in
        guard claimant.claims[constraint] else { return nil }
        let values = Values(constraint: constraint, parts: value.columns.map { part($0, Int(claimant.row)) })
        let number = numbers[values] ?? numbers.count
        numbers[values] = number
        guard let id = holders[constraint][claimant.row], id != claimant.id else {
          return UniqueConflictResolver.Claim(number: number, holder: .nobody)
        }
        guard let place = placeOf[id], claimants[place].claims[constraint] else {
          return UniqueConflictResolver.Claim(number: number, holder: .fixed)
        }
        return UniqueConflictResolver.Claim(number: number, holder: .row(place))
      }
    }
    var rejected: Set<Int32> = []
    for (place, verdict) in UniqueConflictResolver.verdicts(claims).enumerated() {
      if case .rejected(let constraint) = verdict {
        rejected.insert(claimants[place].row)
        rejectClash(Int(claimants[place].row), constraint, input: input)
        continue
      }
      for (constraint, claim) in claims[place].enumerated() {
        guard case .row(let holder) = claim?.holder, let id = claimants[holder].id else { continue }
        handOn(id, constraint)
      }
    }
    return rejected
  }

  /// The values of one constraint. Texts are bytes here: to `String`, two spellings of one character are the same.
  private struct Values: Hashable {
    let constraint: Int
    let parts: [Value]
  }

  private func part(_ column: Int, _ row: Int) -> Value {
    guard state(column, row) == .value else { return .null }
    return switch layout.storages[column] {
    case .integer: .integer(integer(column, row))
    case .real: .real(real(column, row))
    case .text, .blob: .blob(Array(bytes(column, row)))
    }
  }

  private func rejectClash(_ row: Int, _ constraint: Int, input: String) {
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
