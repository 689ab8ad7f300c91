import Bolide
import StoreInterface
import TestServer

extension Pipeline {
  /// An empty store in memory, and one on the test's server.
  func bothEngines() throws -> [any StoreEngine] {
    [
      try StoreAddress.inMemory(for: self),
      try StoreAddress(TestServer.shared.get().freshAddress()).open(for: self, lockWait: 10),
    ]
  }
}
