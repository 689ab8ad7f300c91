import ImportModel
import PlainStore
package import StoreInterface
import Synchronization

extension PlainEngine {
  package func readRows(
    _ request: ObjectQuery, at token: HistoryToken?, _ body: (Snapshot.Row) throws -> Void
  ) throws {
    let state = state.withLock { $0 }
    guard let entity = state.model.entity(named: request.entity) else {
      throw StoreError.noEntity(request.entity, in: state.model).about(path)
    }
    if request.predicate != nil || !request.related.isEmpty || !request.properties.isEmpty
      || request.dangling != nil || request.isGrouped || request.section != nil
    {
      throw StoreError.unsupported("predicates and paths", by: Self.engineName, path)
    }
    let store = try token.map { state.store(try state.number(.token($0), path: path)) } ?? state.store
    var rows = store.ids(entity.name).compactMap { id in
      store.object(entity.name, id).map { entity.row(id, $0) }
    }
    for sort in request.sort.reversed() {
      rows.sort { left, right in
        let (left, right) = (left[plain: sort.name], right[plain: sort.name])
        return sort.isAscending ? left.isLess(than: right) : right.isLess(than: left)
      }
    }
    try rows.dropFirst(request.offset).prefix(request.limit ?? .max).forEach(body)
  }

  package func readCount(_ request: ObjectQuery, at token: HistoryToken?) throws -> Int {
    var count = 0
    try readRows(request, at: token) { _ in count += 1 }
    return count
  }

  package func readSnapshot(
    of entities: [String], begin: (Snapshot) throws -> Void, row: (Snapshot.Row) throws -> Void
  ) throws {
    let model = state.withLock { $0.model }
    let token = newestToken()
    let wanted = model.entities.map(\.name).filter { entities.isEmpty || entities.contains($0) }
    let counts = try wanted.map {
      Snapshot.Count(entity: $0, rows: try readCount(ObjectQuery($0), at: token))
    }
    try begin(Snapshot(token: token, at: timestamp(), pendingChanges: 0, counts: counts))
    for name in wanted { try readRows(ObjectQuery(name), at: token, row) }
  }
}

extension Entity {
  fileprivate func row(_ id: Int, _ object: PlainObject) -> Snapshot.Row {
    let all = properties(object)
    return Snapshot.Row(
      entity: name, id: Int64(id), key: key.compactMap { name in all.first { $0.name == name } }, values: all)
  }
}

extension Snapshot.Row {
  fileprivate subscript(plain name: String) -> PlainValue {
    self[name].map { PlainValue($0) } ?? .null
  }
}
