/// What a fetch needs of a store.
package protocol QueryEngine: EngineIdentity {
  /// Hands over the objects of a request, in batches where the request has a size for them.
  ///
  /// - Parameter token: the place in history; nil for now.
  func readRows(
    _ request: ObjectQuery, at token: HistoryToken?, _ body: (Snapshot.Row) throws -> Void) throws

  /// Hands over the objects' cells from one state, behind what they are.
  ///
  /// - Parameters:
  ///   - begin: called once, before the first row.
  ///   - row: called for each object; the cells are valid during the call.
  func readCells(
    _ request: ObjectQuery, at token: HistoryToken?, begin: (RowLayout) throws -> Void,
    row: (any FetchedRow) throws -> Void
  ) throws

  /// A row like those of a request: of its first object, or where there is none, and for groups, with values that are made
  /// up. It has what is brought along, and for fetched properties no objects.
  func exampleRow(of request: ObjectQuery) throws -> Snapshot.Row

  /// How many objects a request asks for.
  func readCount(_ request: ObjectQuery, at token: HistoryToken?) throws -> Int

  /// What happened to a request's answer between two places of history.
  func difference(
    of request: ObjectQuery, from older: HistoryToken, to newer: HistoryToken
  ) throws -> FetchDifference

  /// Pins a state of the store as long as the result is held.
  ///
  /// - Parameter token: a place in history, not later than the newest; nil for that.
  func pinState(at token: HistoryToken?) throws -> any StatePin

  /// Reads everything, with the token from which changes lead on, from one state.
  ///
  /// - Parameters:
  ///   - entities: which entities; empty for all.
  ///   - begin: called once, before the first row.
  ///   - row: called for each row, by entity and id.
  func readSnapshot(
    of entities: [String], begin: (Snapshot) throws -> Void, row: (Snapshot.Row) throws -> Void
  ) throws

  /// Begins to read a request's objects in pages: from one state, or from one for each where the request has a size for
  /// batches.
  func openRows(_ request: ObjectQuery, at token: HistoryToken?) throws -> any RowPages

  /// Begins to read everything in pages, as `readSnapshot`.
  func openSnapshot(of entities: [String]) throws -> (Snapshot, any RowPages)

  /// Writes a snapshot as a file of its own.
  @discardableResult
  func writeSnapshot(of entities: [String], to file: String) throws -> Snapshot
}

/// A state of a store that can be read while imports go on.
package protocol StatePin: AnyObject, Sendable {
  /// The state's place in history.
  var token: HistoryToken { get }

  /// The objects of a request.
  func rows(_ request: ObjectQuery) throws -> [Snapshot.Row]

  /// How many objects a request asks for.
  func count(_ request: ObjectQuery) throws -> Int
}

/// Rows that are read a page at a time. What is held between two pages goes with the last reference.
package protocol RowPages: AnyObject, Sendable {
  /// The next rows; none at the end.
  ///
  /// - Throws: `StoreError.closed` where the store was closed.
  func next() throws -> [Snapshot.Row]

  /// Lets go of what is held between two pages. May be called from any thread; waits for a page that is being read.
  func end()
}
