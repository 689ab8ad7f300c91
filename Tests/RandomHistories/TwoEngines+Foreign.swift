import Bolide
import Foundation
import GRDB
import PlainStore
import StoreInterface

/// What another program writes into both with plain SQL.
extension TwoEngines {
  /// A statement; objects are named by their keys.
  indirect enum ForeignStatement {
    /// Rows with values of attributes, and objects that they are linked to; those whose key is there may be updated.
    case insert(entity: String, [(values: [String: PlainValue], links: [String: String?])], isUpsert: Bool)
    case update(entity: String, [String], [String: PlainValue], links: [String: String?])
    case delete(entity: String, [String])
    /// One that is taken back: by a savepoint before it.
    case undone(ForeignStatement)
  }

  /// A column with its value, or one with the object that it leads to.
  private enum Cell {
    case value(PlainAttribute, PlainValue)
    case link(String, String?)

    var column: String {
      switch self {
      case .value(let attribute, _): "\"\(attribute.name)\""
      case .link(let relationship, _): "\"\(relationship)_id\""
      }
    }
  }

  // MARK: By chance

  /// Statements of one transaction.
  func foreign(_ dice: inout Dice) throws -> [ForeignStatement] {
    let all = try objects(engines[0])
    func names(of entity: String) -> [String] {
      all.filter { $0.value.name.entity == entity }.map(\.key).sorted()
    }
    let rules = random.whole.entities.flatMap { $0.relationships.map(\.rule) }
    let statements = (1...dice.int(1...5)).compactMap { _ -> ForeignStatement? in
      guard let entity = dice.any(of: random.whole.entities) else { return nil }
      let there = names(of: entity.name)
      // What another program puts into derived columns is put right.
      let written = entity.stored.filter { $0.derivation == nil || dice.once(in: 6) }
      // One row takes a way of its own.
      let some =
        dice.once(in: 2) ? dice.any(of: there).map { [$0] } ?? [] : there.filter { _ in dice.once(in: 2) }
      let ends = entity.relationships.filter { $0.kind == .toOne }
      func links(_ ends: [PlainRelationship]) -> [String: String?] {
        Dictionary(
          uniqueKeysWithValues: ends.map { end -> (String, String?) in
            let isNone = !entity.key.contains(end.name) && dice.once(in: 4)
            return (end.name, isNone ? nil : dice.any(of: names(of: end.destination)))
          })
      }
      switch dice.int(0...7) {
      case 0, 1:
        let rows = (1...(dice.once(in: 2) ? 1 : 3)).map { _ in
          (values: foreignValues(&dice, entity, written), links: links(ends))
        }
        // A key with nothing in it would be equal to nothing.
        let whole = rows.filter { row in
          entity.key.allSatisfy { entity.attribute($0) != nil || row.links[$0].flatMap(\.self) != nil }
        }
        let keys = whole.map { row in entity.key.map { row.values[$0] } }
        // A server updates no row twice in one statement, and lets a row have what the next one gives away.
        let givesAway = !entity.unique.isEmpty || ends.contains { isOneToOne($0, of: entity) }
        let isUpsert =
          dice.once(in: 3) && !keys.joined().contains(nil) && Set(keys).count == keys.count
          && (whole.count == 1 || !givesAway)
        return whole.isEmpty ? nil : .insert(entity: entity.name, whole, isUpsert: isUpsert)
      case 2, 3:
        // A file denies a deletion at once, a server where the rows are still linked behind the statement.
        if rules.contains(.deny) { return nil }
        return .delete(entity: entity.name, some)
      default:
        // A file compares what must be unique row by row, a server behind the statement.
        let alone = Set(entity.key + entity.unique.flatMap(\.self))
        let free = some.count == 1 ? [] : alone
        let stored = written.filter { !free.contains($0.name) && dice.once(in: 2) }
        let own = ends.filter { end in
          !alone.contains(end.name) && (some.count == 1 || !isOneToOne(end, of: entity)) && dice.once(in: 2)
        }
        let values = foreignValues(&dice, entity, stored)
        let targets = links(own)
        return values.isEmpty && targets.isEmpty
          ? nil : .update(entity: entity.name, some, values, links: targets)
      }
    }
    return statements.map { dice.once(in: 6) ? .undone($0) : $0 }
  }

  /// Whether a row may be made or linked, and deleted behind that, in one transaction: a file knows what it was linked to, and a server, which
  /// has of a transaction what was before it, does not.
  static func mayDeleteLinked(_ statements: [ForeignStatement]) -> Bool {
    var haveLinks = false
    for statement in statements {
      switch statement {
      case .insert(_, let rows, _): haveLinks = haveLinks || rows.contains { !$0.links.isEmpty }
      case .update(_, _, _, let links): haveLinks = haveLinks || !links.isEmpty
      case .delete: if haveLinks { return true }
      case .undone: break
      }
    }
    return false
  }

  private func isOneToOne(_ end: PlainRelationship, of entity: PlainEntity) -> Bool {
    guard let inverse = end.inverse else { return false }
    return random.whole[end.destination].relationship(inverse)?.kind == .hasOne
  }

  private func foreignValues(
    _ dice: inout Dice, _ entity: PlainEntity, _ attributes: [PlainAttribute]
  ) -> [String: PlainValue] {
    var values: [String: PlainValue] = [:]
    for attribute in attributes {
      let mayBeNull =
        !attribute.isRequired && attribute.derivation == nil && !entity.key.contains(attribute.name)
      let isNull = mayBeNull && dice.once(in: 5)
      values[attribute.name] = isNull ? .null : dice.value(attribute.kind)
    }
    return values
  }

  // MARK: In one of the engines

  /// Runs the statements in one transaction, which is rolled back at the first that is refused.
  ///
  /// - Parameter isolation: a server's level.
  /// - Returns: what became of it.
  func run(_ statements: [ForeignStatement], _ place: Int, isolation: String) throws -> String {
    let ids = try objects(engines[place]).mapValues(\.name.id)
    let isRefused =
      place == 0 ? try runInFile(statements, ids) : try runOnServer(statements, ids, isolation)
    _ = try engines[place].assignPendingChanges()
    return isRefused ? "refused" : ""
  }

  private func runInFile(_ statements: [ForeignStatement], _ ids: [String: Int64]) throws -> Bool {
    let file = try DatabaseQueue(path: self.file)
    defer { try? file.close() }
    return try file.inDatabase { db in
      try db.execute(sql: "PRAGMA foreign_keys = ON")
      do {
        try db.inTransaction(.immediate) {
          for statement in statements {
            var arguments: [(any DatabaseValueConvertible)?] = []
            let sql = self.sql(statement, ids) { cell in
              switch cell {
              case .value(_, let value): arguments.append(value.argument)
              case .link(_, let target): arguments.append(target.flatMap { ids[$0] })
              }
              return "?"
            }
            if let sql { try db.execute(sql: sql, arguments: StatementArguments(arguments)) }
          }
          return .commit
        }
        return false
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        return true
      }
    }
  }

  private func runOnServer(
    _ statements: [ForeignStatement], _ ids: [String: Int64], _ isolation: String
  ) throws -> Bool {
    let lines = statements.compactMap { statement in
      sql(statement, ids) { cell in
        switch cell {
        case .value(let attribute, let value): value.literal(attribute.kind)
        case .link(_, let target): target.flatMap { ids[$0] }.map { "\($0)" } ?? "NULL"
        }
      }
    }
    do {
      try program((["BEGIN ISOLATION LEVEL \(isolation)"] + lines + ["COMMIT;"]).joined(separator: ";\n"))
      return false
    } catch {
      // Any other refusal is a fault.
      guard "\(error)".contains("constraint") else { throw error }
      return true
    }
  }

  /// A statement as SQL; nil for one that would do nothing.
  private func sql(
    _ statement: ForeignStatement, _ ids: [String: Int64], _ literal: (Cell) -> String
  ) -> String? {
    func cells(
      _ entity: String, _ values: [String: PlainValue], _ links: [String: String?]
    ) -> [Cell] {
      values.sorted { $0.key < $1.key }.compactMap { name, value in
        random.whole[entity].attribute(name).map { .value($0, value) }
      } + links.sorted { $0.key < $1.key }.map { .link($0.key, $0.value) }
    }
    func list(_ names: [String]) -> String {
      names.compactMap { ids[$0] }.map(String.init).joined(separator: ", ")
    }
    switch statement {
    case .insert(let entity, let rows, let isUpsert):
      let rows = rows.map { cells(entity, $0.values, $0.links) }
      let columns = rows.first.map { $0.map(\.column).joined(separator: ", ") } ?? ""
      let texts = rows.map { "(\($0.map(literal).joined(separator: ", ")))" }
      let insert = "INSERT INTO \"\(entity)\"(\(columns)) VALUES \(texts.joined(separator: ", "))"
      if !isUpsert { return insert }
      let key = random.whole[entity].key.map { "\"\($0)\"" }
      let sets = (rows.first ?? []).map(\.column).filter { !key.contains($0) }.map {
        "\($0) = excluded.\($0)"
      }
      return "\(insert) ON CONFLICT (\(key.joined(separator: ", "))) DO "
        + (sets.isEmpty ? "NOTHING" : "UPDATE SET \(sets.joined(separator: ", "))")
    case .update(let entity, let names, let values, let links):
      if names.isEmpty { return nil }
      let sets = cells(entity, values, links).map { "\($0.column) = \(literal($0))" }
      return "UPDATE \"\(entity)\" SET \(sets.joined(separator: ", ")) WHERE bolide_id IN (\(list(names)))"
    case .delete(let entity, let names):
      return names.isEmpty ? nil : "DELETE FROM \"\(entity)\" WHERE bolide_id IN (\(list(names)))"
    case .undone(let statement):
      return sql(statement, ids, literal).map { "SAVEPOINT back; \($0); ROLLBACK TO back" }
    }
  }
}

extension PlainValue {
  /// As a statement on a PostgreSQL server has it.
  fileprivate func literal(_ kind: PlainAttribute.Kind) -> String {
    switch (self, kind) {
    case (.null, _), (.beyond, _): return "NULL"
    case (.bytes(let bytes), _): return "'\\x\(bytes.map { String(format: "%02x", $0) }.joined())'"
    case (.text(let text), _): return "'\(text.replacing("'", with: "''"))'"
    case (.whole(let number), .boolean): return number == 1 ? "true" : "false"
    default: return "'\(json(kind))'"
    }
  }
}
