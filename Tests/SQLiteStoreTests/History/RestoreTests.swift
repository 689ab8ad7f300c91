import Foundation
import ImportModel
import Testing

import SQLiteMaintenance
@testable import SQLiteStore
@testable import StoreInterface

/// A store that was put back to an older state is noticed, and nobody follows the wrong history.
struct RestoreTests {
  private let temporary: TemporaryStore
  private let pipeline = Quakes.pipeline()

  init() throws { temporary = try TemporaryStore() }

  /// Imports one quake by its name, on a connection of its own.
  @discardableResult
  private func take(_ id: String) throws -> HistoryToken {
    try #require(try temporary.open(pipeline).take(pipeline, [["id": .text(id)]]).token)
  }

  private func answer(_ token: HistoryToken) throws -> StoreError.Code? {
    do {
      _ = try Replay(temporary.open(pipeline), after: token)
      return nil
    } catch let error as StoreError {
      return error.code
    }
  }

  /// Whether the reader was told to begin again.
  private func isDiverged() throws -> Bool {
    try temporary.shell("SELECT diverged FROM bolide_reader") == "1\n"
  }

  private func addReader(at token: HistoryToken) throws {
    try temporary.shell(
      "INSERT INTO bolide_reader VALUES ('map', \(token.number), '\(token.nonce)', 0, '', '')")
  }

  @Test func `A restored backup: its own tokens hold, the lost ones have diverged, no number comes again`()
    throws
  {
    let first = try take("a")
    try addReader(at: first)
    try temporary.copyFiles(to: "backup")
    let second = try take("b")
    let third = try take("c")
    #expect(third.number == 3)
    try temporary.restoreFiles(from: "backup")
    let fourth = try take("d")
    #expect(fourth.number == 4)
    #expect(try answer(second) == .tokenDiverged && answer(third) == .tokenDiverged)
    #expect(try answer(first) == nil && answer(fourth) == nil)
    #expect(try isDiverged())
    // What the older token's holder gets is this store's content, without a gap.
    let rest = try Replay(temporary.open(pipeline), after: first)
    #expect(rest.changes.map { $0.key.map(\.value) } == [["d"]])
    #expect(try Replay(temporary.open(pipeline)).problems() == [])
  }

  @Test func `A restore is noticed by a reader that assigns too, before anything is written`() throws {
    let first = try take("a")
    try addReader(at: first)
    try temporary.copyFiles(to: "backup")
    let second = try take("b")
    try temporary.restoreFiles(from: "backup")
    #expect(try SQLiteEngine(reading: temporary.path).assignPending() == nil)
    #expect(try isDiverged() && answer(second) == .tokenDiverged)
    // Noticed once: a reader that began again meanwhile stays in peace.
    try temporary.shell("UPDATE bolide_reader SET diverged = 0")
    try take("c")
    #expect(try !isDiverged())
  }

  @Test(arguments: ["import", "fit", "migrate", "rebuild"])
  func `A restored backup without a trigger is noticed before its gap takes a number`(by way: String) throws {
    let first = try take("a")
    try addReader(at: first)
    try temporary.shell("DROP TRIGGER bolide_Quake_update")
    try temporary.copyFiles(to: "backup")
    let lost = try take("b")
    try temporary.restoreFiles(from: "backup")
    let grown = Quakes.pipeline {
      $0[entity: "Quake"].attributes.append(Attribute(name: "felt", type: .integer32))
    }
    switch way {
    case "import": try take("c")
    case "fit": _ = try temporary.open(grown)
    case "migrate": _ = try SQLiteEngine(reading: temporary.path).migrate(grown)
    default: try SQLiteEngine(reading: temporary.path).rebuild { _ in }
    }
    #expect(try isDiverged() && answer(lost) == .tokenDiverged)
    let newest = try SQLiteEngine(reading: temporary.path).newestToken()
    #expect(newest.number > lost.number)
  }

  @Test func `The same backup restored twice is noticed twice`() throws {
    try addReader(at: take("a"))
    try temporary.copyFiles(to: "backup")
    try take("b")
    for _ in 0..<2 {
      try temporary.restoreFiles(from: "backup")
      #expect(try !isDiverged())
      try SQLiteEngine(reading: temporary.path).assignPending()
      #expect(try isDiverged())
    }
    #expect(try take("c").number == 3)
  }

  @Test func `A copy that went its own way and took the store's place`() throws {
    let first = try take("a")
    try addReader(at: first)
    try temporary.copyFiles(to: "copy")
    let second = try take("b")
    let copy = temporary.folder.appendingPathComponent("copy").path
    for id in ["x", "y", "z"] {
      let store = try SQLiteEngine(blocking: copy, for: pipeline, lockWait: 5)
      try store.take(pipeline, [["id": .text(id)]])
    }
    try temporary.restoreFiles(from: "copy")
    try SQLiteEngine(reading: temporary.path).assignPending()
    #expect(try isDiverged())
    #expect(try answer(second) == .tokenDiverged && answer(first) == nil)
    try temporary.shell("UPDATE bolide_reader SET diverged = 0")
    try take("c")
    #expect(try !isDiverged())
  }

  @Test func `Commits that a power cut took back with the WAL`() throws {
    var held: SQLiteEngine? = try temporary.open(pipeline)
    let first = try #require(try held?.take(pipeline, [["id": "a"]]).token)
    try addReader(at: first)
    // The WAL as it was on the disk: what came after it never got there.
    try temporary.copyFiles(to: "disk")
    let second = try #require(try held?.take(pipeline, [["id": "b"]]).token)
    held = nil
    try temporary.restoreFiles(from: "disk")
    #expect(try temporary.shell("SELECT id FROM Quake") == "a\n")
    #expect(try take("c").number == 3)
    #expect(try isDiverged() && answer(second) == .tokenDiverged && answer(first) == nil)
  }

  @Test func `Everything lost from the first transaction on`() throws {
    _ = try temporary.open(pipeline)
    try temporary.copyFiles(to: "empty")
    let first = try take("a")
    try temporary.restoreFiles(from: "empty")
    #expect(try take("b").number == 2)
    #expect(try answer(first) == .tokenDiverged)
  }

  @Test func `A new store in the old one's place has a memory of its own`() throws {
    let old = try take("a")
    try temporary.restoreFiles(from: "nothing")
    #expect(throws: StoreError.self) { try take("b") }
    var pipeline = pipeline
    pipeline.settings.storeCreation = .always
    let new = try #require(try temporary.open(pipeline).take(pipeline, [["id": "b"]]).token)
    #expect(new.number == 1 && new.store != old.store)
    #expect(try answer(old) == .tokenOfAnotherStore && answer(new) == nil)
    #expect(try temporary.open(pipeline).writing { try LastTokenFile($0)?.read() } == .token(new))
  }

  @Test func `A memory that cannot be read is none`() throws {
    let token = try take("a")
    for text in ["", "b1-", String(repeating: " ", count: 63) + "\n", String(repeating: "x", count: 2000)] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: temporary.path + "-bolide"))
      #expect(try answer(token) == nil)
      try SQLiteEngine(reading: temporary.path).assignPending()
    }
    #expect(try temporary.shell("SELECT count(*) FROM bolide_lost") == "0\n")
  }
}
