internal import Foundation
package import GRDB
internal import GRDBSQLite
package import ImportModel
internal import ModelMerging
internal import RowExpressions
internal import SQLiteAccess
package import StoreInterface
internal import Synchronization
package import TypedRows

/// An SQLite file with a model, the objects, and their history.
///
/// Any program may read and write the file with plain SQL; history and derived attributes stay true. It may be used from
/// any thread.
package final class SQLiteEngine: ImportEngine, HistoryEngine, ReaderEngine {
  package static let engineName = "SQLite"

  /// The file's path, as given.
  package let path: String
  /// What SQLite opens to read.
  package let location: String
  /// The connections that read while the writer writes, opened by the first read.
  private let readers = Mutex<DatabasePool?>(nil)
  /// The one connection that writes, opened by the first writing: a command that only reads opens no file to be written.
  ///
  /// It goes after the readers: only a connection that can write empties the WAL when it is the last to close. A queue, as
  /// GRDB's pools lower `synchronous` and write when they open.
  private let writer: Mutex<WritingConnection?>
  private let turn = WriterTurn()
  /// What is read in pages, until `close()` is called.
  package let openPages = OpenPages()
  /// Whether it is never to be written.
  private let isReadOnly: Bool
  /// The file as it was when it was opened as one that nobody writes.
  private let unwritten: [String]?
  /// How long `writer` waits for other programs.
  private let patience: LockTimeout
  /// Whether triggers of other programs may use virtual tables and functions that SQLite takes for unsafe.
  private let trustsSchema: Bool
  /// Stores outside this one's folder that its fetched properties may lead to, as they name them.
  package let trustedStores: Set<String>
  /// Where a store in memory has its files; it goes after the connections.
  private let folder: MemoryFolder?

  /// Makes a store that lives in memory and goes with the last reference to it: for tests and for trying things.
  ///
  /// All else is as with any store, as it is a file in a folder of its own: in the system's memory where Linux offers
  /// it, otherwise among the temporary files. `path` leads there. A process that is killed leaves it behind.
  /// - Throws: `PipelineError` when the pipeline has problems; `StoreError` when there is no room for it.
  package convenience init(inMemoryFor pipeline: Pipeline) throws {
    let patience = LockTimeout(seconds: 600)
    try Self.check(pipeline)
    let folder = try MemoryFolder()
    let writer = try Self.prepare(folder.store, pipeline, patience, false)
    self.init(path: folder.store, writer: writer, patience, trusting: pipeline.namedStores, in: folder)
  }

  /// Opens a store for a pipeline, on the calling thread.
  ///
  /// - Parameters:
  ///   - lockWait: how long to wait for another writer, in seconds.
  ///   - trustsSchema: as `Store.init(path:for:trustsSchema:)`.
  package convenience init(
    blocking path: String, for pipeline: Pipeline, lockWait: Double, trustsSchema: Bool = false
  ) throws {
    let patience = LockTimeout(seconds: lockWait)
    let writer = try Self.prepare(path, pipeline, patience, trustsSchema)
    self.init(
      path: path, writer: writer, patience, trustsSchema: trustsSchema, trusting: pipeline.namedStores)
  }

  /// Opens a store that is there, on the calling thread. It is opened to be written only when something is.
  ///
  /// - Parameters:
  ///   - trustsSchema: as `Store.init(path:for:trustsSchema:)`.
  ///   - stores: other stores that fetched properties may lead to, as these name them, wherever they are.
  ///   - isReadOnly: whether what writes is refused, as where the file cannot be written.
  ///   - lockWait: how long to wait for another writer, in seconds.
  package convenience init(
    reading path: String, trustsSchema: Bool = false, stores: Set<String> = [], isReadOnly: Bool = false,
    lockWait: Double = 10
  ) throws {
    try Self.checkName(path)
    guard let file = FileFacts(path) else { throw StoreError.noSuchStore(path) }
    // A pipe would be waited for.
    guard file.isRegular else { throw StoreError.noFile(path) }
    try Journals.check(of: path)
    try LogOrigin.check(of: path)
    self.init(
      path: path, writer: nil, LockTimeout(seconds: lockWait), trustsSchema: trustsSchema, trusting: stores,
      isReadOnly: isReadOnly)
    try reading { try ReceivedSchema.check($0, path) }
  }

  init(
    path: String, writer: DatabaseQueue?, _ patience: LockTimeout, trustsSchema: Bool = false,
    trusting stores: Set<String> = [], in folder: MemoryFolder? = nil, isReadOnly: Bool = false
  ) {
    (self.path, self.folder) = (path, folder)
    self.writer = Mutex(writer.map(WritingConnection.init))
    self.patience = patience
    self.trustsSchema = trustsSchema
    self.isReadOnly = isReadOnly
    trustedStores = stores
    location = StoreLocation.reading(path)
    unwritten = StoreLocation.isUnwritten(location, of: path) ? StoreLocation.state(of: path) : nil
  }

  /// Reads from one state of the store, while others write.
  package func reading<Result>(_ body: (Database) throws -> Result) throws -> Result {
    let result = try naming { try pool().read(body) }
    try checkUnwritten()
    return result
  }

  /// Sees that what was read holds: SQLite does not look where it was told that nobody writes.
  package func checkUnwritten() throws(StoreError) {
    if let unwritten, unwritten != StoreLocation.state(of: path) { throw .writtenMeanwhile(path) }
  }

  /// A connection of its own that stays in one state of the store.
  package func makeSnapshot() throws -> DatabaseSnapshot {
    try naming { try pool().makeSnapshot() }
  }

  private func pool() throws -> DatabasePool {
    try readers.withLock { readers in
      if let readers { return readers }
      try checkOpen()
      try SpareDescriptors.check(for: path)
      let pool = try DatabasePool(path: location, configuration: Connection.reading)
      readers = pool
      return pool
    }
  }

  /// Writes, or looks at what only the writer may see. The caller begins and ends transactions.
  package func writing<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try writing(waiting: nil, isCancelled: { false }, body)
  }

  /// As `writing`, with another patience for other writers: calls of this process, and other programs' locks.
  package func writing<Result>(
    waiting seconds: Double?, isCancelled: @escaping @Sendable () -> Bool, _ body: (Database) throws -> Result
  ) throws -> Result {
    try turn.taking(waiting: seconds ?? patience.seconds, isCancelled: isCancelled) { [patience] in
      try patience.with(seconds: seconds, isCancelled: isCancelled) {
        try naming { try openWriter().run(body) }
      }
    }
  }

  private func openWriter() throws -> WritingConnection {
    try checkOpen()
    if let writer = writer.withLock({ $0 }) { return writer }
    guard !isReadOnly else { throw StoreError(result: SQLITE_READONLY, text: "").about(path) }
    let opened = WritingConnection(try Self.open(path, patience, trustsSchema))
    try opened.run { try ReceivedSchema.check($0, path) }
    writer.withLock { $0 = opened }
    return opened
  }

  /// Closes the connection that writes, until something is written again: who only waits must not keep one, as it would copy
  /// an old log into a file that is restored meanwhile.
  package func endWriting() { writer.withLock { $0 = nil } }

  /// Closes the files, the readers' first; what is reading or writing ends before.
  package func close() throws {
    openPages.close()
    let pool = readers.withLock { $0.take() }
    try Self.naming(path) { try pool?.close() }
    try turn.taking(waiting: patience.seconds, isCancelled: { false }) {
      do {
        try writer.withLock { $0 }?.close()
        endWriting()
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
        throw StoreError.importing(into: path)
      }
    }
  }

  /// - Throws: `StoreError` of the code `closed` where `close()` was called.
  package func checkOpen() throws(StoreError) {
    if openPages.isClosed { throw .closed(path) }
  }

  private static func prepare(
    _ path: String, _ pipeline: Pipeline, _ patience: LockTimeout, _ trustsSchema: Bool
  ) throws -> DatabaseQueue {
    try check(pipeline)
    try checkName(path)
    if let file = FileFacts(path) {
      guard file.isRegular else { throw StoreError.noFile(path) }
    } else {
      try checkCreation(path, pipeline.settings.storeCreation)
      try make(path, pipeline, patience)
    }
    let writer = try open(path, patience, trustsSchema)
    try naming(path) { try fit(writer, pipeline, path) }
    return writer
  }

  /// Sees that a store that is not there may be made.
  package static func checkCreation(_ path: String, _ creation: StoreCreation) throws {
    switch creation {
    case .always: return
    case .never: throw StoreError.notToBeMade(path)
    case .ifNew:
      guard case .token(let token) = try LastTokenFile(store: path).read() else { return }
      throw StoreError.storeGone(path, token)
    }
  }

  /// Makes a store, unless another process does so at the same moment: whole, or not at all.
  ///
  /// It is its owner's alone from its first byte, as rejected records are kept in it as they came.
  static func make(_ path: String, _ pipeline: Pipeline, _ patience: LockTimeout) throws {
    let target = StoreLocation.destination(of: path)
    try Journals.checkNone(at: target)
    let file = try UnfinishedFile(for: target, mode: 0o600)
    try naming(path) {
      let queue = try DatabaseQueue(
        path: StoreLocation.writing(file.path),
        configuration: Connection.writing(patience, trustsSchema: false))
      try fit(queue, pipeline, path)
      // Closing does so too, and says nothing where it fails: what is in the log alone would stay behind.
      try queue.inDatabase(WriteAheadLog.copyBack)
      try queue.close()
    }
    _ = try file.place(at: target, replacing: false)
  }

  /// Gives a store what a pipeline's model has more and otherwise, as far as nothing is lost.
  ///
  /// - Throws: as `Store.init(path:for:trustsSchema:)`.
  package func fit(_ pipeline: Pipeline) throws {
    try Self.check(pipeline)
    try writing { try Self.fit($0, pipeline, path) }
  }

  /// Sees that the store could hold a pipeline's model, and changes nothing.
  package func checkFit(_ pipeline: Pipeline) throws {
    let problems = pipeline.sizeProblems()
    guard problems.isEmpty else { throw PipelineError(problems: problems) }
    try writing { db in
      try ModelUpdate(stored: ModelRecord(db), declared: pipeline).checkConflicts(db)
    }
  }

  package static func check(_ pipeline: Pipeline) throws(PipelineError) {
    let problems = pipeline.problems()
    guard problems.isEmpty else { throw PipelineError(problems: problems) }
  }

  private static func fit(_ writer: DatabaseQueue, _ pipeline: Pipeline, _ path: String) throws {
    try writer.inDatabase { try fit($0, pipeline, path) }
  }

  private static func fit(_ db: Database, _ pipeline: Pipeline, _ path: String) throws {
    if try db.value("SELECT count(*) FROM sqlite_schema") != .integer(0) {
      try ReceivedSchema.check(db, path)
      if try db.value("PRAGMA journal_mode") != .text("wal") { try takeLog(db) }
      let stored = try ModelRecord(db)
      let update = try ModelUpdate(stored: stored, declared: pipeline)
      try update.checkConflicts(db)
      // The usual case takes no lock.
      if try update.isEmpty && UnfinishedColumns(db).begun(by: pipeline).isEmpty { return }
      // The update makes all triggers anew: that some were missing would never be noticed.
      _ = try TriggerMaintenance.restore(db, model: stored.model)
      try ColumnFilling(db, for: pipeline).run()
    } else {
      // A file that is another program's keeps its mode; a store of ours was made in this one.
      try db.run("PRAGMA journal_mode = WAL")
    }
    try db.inTransaction(.immediate) {
      // Another process may have been here in between.
      if try db.value("SELECT count(*) FROM sqlite_schema") == .integer(0) { try StoreSchema.create(db) }
      try checkFormat(db, path)
      let update = try ModelUpdate(stored: ModelRecord(db), declared: pipeline)
      try update.checkConflicts(db)
      try update.checkAge(ModelRecord.earlier(db))
      try update.apply(db)
      return .commit
    }
  }

  /// SQLite takes these for a database that each connection has for itself.
  private static func checkName(_ path: String) throws(StoreError) {
    if path.isEmpty || path == ":memory:" { throw .noFile(path) }
  }

  /// Opens a file that is there, to write it.
  package static func open(_ path: String, _ patience: LockTimeout, _ trustsSchema: Bool) throws
    -> DatabaseQueue
  {
    try Journals.checkForWriting(of: path)
    // Here, where somebody can still be told.
    _ = try LastTokenFile(store: path).read()
    try LogOrigin.check(of: path)
    // SQLite would open the file all the same, and leave files beside it that its owner cannot write.
    guard access(path, W_OK) == 0, access(StoreLocation.folder(of: path), W_OK) == 0 else {
      throw StoreError(result: SQLITE_READONLY, text: "").about(path)
    }
    return try naming(path) {
      try DatabaseQueue(
        path: StoreLocation.writing(path),
        configuration: Connection.writing(patience, trustsSchema: trustsSchema))
    }
  }

  /// Says which file an error is about; what SQLite does not find where another program has changed the schema is told as that.
  package func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try Self.naming(path, body)
    } catch let error as StoreError where error.code == .other {
      let drift = try? pool().read { try SchemaDrift($0, ModelRecord($0).model) }
      try Self.naming(path) { try drift?.check() }
      throw error
    }
  }

  package static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw (error.resultCode == .SQLITE_CANTOPEN ? .notOpened(path) : StoreError(error)).about(path)
    } catch let error as StoreError {
      throw error.about(path)
    }
  }
}

extension SQLiteEngine {
  /// The version of the system's SQLite, as in `3.40.1`.
  package static var sqliteVersion: String { String(cString: sqlite3_libversion()) }

  package func beginImport(
    _ pipeline: Pipeline, input: String, settings: ImportSettings,
    sameJSON: @escaping ChunkLayout.TextEquality, isCancelled: @escaping @Sendable () -> Bool
  ) throws -> any ImportSession {
    try SQLiteImport(
      self, pipeline, input: input, settings: settings, sameJSON: sameJSON, isCancelled: isCancelled)
  }
}
