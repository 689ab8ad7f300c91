public import Foundation
public import Logging
internal import StoreInterface

extension Store {
  /// Opens a store that is there, without a pipeline: to read and follow it, to edit it, or to import once its pipeline is at hand.
  ///
  /// The file is opened to be written only when something is written.
  /// - Parameters:
  ///   - path: the store's file.
  ///   - isReadOnly: whether calls that write are refused, as where the file cannot be written.
  ///   - trustsSchema: as `init(path:for:trustsSchema:lockWait:logger:now:)`.
  ///   - lockWait: how long calls that write wait for another writer.
  ///   - logger: as `init(path:for:trustsSchema:lockWait:logger:now:)`.
  ///   - now: as `init(path:for:trustsSchema:lockWait:logger:now:)`.
  /// - Throws: `StoreError` when there is no such file, it is not a store or has another format, or it cannot be opened.
  public convenience init(
    path: String, isReadOnly: Bool = false, trustsSchema: Bool = false, lockWait: Duration = .seconds(600),
    logger: Logger? = nil, now: (@Sendable () -> Date)? = nil
  ) async throws {
    let (writes, context) = (CallQueue(limit: 1), CallContext(logger: logger, now: now))
    let engine = try await writes.run {
      try context.entering {
        try StoreAddress(path).open(
          trustsSchema: trustsSchema, isReadOnly: isReadOnly, lockWait: lockWait / .seconds(1))
      }
    }
    self.init(engine, writes, lockWait: lockWait, context)
  }

  /// Closes the store's files, when the calls that use them have ended. Later calls are refused with `StoreError.Code.closed`.
  ///
  /// Afterwards the file may be moved, replaced or deleted. A sequence that is being read ends with the same code; a
  /// `QueryGeneration` and a sequence that follows the store keep the file open until they are let go. To close a store
  /// twice does nothing.
  /// - Throws: `StoreError.Code.busy` where an import is at work. It ends with `closed` at its next chunk: call `close()` again
  ///   then.
  public func close() async throws {
    try await writing { try $0.close() }
  }
}
