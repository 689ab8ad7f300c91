import Bolide
import StoreInterface
import Testing

/// Named readers, whichever engine keeps their places.
struct ReaderLaws {
  @Test(arguments: Engine.allCases)
  func `a reader moves on and never back, and knows how far it is behind`(_ engine: Engine) throws {
    let store = try LawStore(engine)
    let beginning = try store.engine.newestToken()
    try store.take([#"{"id": 1}"#])
    let first = try store.engine.newestToken()
    try store.engine.addReader("copy", from: .beginning)
    try store.take([#"{"id": 2}"#, #"{"id": 3}"#])
    var reader = try #require(store.engine.namedReaders().first)
    #expect(reader.name == "copy" && reader.token == beginning && reader.state == .live)
    #expect(reader.transactionsBehind == 2 && reader.changesBehind == 3)
    try store.engine.acknowledge(first, by: "copy")
    try store.engine.acknowledge(beginning, by: "copy")
    reader = try #require(store.engine.namedReaders().first)
    #expect(reader.token == first && reader.transactionsBehind == 1)
    #expect(try store.engine.place(ofReader: "copy") == first)
    try store.engine.resetReader("copy", to: .now)
    #expect(try store.engine.place(ofReader: "copy") == store.engine.newestToken())
    try store.engine.dropReader("copy")
    #expect(try store.engine.namedReaders().isEmpty)
  }

  @Test(arguments: Engine.keeping)
  func `a reader that is not there is told before its token is looked at`(_ engine: Engine) throws {
    let store = try LawStore(engine)
    let beginning = try store.engine.newestToken()
    try store.take([#"{"id": 1}"#])
    _ = try store.engine.prune(.before(.token(store.engine.newestToken())))
    let error = #expect(throws: StoreError.self) { try store.engine.acknowledge(beginning, by: "nobody") }
    #expect(error?.code == .unknownReader)
    let reset = #expect(throws: StoreError.self) { try store.engine.resetReader("nobody", to: .beginning) }
    #expect(reset?.code == .unknownReader)
  }

  @Test(arguments: Engine.keeping)
  func `a reader begins where nothing is lost to it`(_ engine: Engine) throws {
    let store = try LawStore(engine)
    try store.take((1...4).map { #"{"id": \#($0)}"# })
    try store.take([#"{"id": 5}"#])
    var request = HistoryRequest()
    request.limit = 2
    let inside = try #require(store.engine.history(request).last?.token)
    try store.engine.addReader("copy", from: .beginning)
    for move in [
      { try store.engine.acknowledge(inside, by: "copy") },
      { try store.engine.addReader("x", from: .token(inside)) },
      { try store.engine.resetReader("copy", to: .token(inside)) },
    ] {
      let error = #expect(throws: StoreError.self) { try move() }
      #expect(
        error?.code == .badRequest
          && error?.reason
            == "the token \(inside) is inside a transaction; a reader's position is between transactions"
      )
    }
    for name in ["", String(repeating: "x", count: 101), "a\nb", "\u{1b}[31m"] {
      let error = #expect(throws: StoreError.self) { try store.engine.addReader(name, from: .now) }
      #expect(error?.reason == "a reader's name has 1 to 100 printable characters")
    }
    try store.engine.dropReader("copy")
    _ = try store.engine.prune(.keepingTransactions(1))
    let error = #expect(throws: StoreError.self) { try store.engine.addReader("copy", from: .beginning) }
    #expect(error?.code == .tokenExpired)
    let lock = try store.engine.lock(reader: "copy")
    let second = #expect(throws: StoreError.self) { _ = try store.engine.lock(reader: "copy") }
    #expect(second?.code == .locked && second?.reason == "another consumer of the reader 'copy' is running")
    withExtendedLifetime(lock) {}
  }

  @Test(arguments: Engine.allCases)
  func `names that are not there, or there already`(_ engine: Engine) throws {
    let store = try LawStore(engine)
    try store.engine.addReader("copy", from: .now)
    let known = #expect(throws: StoreError.self) { try store.engine.addReader("copy", from: .now) }
    #expect(known?.code == .badRequest)
    let unknown = #expect(throws: StoreError.self) { try store.engine.dropReader("nobody") }
    #expect(unknown?.code == .unknownReader)
  }

  @Test(arguments: Engine.allCases)
  func `a delivery hands over what is unread, and moves the reader only where all was taken`(
    _ engine: Engine
  ) throws {
    struct Stop: Error {}
    let store = try LawStore(engine)
    for id in 1...3 { try store.take(["{\"id\": \(id)}"]) }
    try store.engine.addReader("copy", from: .beginning)
    #expect(throws: Stop.self) {
      try store.engine.deliver(to: "copy", limit: nil) { transaction, _ in
        if transaction.number == 2 { throw Stop() }
      }
    }
    #expect(try store.engine.place(ofReader: "copy").number == 0)
    var numbers: [Int64] = []
    while let token = try store.engine.deliver(
      to: "copy", limit: 2,
      { transaction, _ in
        numbers.append(transaction.number)
        #expect(transaction.changes.count == 1)
      })
    {
      #expect(try store.engine.place(ofReader: "copy") == token)
    }
    #expect(numbers == [1, 2, 3])
  }
}
