internal import Foundation
internal import SQLiteStore
package import StoreInterface

/// A file beside the store that says that somebody reads from one state of it: `quakes.sqlite-bolide-pin-PROCESS-RANDOM`.
///
/// Nobody else can see a reader's transaction, and a row of the store that told of it would need the write lock. The
/// file is locked as long as the state is held, and the kernel lets go when the process ends: one that is not locked
/// tells of nobody, and goes when somebody looks.
package final class PinFile: Sendable {
  private let path: String
  private let descriptor: Int32

  /// Nil where no file can be made beside the store: then nobody is told.
  init?(store: String, token: HistoryToken) {
    let random = String(UInt64.random(in: .min ... .max), radix: 36)
    path = "\(Self.prefix(store))\(getpid())-\(random)"
    guard case .file(let file)? = try? SideFile.make(path, beside: store) else { return nil }
    descriptor = file
    flock(descriptor, LOCK_EX)
    var text = "\(getpid()) \(timestamp()) \(token)"
    _ = text.withUTF8 { write(descriptor, $0.baseAddress, $0.count) }
  }

  deinit {
    unlink(path)
    close(descriptor)
  }

  private static func prefix(_ store: String) -> String { StoreLock.path(of: store) + "-pin-" }

  /// Who holds states of a store, the oldest first.
  package static func all(of store: String) -> [PinnedState] {
    let prefix = URL(filePath: prefix(store))
    let folder = prefix.deletingLastPathComponent().path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.utf8.starts(with: prefix.lastPathComponent.utf8) }
      .compactMap { state(folder + "/" + $0, beside: store) }
      .sorted { ($0.since, $0.process) < ($1.since, $1.process) }
  }

  private static func state(_ path: String, beside store: String) -> PinnedState? {
    guard case .file(let descriptor)? = try? SideFile.open(path, beside: store) else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &bytes, bytes.count)
    let state = PinnedState(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
    guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return state }
    // One that is being made is locked in a moment, and has its text then.
    if state != nil { unlink(path) }
    return nil
  }
}

extension PinnedState {
  /// Reads `PROCESS SINCE TOKEN`.
  init?(_ text: String) {
    let parts = text.split(separator: " ").map(String.init)
    let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    guard parts.count == 3, let process = Int32(parts[0]), let since = try? format.parse(parts[1]) else {
      return nil
    }
    self.init(
      process: process, since: parts[1], token: parts[2], age: max(0, Date.now.timeIntervalSince(since)))
  }
}
