internal import GRDB
public import StoreInterface

extension Store {
  /// The store's readers, by name, with how far each is behind.
  public func namedReaders() async throws -> [Reader] {
    try await answering { try $0.namedReaders() }
  }

  /// Adds a reader.
  ///
  /// - Throws: `StoreError` when there is one of that name, or the start is no place of this history.
  public func addReader(_ name: String, from start: Reader.Start) async throws {
    try await answering { try $0.addReader(name, from: start) }
  }

  /// Acknowledges everything up to a token. An older token than the reader's place changes nothing.
  ///
  /// - Throws: `StoreError` when there is no such reader, it cannot go on, or the token is no place of this history.
  public func acknowledge(_ token: HistoryToken, by name: String) async throws {
    try await answering { try $0.acknowledge(token, by: name) }
  }

  /// Lets a reader begin again somewhere, whatever its state.
  public func resetReader(_ name: String, to start: Reader.Start) async throws {
    try await answering { try $0.resetReader(name, to: start) }
  }

  /// Removes a reader. History is then kept for it no longer.
  public func dropReader(_ name: String) async throws {
    try await answering { try $0.dropReader(name) }
  }

  // MARK: On the calling thread

  /// The store's readers.
  package func namedReaders() throws -> [Reader] {
    try sealWherePossible()
    return try reading { try ReaderTable($0, path: path).all() }
  }

  /// The place from which a reader goes on.
  package func place(ofReader name: String) throws -> HistoryToken {
    try reading { try ReaderTable($0, path: path).place(of: name) }
  }

  /// Adds a reader.
  package func addReader(_ name: String, from start: Reader.Start) throws {
    try changingReaders { try $0.add(name, at: $0.token(start)) }
  }

  /// Acknowledges everything up to a token.
  package func acknowledge(_ token: HistoryToken, by name: String) throws {
    try changingReaders { table in
      try table.advance(name, from: table.place(of: name), to: table.token(.token(token)))
    }
  }

  /// Moves a reader from where its delivery began to where it ended, unless somebody else moved it meanwhile.
  ///
  /// Waits for other programs as long as it takes: what was delivered is not to be delivered again.
  /// - Parameter isCancelled: asked while waiting.
  package func acknowledge(
    _ token: HistoryToken, by name: String, from start: HistoryToken,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws {
    try changingReaders(waiting: .infinity, isCancelled: isCancelled) {
      try $0.advance(name, from: start, to: $0.token(.token(token)))
    }
  }

  /// Lets a reader begin at a token, after a snapshot; adds it where there is none. Waits as `acknowledge` does.
  package func begin(_ name: String, at token: HistoryToken) throws {
    try changingReaders(waiting: .infinity) { table in
      if try table.exists(name) {
        try table.put(name, at: table.token(.token(token)))
      } else {
        try table.add(name, at: table.token(.token(token)))
      }
    }
  }

  /// Lets a reader begin again somewhere.
  package func resetReader(_ name: String, to start: Reader.Start) throws {
    try changingReaders { try $0.put(name, at: $0.token(start)) }
  }

  /// Removes a reader.
  package func dropReader(_ name: String) throws {
    try changingReaders { try $0.drop(name) }
  }

  private func changingReaders(
    waiting seconds: Double? = nil, isCancelled: @escaping @Sendable () -> Bool = { false },
    _ body: (ReaderTable) throws -> Void
  ) throws {
    // A place in history is no object: what other programs' triggers keep from being sealed can wait.
    try sealWherePossible()
    try writing(waiting: seconds, isCancelled: isCancelled) { db in
      try db.inTransaction(.immediate) {
        try body(ReaderTable(db, path: path))
        return .commit
      }
    }
  }
}
