import Foundation
import ImportModel
@testable import SQLiteAccess
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// What lies beside a store is used only when it can be the store's own.
@Suite struct SideFileTests {
  private let temporary: TemporaryStore
  private let victim: String

  init() throws {
    temporary = try TemporaryStore()
    _ = try temporary.open(Quakes.pipeline()).take(Quakes.pipeline(), [["id": "a"]])
    victim = temporary.folder.appending(path: "victim.txt").path
    try "a text of somebody's".write(toFile: victim, atomically: false, encoding: .utf8)
    chmod(victim, 0o640)
  }

  private let hint =
    "Nothing was written. Find out which program created it, remove it, and run the command again."

  /// Puts something in the place of a file beside the store.
  private func replace(_ ending: String, _ make: (String) -> Int32) throws {
    let path = temporary.path + ending
    unlink(path)
    try #require(make(path) == 0)
  }

  private func refused(_ body: () throws -> Void) -> StoreError? {
    #expect(throws: StoreError.self, performing: body)
  }

  private func expectUntouched() throws {
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "a text of somebody's")
    #expect(FileFacts(victim)?.mode == 0o640)
  }

  @Test(arguments: ["-bolide", "-wal", "-shm", "-journal"])
  func `A link, a hard link, a pipe or a folder beside a store is left alone and said`(_ ending: String)
    throws
  {
    let cases: [((String) -> Int32, String)] = [
      ({ symlink(self.victim, $0) }, "is a symbolic link"),
      ({ link(self.victim, $0) }, "has several hard links"),
      ({ mkfifo($0, 0o666) }, "is not a regular file"),
      ({ mkdir($0, 0o777) }, "is not a regular file"),
    ]
    for (make, what) in cases {
      try replace(ending, make)
      let error = refused { _ = try temporary.open(Quakes.pipeline()) }
      #expect(error?.code == .unsafeFile && error?.hint == hint)
      #expect(error?.message == "\(temporary.path)\(ending): the file beside the store \(what)")
      try expectUntouched()
      rmdir(temporary.path + ending)
    }
  }

  @Test func `Another user's file is rejected, unless that user could write the store`() throws {
    let own = FileFacts(temporary.path)
    try #require(own != nil)
    // Whose it is stands in the file's facts; only root could make one for real.
    guard geteuid() == 0 else { return }
    let path = temporary.path + "-bolide"
    chown(path, 4242, 4242)
    let error = refused { _ = try temporary.open(Quakes.pipeline()) }
    #expect(error?.message == "\(path): the file beside the store belongs to another user")
    chmod(temporary.path, 0o666)
    _ = try temporary.open(Quakes.pipeline())
  }

  @Test func `Who may not write the store may not take its lock`() throws {
    for (mode, beside) in [(0o600, 0o600), (0o644, 0o600), (0o660, 0o660), (0o664, 0o660), (0o666, 0o666)] {
      chmod(temporary.path, mode_t(mode))
      let lock = try StoreLock(store: temporary.path, pipeline: "q", wait: 0, isCancelled: { false })
      #expect(FileFacts(temporary.path + "-bolide")?.mode == mode_t(beside))
      withExtendedLifetime(lock) {}
    }
  }

  @Test func `A journal that names a further file is rejected by who writes, and the file stays`() throws {
    let journal = temporary.path + "-journal"
    let name = Array(victim.utf8)
    let sum = name.reduce(UInt32(0)) { $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }
    func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian, Array.init) }
    let mark: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    let header = mark + [0, 1, 4096, 512, 4096].flatMap(number)
    let bytes =
      header + [UInt8](repeating: 0, count: 512 - header.count) + number(1 << 18) + name
      + number(UInt32(name.count)) + number(sum) + mark
    try Data(bytes).write(to: URL(filePath: journal))
    let error = refused { _ = try temporary.open(Quakes.pipeline()) }
    #expect(error?.code == .unsafeFile)
    #expect(
      error?.message
        == "\(journal): the rollback journal beside the store names another file, which SQLite would delete"
    )
    #expect(
      error?.hint
        == "Bolide never creates such a journal. Find out which program did, and remove the journal.")
    try expectUntouched()
    #expect(FileManager.default.fileExists(atPath: journal))
  }

  @Test func `Who only reads leaves a hot journal alone`() throws {
    let path = temporary.folder.appending(path: "plain.sqlite").path
    // A store that was switched to a journal, and killed in the middle of a transaction.
    _ = try temporary.shell("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE;")
    let script = """
      import os, shutil, sqlite3, sys
      db = sqlite3.connect(sys.argv[1], isolation_level=None)
      db.execute("PRAGMA cache_size = 1")
      db.execute("PRAGMA cache_spill = 1")
      db.execute("BEGIN IMMEDIATE")
      db.execute("CREATE TABLE filler(a)")
      db.executemany("INSERT INTO filler VALUES (zeroblob(9000))", [()] * 200)
      for ending in "", "-journal":
        shutil.copy(sys.argv[1] + ending, sys.argv[2] + ending)
      """
    _ = try temporary.python(script, [path])
    try #require(fileSize(path + "-journal") > 0)
    let error = refused { _ = try SQLiteEngine(reading: path) }
    #expect(
      error?.message
        == "\(path): there is a rollback journal beside the store, which only a command that writes can use")
    #expect(
      error?.hint
        == "If the journal belongs to the store, import into the store; otherwise remove it.")
    #expect(fileSize(path + "-journal") > 0)
    // It is the store's own, so who writes recovers by it.
    let store = try SQLiteEngine(blocking: path, for: Quakes.pipeline(), lockWait: 1)
    #expect(try store.reading { try $0.integer("SELECT count(*) FROM Quake") } == 1)
    #expect(fileSize(path + "-journal") == 0)
  }

  @Test func `A new store is whole or not there, its owner's alone, and leaves nothing beside it`() throws {
    let folder = temporary.folder.appending(path: "new")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let path = folder.appending(path: "store.sqlite").path
    // What a process that was killed has left; one that is at work has it locked.
    let (left, used) = (folder.path + "/.bolide-new-left", folder.path + "/.bolide-new-used")
    try Data().write(to: URL(filePath: left))
    for ending in ["-wal", "-lock"] { try Data().write(to: URL(filePath: left + ending)) }
    try Data().write(to: URL(filePath: used))
    let descriptor = Glibc.open(used + "-lock", O_RDWR | O_CREAT, 0o600)
    try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    defer { close(descriptor) }
    let store = try SQLiteEngine(blocking: path, for: Quakes.pipeline(), lockWait: 1)
    #expect(FileFacts(path)?.mode == 0o600 && FileFacts(path)?.links == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(
      Set(names).subtracting(["store.sqlite-wal", "store.sqlite-shm"]) == [
        "store.sqlite", ".bolide-new-used", ".bolide-new-used-lock",
      ])
    withExtendedLifetime(store) {}
  }

  @Test func `Of several that make a store at once, all get the same one`() throws {
    let path = temporary.folder.appending(path: "same.sqlite").path
    let names = try (0..<8).concurrently { _ in
      try SQLiteEngine(blocking: path, for: Quakes.pipeline(), lockWait: 10).reading {
        try $0.value("SELECT id FROM bolide_store")
      }
    }
    #expect(Set(names).count == 1)
  }

  /// Each removes what killed processes left while the others make, lock and place their files.
  @Test func `No file that is being made is taken for one that was left`() throws {
    let folder = temporary.folder
    let placed = try (0..<8).concurrently { thread in
      try (0..<200).allSatisfy { number in
        let target = folder.appending(path: "\(thread)-\(number)").path
        let file = try UnfinishedFile(for: target, mode: 0o600)
        return try FileFacts(file.path) != nil && file.place(at: target, replacing: false)
      }
    }
    #expect(placed.allSatisfy { $0 })
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(".") } == [])
  }

  @Test func `A file is not replaced unless that is meant`() throws {
    let file = try UnfinishedFile(for: victim, mode: 0o600)
    #expect(try !file.place(at: victim, replacing: false))
    try expectUntouched()
    let other = try UnfinishedFile(for: victim, mode: 0o604)
    #expect(try other.place(at: victim, replacing: true))
    #expect(FileFacts(victim)?.mode == 0o604 && fileSize(victim) == 0)
  }

  @Test func `A path that begins like a URI is a path`() throws {
    let before = FileManager.default.currentDirectoryPath
    let path = temporary.folder.appending(path: "file:x.sqlite?mode=memory").path
    _ = try SQLiteEngine(blocking: path, for: Quakes.pipeline(), lockWait: 1)
    #expect(fileSize(path) > 0)
    #expect(StoreLocation.reading("file:x?mode=memory").hasPrefix("file:file%3ax%3fmode%3dmemory?"))
    #expect(FileManager.default.currentDirectoryPath == before)
  }
}

extension Range<Int> {
  /// Does something with each number on a thread of its own.
  fileprivate func concurrently<Result: Sendable>(_ body: @escaping @Sendable (Int) throws -> Result) throws
    -> [Result]
  {
    nonisolated(unsafe) var results: [Int: Swift.Result<Result, any Error>] = [:]
    let lock = NSLock()
    DispatchQueue.concurrentPerform(iterations: count) { index in
      let result = Swift.Result { try body(index) }
      lock.withLock { results[index] = result }
    }
    return try results.values.map { try $0.get() }
  }
}
