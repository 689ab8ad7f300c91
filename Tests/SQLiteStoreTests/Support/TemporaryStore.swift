import Bolide
import Foundation
import GRDB
import GRDBSQLite
import ImportModel
@testable import SQLiteAccess
import SQLiteMaintenance
import Testing

@testable import SQLiteStore

/// A folder of its own for one test's store; it goes with the last reference.
final class TemporaryStore {
  let folder: URL
  var path: String { folder.appendingPathComponent("store.sqlite").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("bolide-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Opens the store for a pipeline, and makes it the first time.
  func open(_ pipeline: Pipeline) throws -> SQLiteEngine {
    try SQLiteEngine(blocking: path, for: pipeline, lockWait: 5)
  }

  /// Runs statements in the `sqlite3` shell, as another program would, and gives what it prints.
  @discardableResult
  func shell(_ sql: String) throws -> String {
    let result = try run(["sqlite3", "-bail", path], input: sql)
    guard result.status == 0 else { throw ShellError(text: result.errors) }
    return result.output
  }

  /// What the `sqlite3` shell says when it refuses statements; nil when it takes them.
  func refusal(_ sql: String) throws -> String? {
    do {
      try shell(sql)
      return nil
    } catch let error as ShellError {
      return error.text
    }
  }

  /// Copies the store's files as they are: the database, and its WAL if there is one.
  func copyFiles(to name: String) throws {
    for ending in ["", "-wal"] {
      guard FileManager.default.fileExists(atPath: path + ending) else { continue }
      try FileManager.default.copyItem(
        atPath: path + ending, toPath: folder.appendingPathComponent(name + ending).path)
    }
  }

  /// Puts copied files in the store's place. Nobody may have it open.
  func restoreFiles(from name: String) throws {
    for ending in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + ending)
      let copy = folder.appendingPathComponent(name + ending).path
      guard FileManager.default.fileExists(atPath: copy) else { continue }
      try FileManager.default.copyItem(atPath: copy, toPath: path + ending)
    }
  }

  /// Runs a Python script with the store's path and further words as arguments.
  func python(_ script: String, _ arguments: [String] = []) throws -> String {
    let result = try run(["python3", "-", path] + arguments, input: script)
    guard result.status == 0 else { throw ShellError(text: result.errors) }
    return result.output
  }

  private func run(
    _ words: [String], input: String
  ) throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    let script = folder.appendingPathComponent("script-\(UUID().uuidString)")
    let output = folder.appendingPathComponent("output-\(UUID().uuidString)")
    let errors = folder.appendingPathComponent("errors-\(UUID().uuidString)")
    try Data(input.utf8).write(to: script)
    try Data().write(to: output)
    try Data().write(to: errors)
    process.standardInput = try FileHandle(forReadingFrom: script)
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    return (
      process.terminationStatus, try String(contentsOf: output, encoding: .utf8),
      try String(contentsOf: errors, encoding: .utf8)
    )
  }
}

/// What a program that was run says went wrong.
struct ShellError: Error {
  var text: String
}

extension SQLiteEngine {
  /// The store as a program of a user's has it.
  var face: Store { Store(self) }

  /// What `verify` finds; empty for a sound store.
  func findings() throws -> [Finding] {
    var findings: [Finding] = []
    try verify { findings.append($0) }
    return findings
  }

  /// The rows of a query.
  func rows(_ sql: String) throws -> [[Value]] {
    try reading { db in
      let statement = try RawStatement(db, sql)
      defer { statement.reset() }
      var rows: [[Value]] = []
      while try statement.step() {
        rows.append((0..<statement.columnCount).map { statement.value($0) })
      }
      return rows
    }
  }

  /// The single integer of a query.
  func integer(_ sql: String) throws -> Int64? {
    guard case .integer(let number) = try rows(sql).first?.first else { return nil }
    return number
  }

  /// Changes the store as only a test does.
  func execute(_ sql: String) throws {
    try writing { try $0.execute(sql: sql) }
  }
}

extension RawStatement {
  /// How many columns a row has.
  var columnCount: Int32 { sqlite3_column_count(pointer) }
}
