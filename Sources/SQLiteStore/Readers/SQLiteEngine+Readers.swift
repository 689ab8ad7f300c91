internal import GRDB
package import StoreInterface

extension SQLiteEngine {
  package func checkWritable() throws { try writing { _ in } }

  /// The store's readers.
  package func namedReaders() throws -> [Reader] {
    try assignPendingChanges()
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
  package func acknowledge(_ token: HistoryToken, by name: String, from start: HistoryToken) throws {
    try changingReaders(waiting: .infinity) {
      try $0.advance(name, from: start, to: $0.token(.token(token)))
    }
  }

  /// Lets a reader begin at a token, after a snapshot; adds it where there is none. Waits as `acknowledge` does.
  package func begin(_ name: String, at token: HistoryToken) throws {
    try changingReaders(waiting: .infinity) { table in
      if try table.exists(name) {
        try table.put(name, at: .token(token))
      } else {
        try table.add(name, at: table.token(.token(token)))
      }
    }
  }

  /// Lets a reader begin again somewhere.
  package func resetReader(_ name: String, to start: Reader.Start) throws {
    try changingReaders { try $0.put(name, at: start) }
  }

  /// Removes a reader.
  package func dropReader(_ name: String) throws {
    try changingReaders { try $0.drop(name) }
  }

  private func changingReaders(waiting seconds: Double? = nil, _ body: (ReaderTable) throws -> Void) throws {
    // A place in history is no object: what other programs' triggers keep from a transaction can wait.
    try assignPendingChanges()
    try writing(waiting: seconds, isCancelled: { false }) { db in
      try db.inTransaction(.immediate) {
        try body(ReaderTable(db, path: path))
        return .commit
      }
    }
  }
}
