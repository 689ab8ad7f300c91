/// What keeps a store. SQLite is one engine; `Store` and the tool use any through these protocols alone.
///
/// All calls work on the calling thread and may wait; any thread may make them. What an engine does not implement it
/// refuses by `StoreError.unsupported`, in `PartialEngine.swift`.
package protocol StoreEngine: ImportEngine, HistoryEngine, ReaderEngine, QueryEngine, MaintenanceEngine {}

/// What every part of an engine has.
package protocol EngineIdentity: AnyObject, Sendable {
  /// The engine's name for messages: `SQLite`.
  static var engineName: String { get }
  /// The store's address as it was given, for messages.
  var path: String { get }

  /// Closes the files when the calls that use them have ended; later calls are refused as `closed`.
  ///
  /// - Throws: `StoreError` of the code `busy` where an import is at work.
  func close() throws
}
