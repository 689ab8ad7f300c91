internal import Bolide
internal import Foundation

/// How far a measure of the reading side goes.
package enum ReadingDepth: String, Codable, Sendable, CaseIterable {
  /// The file's bytes as they are.
  case raw
  /// Their digest taken, and inflated when they are gzip.
  case bytes
  case records
  case rows
}

/// The reading side so far and no farther: what a step costs is the difference to the one before.
enum ReadingJob {
  static func run(pipeline path: String, input: String, depth: ReadingDepth) throws -> JobOutcome {
    let pipeline = try Pipeline(path: path)
    return try JobOutcome.measuring {
      switch depth {
      case .raw: try readRaw(input)
      case .bytes: try FeedReading.read(pipeline, from: input, to: .bytes)
      case .records: try FeedReading.read(pipeline, from: input, to: .records)
      case .rows: try FeedReading.read(pipeline, from: input, to: .rows)
      }
    }
  }

  private static func readRaw(_ path: String) throws -> Int {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { throw CocoaError(.fileReadUnknown) }
    defer { close(file) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 64)
    defer { buffer.deallocate() }
    var count = 0
    while true {
      let read = read(file, buffer.baseAddress, buffer.count)
      guard read >= 0 else { throw CocoaError(.fileReadUnknown) }
      if read == 0 { return count }
      count += read
    }
  }
}
