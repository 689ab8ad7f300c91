package import StoreInterface
internal import Synchronization

/// What of a store is read in pages: between two of them it may hold a state of the store, and closing ends that.
package final class OpenPages: Sendable {
  private struct Reference {
    weak var pages: (any RowPages)?
  }

  private struct State {
    var isClosed = false
    var all: [Reference] = []
  }

  private let state = Mutex(State())

  /// Whether the store was closed.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// - Complexity: O(those that are open).
  package func add(_ pages: any RowPages) {
    state.withLock { state in
      state.all.removeAll { $0.pages == nil }
      state.all.append(Reference(pages: pages))
    }
  }

  /// Ends them. Who looks after `add` sees that, or is ended.
  func close() {
    let open = state.withLock { state in
      state.isClosed = true
      return state.all.compactMap(\.pages)
    }
    for pages in open { pages.end() }
  }
}
