internal import Foundation
package import ImportModel
internal import SQLiteStore

extension StoreAddress {
  /// Where temporary files are.
  package static var temporaryFolder: String { MemoryFolder.temporary }

  /// Says what an import would do: runs it on a copy of the store, which is deleted; on a server in a transaction that is rolled
  /// back.
  ///
  /// - Parameters:
  ///   - creation: whether the copy may be a new store, where there is no store.
  ///   - body: imports into the store at the address that it is given.
  /// - Returns: the report, without a token.
  /// - Throws: what `body` throws; messages name the store and not the copy.
  /// - Complexity: that of the import, and of a file O(store) in time and in room among the temporary files.
  package func trying(
    creation: StoreCreation, _ body: (StoreAddress) throws -> ImportReport
  ) throws -> ImportReport {
    if server != nil {
      var trial = self
      trial.isTrial = true
      return try trying(at: trial, body)
    }
    // It may hold what the pipeline never imports: its owner's alone.
    let folder = try MemoryFolder(in: MemoryFolder.temporary)
    defer { withExtendedLifetime(folder) {} }
    let copy = folder.store
    return try trying(at: StoreAddress(copy)) {
      if FileManager.default.fileExists(atPath: path) {
        try open().copy(to: copy)
      } else {
        try checkCreation(creation)
      }
      return try body($0)
    }
  }

  private func trying(
    at trial: StoreAddress, _ body: (StoreAddress) throws -> ImportReport
  ) throws -> ImportReport {
    do {
      return try ImportTrial.$isRunning.withValue(true) { try body(trial).tried }
    } catch var error as ImportError {
      if error.file == trial.path { error.file = path }
      error.report = error.report?.tried
      throw error
    } catch var error as StoreError {
      if error.file == trial.path { error.file = path }
      throw error
    }
  }
}

/// A dry run: nothing of the import is kept, and messages say so.
enum ImportTrial {
  /// Whether this thread is at work on one.
  @TaskLocal static var isRunning = false
}

extension ImportReport {
  fileprivate var tried: ImportReport {
    var report = self
    report.isTrial = true
    report.progress.token = nil
    return report
  }
}
