package import ImportModel
package import PlainStore
package import StoreInterface
import Synchronization

/// An engine in memory: the plain model of a store behind the protocols of the real one. It shows that these need no SQL, and is
/// what random imports through them are compared with. It rejects what the model does not have.
package final class PlainEngine: PartialEngine {
  package static let engineName = "plain"
  package let path = "plain"
  let state = Mutex(PlainState())
  /// Held by a transaction.
  let writing = PlainLock()

  package init() {}

  package convenience init(for pipeline: Pipeline) throws {
    self.init()
    try fit(pipeline)
  }
}

/// What the engine holds.
struct PlainState {
  var model = Model()
  var store = PlainStore(PlainModel())
  /// Every transaction, and the store behind it; number 1 is the first.
  var transactions: [(transaction: HistoryTransaction, after: PlainStore)] = []
  /// The store before the first transaction.
  var beginning = PlainStore(PlainModel())
  var runs: Int64 = 0
  var fields: [String: Set<String>] = [:]
  var readers: [String: (token: HistoryToken, moved: String)] = [:]
  let id = randomWord(length: 8)

  /// The place behind a transaction; 0 for the beginning.
  func token(_ number: Int64) -> HistoryToken {
    let place = Int(number) - 1
    return transactions.indices.contains(place)
      ? transactions[place].transaction.token
      : HistoryToken(store: id, number: 0, nonce: HistoryToken.noNonce)
  }

  /// The store at a place.
  func store(_ number: Int64) -> PlainStore {
    number == 0 ? beginning : transactions[Int(number) - 1].after
  }
}

extension PlainEngine {
  /// The objects of a store that had this one's writes; what it has otherwise becomes a transaction that nobody signs.
  package var objects: PlainStore {
    get { state.withLock { $0.store } }
    set {
      let model = state.withLock { $0.store.model }
      _ = commit(newValue.with(model), author: nil, pipeline: nil, run: nil, keepsTimes: true)
    }
  }

  package func fit(_ pipeline: Pipeline) throws {
    let model = state.withLock { $0.model.with(pipeline.model.withJoins) }
    let plain = try PlainModel(model) { StoreError.unsupported($0, by: Self.engineName, path) }
    state.withLock { state in
      guard state.model != model else { return }
      state.model = model
      state.store.grow(to: plain)
      // What is new is no change: rows had it at every place.
      state.beginning.grow(to: plain)
      for index in state.transactions.indices { state.transactions[index].after.grow(to: plain) }
    }
  }

  package func model() -> Model { state.withLock { $0.model } }

  package func restoreTriggers() -> RepairReport { RepairReport() }

  package func lock(forPipeline name: String, waiting seconds: Double) -> AnyObject { PlainLock() }

  package func fieldMemory(of pipeline: Pipeline) -> FieldMemory {
    FieldMemory(unused: state.withLock { $0.fields[pipeline.name] })
  }

  package func checkFit(_ pipeline: Pipeline) {}

  package func replayableRejects(
    _ pipeline: Pipeline, before run: Int64, after last: KeptReject?, limit: Int
  ) throws -> (kept: [KeptReject], hasMore: Bool) {
    throw StoreError.unsupported("keeping refused records", by: Self.engineName, path)
  }

  package func keptRejectCount(pipeline name: String) -> Int { 0 }
}

extension Model {
  /// This model, and what another one has more or otherwise.
  fileprivate func with(_ other: Model) -> Model {
    var model = self
    for entity in other.entities {
      guard let index = model.entities.firstIndex(where: { $0.name == entity.name }) else {
        model.entities.append(entity)
        continue
      }
      let known = model.entities[index]
      model.entities[index].attributes = known.attributes.map { entity.attribute(named: $0.name) ?? $0 }
      model.entities[index].attributes += entity.attributes.filter { known.attribute(named: $0.name) == nil }
      model.entities[index].relationships += entity.relationships.filter {
        known.relationship(named: $0.name) == nil
      }
    }
    return model
  }
}
