internal import Dispatch
internal import Foundation
internal import GRDB
internal import GRDBSQLite
public import ImportModel
internal import Synchronization

/// A store: an SQLite file with a model, the objects, and their history.
///
/// Any program may read and write the file with plain SQL; history and derived attributes stay true. A store may
/// be used from any thread and task.
public final class Store: Sendable {
  /// The file's path, as given.
  public let path: String
  /// The connections that read while the writer writes, opened by the first read.
  ///
  /// They go before the writer: only a connection that can write empties the WAL when it is the last to close.
  private let readers = Mutex<DatabasePool?>(nil)
  /// The one connection that writes. A queue, as GRDB's pools lower `synchronous` and write when they open.
  let writer: DatabaseQueue
  /// What SQLite opens: the path, or a URI where nobody can write.
  var location: String { writer.path }
  /// The file as it was when it was opened as one that nobody writes.
  private let unwritten: [String]?
  /// How long `writer` waits for other programs.
  private let patience: LockPatience
  /// Where a store in memory has its files; it goes after the connections.
  private let folder: MemoryFolder?

  /// Opens a store for a pipeline: makes the file when there is none, and adds what the model has more than it.
  ///
  /// - Throws: `PipelineError` when the pipeline has problems; `StoreError` when the file is not a store, has a
  ///   newer format, differs from the model in what would lose values, or cannot be opened.
  public convenience init(path: String, for pipeline: Pipeline) async throws {
    let patience = LockPatience(seconds: 600)
    let writer = try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try Self.prepare(path, pipeline, patience) })
      }
    }
    self.init(path: path, writer: writer, patience)
  }

  /// Makes a store that lives in memory and goes with the last reference to it: for tests and for trying things.
  ///
  /// All else is as with any store, as it is a file in a folder of its own: in the system's memory where Linux offers
  /// it, otherwise among the temporary files. `path` leads there. A process that is killed leaves it behind.
  /// - Throws: `PipelineError` when the pipeline has problems; `StoreError` when there is no room for it.
  public convenience init(inMemoryFor pipeline: Pipeline) async throws {
    let patience = LockPatience(seconds: 600)
    let (folder, writer) = try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Result {
            try Self.check(pipeline)
            let folder = try MemoryFolder()
            return (folder, try Self.prepare(folder.store, pipeline, patience))
          })
      }
    }
    self.init(path: folder.store, writer: writer, patience, in: folder)
  }

  /// Opens a store for a pipeline, on the calling thread.
  ///
  /// - Parameters:
  ///   - lockWait: how long to wait for another writer, in seconds.
  ///   - isCancelled: asked while waiting.
  package convenience init(
    blocking path: String, for pipeline: Pipeline, lockWait: Double,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws {
    let patience = LockPatience(seconds: lockWait)
    let writer = try patience.with(seconds: lockWait, isCancelled: isCancelled) {
      try Self.prepare(path, pipeline, patience)
    }
    self.init(path: path, writer: writer, patience)
  }

  /// Opens a store that is there, on the calling thread, to read its history or to seal it.
  package convenience init(reading path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else {
      throw StoreError.noSuchStore(path)
    }
    let patience = LockPatience(seconds: 10)
    let writer = try Self.open(path, patience)
    try Self.naming(path) { try writer.inDatabase { try Self.checkFormat($0, path) } }
    self.init(path: path, writer: writer, patience)
  }

  private init(path: String, writer: DatabaseQueue, _ patience: LockPatience, in folder: MemoryFolder? = nil)
  {
    self.path = path
    self.folder = folder
    self.writer = writer
    self.patience = patience
    unwritten = StoreLocation.isURI(writer.path, of: path) ? StoreLocation.state(of: path) : nil
  }

  /// Reads from one state of the store, while others write.
  func reading<Result>(_ body: (Database) throws -> Result) throws -> Result {
    let result = try naming { try pool().read(body) }
    try checkUnwritten()
    return result
  }

  /// Sees that what was read holds: SQLite does not look where it was told that nobody writes.
  func checkUnwritten() throws(StoreError) {
    if let unwritten, unwritten != StoreLocation.state(of: path) { throw .writtenMeanwhile(path) }
  }

  /// A connection of its own that stays in one state of the store.
  func makeSnapshot() throws -> DatabaseSnapshot {
    try naming { try pool().makeSnapshot() }
  }

  /// What a connection has that only reads.
  static var readingConfiguration: GRDB.Configuration {
    var configuration = GRDB.Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(10)
    configuration.prepareDatabase { TextFunctions.add(to: $0) }
    return configuration
  }

  private func pool() throws -> DatabasePool {
    try readers.withLock { readers in
      if let readers { return readers }
      let pool = try DatabasePool(path: location, configuration: Self.readingConfiguration)
      readers = pool
      return pool
    }
  }

  /// Writes, or looks at what only the writer may see. The caller begins and ends transactions.
  func writing<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try naming { try writer.inDatabase(body) }
  }

  /// As `writing`, with another patience for other programs' locks.
  func writing<Result>(
    waiting seconds: Double, isCancelled: @escaping @Sendable () -> Bool, _ body: (Database) throws -> Result
  ) throws -> Result {
    try writing { db in
      try patience.with(seconds: seconds, isCancelled: isCancelled) { try body(db) }
    }
  }

  private static func prepare(
    _ path: String, _ pipeline: Pipeline, _ patience: LockPatience
  ) throws -> DatabaseQueue {
    try check(pipeline)
    let isNew = !FileManager.default.fileExists(atPath: path)
    let writer = try open(path, patience)
    try naming(path) {
      if isNew { try writer.inDatabase { try keepPrivate($0, path) } }
      try fit(writer, pipeline, path)
    }
    return writer
  }

  /// A new store is its owner's alone: refused records are kept in it as they came.
  ///
  /// Before there is a WAL, which takes over the file's mode. By name, as no descriptor may be opened here.
  private static func keepPrivate(_ db: Database, _ path: String) throws {
    // The first look makes the file.
    _ = try db.value("SELECT count(*) FROM sqlite_schema")
    chmod(path, S_IRUSR | S_IWUSR)
  }

  /// Gives a store what a pipeline's model has more and otherwise, as far as nothing is lost.
  ///
  /// - Throws: as `init(path:for:)`.
  package func fit(_ pipeline: Pipeline) throws {
    try Self.check(pipeline)
    try naming { try Self.fit(writer, pipeline, path) }
  }

  static func check(_ pipeline: Pipeline) throws(PipelineError) {
    var problems = pipeline.problems()
    if problems.isEmpty { problems = pipeline.expressionProblems() }
    guard problems.isEmpty else { throw PipelineError(problems: problems) }
  }

  private static func fit(_ writer: DatabaseQueue, _ pipeline: Pipeline, _ path: String) throws {
    try writer.inDatabase { db in
      if try db.value("SELECT count(*) FROM sqlite_schema") != .integer(0) {
        try checkFormat(db, path)
        let stored = try StoredModel(db)
        let update = try SchemaUpdate(stored: stored, declared: pipeline)
        try update.checkConflicts()
        // The usual case takes no lock.
        if update.isEmpty { return }
        // The update makes all triggers anew: that some were missing would never be noticed.
        _ = try TriggerCare.restore(db, model: stored.model)
      } else {
        // A file that is another program's keeps its mode; a store of ours was made in this one.
        try db.run("PRAGMA journal_mode = WAL")
      }
      try db.inTransaction(.immediate) {
        // Another process may have been here in between.
        if try db.value("SELECT count(*) FROM sqlite_schema") == .integer(0) { try StoreSchema.create(db) }
        try checkFormat(db, path)
        let update = try SchemaUpdate(stored: StoredModel(db), declared: pipeline)
        try update.checkConflicts()
        try update.checkAge(StoredModel.earlier(db))
        if !update.isEmpty { try update.apply(db) }
        return .commit
      }
    }
  }

  private static func open(_ path: String, _ patience: LockPatience) throws -> DatabaseQueue {
    // SQLite takes these for a database that each connection has for itself.
    if path.isEmpty || path == ":memory:" { throw StoreError.noFile(path) }
    var configuration = GRDB.Configuration()
    configuration.busyMode = .callback { patience.waits($0) }
    configuration.prepareDatabase { db in
      TextFunctions.add(to: db)
      // The page size counts only while the file is empty: WAL cannot change it later.
      try db.execute(
        sql: """
          PRAGMA page_size = 16384;
          PRAGMA synchronous = FULL;
          PRAGMA cache_size = -16384;
          PRAGMA trusted_schema = OFF;
          """)
    }
    return try naming(path) {
      do {
        return try DatabaseQueue(path: path, configuration: configuration)
      } catch let error as DatabaseError {
        guard [.SQLITE_CANTOPEN, .SQLITE_READONLY].contains(error.resultCode),
          let location = StoreLocation.sealedOff(path)
        else { throw error }
        return try DatabaseQueue(path: location, configuration: configuration)
      }
    }
  }

  /// - Parameter schema: which of the connection's files.
  static func checkFormat(_ db: Database, _ path: String, schema: String = "main") throws {
    let mark = try db.value("PRAGMA \(schema).application_id")
    guard mark == .integer(StoreSchema.applicationID) else {
      throw StoreError.notAStore(path)
    }
    guard case .integer(let format) = try db.value("PRAGMA \(schema).user_version"),
      format <= StoreSchema.format
    else {
      throw StoreError.newerFormat(path)
    }
  }

  /// Says which file an error is about.
  func naming<Result>(_ body: () throws -> Result) throws -> Result {
    try Self.naming(path, body)
  }

  static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw StoreError(error).about(path)
    } catch let error as StoreError {
      throw error.about(path)
    }
  }
}

extension StoreError {
  /// The same error with the file's name before the sentence, unless it stands there or the error is an input's.
  package func about(_ path: String) -> StoreError {
    message.hasPrefix(path) || code == .keyExists ? self : StoreError(code, "\(path): \(message)", hint: hint)
  }
}

extension Store {
  /// The version of the system's SQLite, as in `3.40.1`.
  package static var sqliteVersion: String { String(cString: sqlite3_libversion()) }
}
