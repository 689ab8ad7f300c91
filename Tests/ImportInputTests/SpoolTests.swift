import Foundation
import Testing

@testable import ImportInput

@Suite struct SpoolTests {
  @Test(arguments: [1, 100, 128 * 1024, 500_000])
  func `what goes in comes out, as often as wanted`(size: Int) throws {
    try withDirectory { directory in
      let all = sample(size == 1 ? 1_000 : 1_000_000)
      let spool = try Spool(for: "feed.json", directory: directory)
      for start in stride(from: 0, to: all.count, by: size) {
        try all[start..<min(start + size, all.count)].withUnsafeBytes { try spool.append($0) }
      }
      #expect(spool.count == all.count)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
      for _ in 0..<2 {
        try spool.rewind()
        #expect(try readAll(spool) == all)
      }
      var piece = [UInt8](repeating: 0, count: 50)
      for place in [0, 500, all.count - 20] {
        let count = try piece.withUnsafeMutableBytes { try spool.read(into: $0, at: Int64(place)) }
        #expect(piece[..<count] == all[place...].prefix(50))
      }
    }
  }

  @Test func `an empty spool is empty`() throws {
    let spool = try Spool(for: "feed.json")
    try spool.rewind()
    #expect(try readAll(spool).isEmpty)
  }

  @Test func `a directory that is not there is named`() {
    let error = #expect(throws: InputError.self) { try Spool(for: "feed.json", directory: "/none") }
    #expect(error?.code == .cannotSpool)
    #expect(
      error?.message == "feed.json: the spool file in /none cannot be written: No such file or directory")
  }

  private func readAll(_ spool: Spool) throws -> [UInt8] {
    var all: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 70_000, alignment: 1)
    defer { buffer.deallocate() }
    while case let count = try spool.read(into: buffer), count > 0 { all += buffer.prefix(count) }
    return all
  }
}
