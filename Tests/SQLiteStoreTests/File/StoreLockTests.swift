import Foundation
import ImportModel
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// One import at a time works on a store.
struct StoreLockTests {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  private func lock(
    _ pipeline: String, wait: Double = 0, isCancelled: () -> Bool = { false }
  ) throws(StoreError) -> StoreLock {
    try StoreLock(store: temporary.path, pipeline: pipeline, wait: wait, isCancelled: isCancelled)
  }

  /// The file's second line; the first one is the newest token's.
  private var lockFile: String? {
    FileManager.default.contents(atPath: temporary.path + "-bolide")
      .map { String(decoding: $0.dropFirst(LastTokenFile.size), as: UTF8.self) }
  }

  private func write(holder: String) throws {
    try Data((String(repeating: " ", count: LastTokenFile.size - 1) + "\n" + holder).utf8).write(
      to: URL(fileURLWithPath: temporary.path + "-bolide"))
  }

  @Test func `The same pipeline is rejected at once, however long it would wait`() throws {
    let holder = try lock("quakes")
    var looks = 0
    let error = #expect(throws: StoreError.self) {
      try lock("quakes", wait: 600) {
        looks += 1
        return false
      }
    }
    #expect(error?.code == .locked && looks == 0)
    let sentence = error?.message
      .replacing(/process \d+/, with: "process N").replacing(/since [-\dT:.]+Z/, with: "since T")
    #expect(
      sentence
        == "\(temporary.path): the pipeline quakes (process N, since T) is running on this store")
    #expect(error?.message.contains("process \(getpid()),") == true)
    #expect(error?.hint == "Run the command again when it has finished.")
    withExtendedLifetime(holder) {}
  }

  @Test func `Another pipeline waits, and no longer than it said`() throws {
    let holder = try lock("quakes")
    var looks = 0
    let error = #expect(throws: StoreError.self) {
      try lock("other", wait: 0.1) {
        looks += 1
        return false
      }
    }
    #expect(error?.code == .locked && looks >= 3)
    #expect(error?.message.contains("the pipeline quakes") == true)
    withExtendedLifetime(holder) {}
  }

  @Test func `A wait ends when it is cancelled`() throws {
    let holder = try lock("quakes")
    var looks = 0
    let error = #expect(throws: StoreError.self) {
      try lock("other", wait: 600) {
        looks += 1
        return looks == 3
      }
    }
    #expect(error?.code == .locked && looks == 3)
    withExtendedLifetime(holder) {}
  }

  @Test func `The lock is free when its holder is gone`() throws {
    var holder: StoreLock? = try lock("quakes")
    #expect(holder != nil && lockFile?.hasSuffix(" quakes") == true)
    holder = nil
    #expect(lockFile == "")
    _ = try lock("quakes")
  }

  @Test func `The lock leaves the file's first line alone`() throws {
    let store = try temporary.open(Quakes.pipeline())
    let token = try #require(try store.take(Quakes.pipeline(), [["id": "a"]]).token)
    let memory = try #require(try store.writing { LastTokenFile($0) })
    let holder = try lock("quakes")
    #expect(try memory.read() == .token(token))
    let next = try #require(try store.take(Quakes.pipeline(), [["id": "b"]]).token)
    #expect(try memory.read() == .token(next) && lockFile?.hasSuffix(" quakes") == true)
    withExtendedLifetime(holder) {}
  }

  @Test func `Who waits gets the lock as soon as it is free`() throws {
    // The holder goes during the waiter's second look.
    var holder: StoreLock? = try lock("quakes")
    #expect(holder != nil)
    var looks = 0
    let second = try lock("other", wait: 600) {
      looks += 1
      if looks == 2 { holder = nil }
      return false
    }
    #expect(looks == 2 && lockFile?.hasSuffix(" other") == true)
    withExtendedLifetime(second) {}
  }

  @Test func `A rejected lock leaves the holder's file alone`() throws {
    let holder = try lock("quakes")
    let before = lockFile
    for _ in 0..<3 { #expect(throws: StoreError.self) { try lock("quakes") } }
    #expect(lockFile == before && before?.isEmpty == false)
    withExtendedLifetime(holder) {}
  }

  @Test func `A holder that died is not named`() throws {
    try write(holder: "99999999 2026-01-01T00:00:00.000Z ghost")
    let holder = try lock("quakes")
    #expect(lockFile?.contains("ghost") == false)
    // Another program may hold the lock without a word.
    try write(holder: "99999999 2026-01-01T00:00:00.000Z other")
    let error = #expect(throws: StoreError.self) { try lock("other") }
    #expect(error?.message == "\(temporary.path): another import is running on this store")
    withExtendedLifetime(holder) {}
  }

  @Test func `A store under two names has one lock`() throws {
    _ = try temporary.open(Quakes.pipeline())
    let link = temporary.folder.appendingPathComponent("link.sqlite").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: temporary.path)
    let holder = try lock("quakes")
    #expect(throws: StoreError.self) {
      try StoreLock(store: link, pipeline: "quakes", wait: 0, isCancelled: { false })
    }
    withExtendedLifetime(holder) {}
  }

  @Test func `A lock file that cannot be made is told`() {
    let path = temporary.folder.appendingPathComponent("missing/store.sqlite").path
    let error = #expect(throws: StoreError.self) {
      try StoreLock(store: path, pipeline: "quakes", wait: 0, isCancelled: { false })
    }
    #expect(error?.code == .readOnly)
    #expect(error?.message == "\(path)-bolide: the lock file cannot be created (No such file or directory)")
    #expect(error?.hint == "Check the owner of the store's folder.")
  }

  @Test func `A lock that cannot be taken is told`() {
    let error = StoreError.cannotLock("/a/store.sqlite-bolide", "No locks available")
    #expect(error.code == .inputOutput)
    #expect(error.message == "/a/store.sqlite-bolide: the store cannot be locked (No locks available)")
    #expect(
      error.hint
        == "Nothing was done. A store needs a file system that supports file locks.")
  }

  @Test func `A folder for a store in memory that cannot be made is told`() {
    let place = temporary.folder.appendingPathComponent("missing").path
    let error = #expect(throws: StoreError.self) { try MemoryFolder(in: place) }
    #expect(error?.code == .cannotOpen)
    #expect(error?.message.hasPrefix("\(place)/bolide-") == true)
    #expect(
      error?.message.hasSuffix(
        ": the folder for a temporary store cannot be created (No such file or directory)")
        == true)
  }
}
