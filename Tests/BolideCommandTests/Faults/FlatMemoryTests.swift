import Foundation
import Testing

/// Memory does not grow with the input.
@Suite struct FlatMemoryTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
  }

  /// The tool's largest resident memory in KiB, as the system counted it, for an import of generated records through a pipe.
  ///
  /// The records are those of a thousand keys again and again, so that the store stays small: what would grow is what the
  /// tool keeps of its input.
  private func peak(ofRecords records: Int) throws -> Int {
    let output = try folder.python(
      """
      import os, subprocess, sys
      store = "quakes-" + sys.argv[2] + ".sqlite"
      tool = subprocess.Popen(
        [sys.argv[1], "import", "quakes.yaml", "-", "--store", store, "--chunk-rows", "500"], stdin=subprocess.PIPE)
      for n in range(int(sys.argv[2])):
        record = '{"id": "%d", "time": "2020-01-01", "magnitude": 1.5, "place": "%s"}\\n' % (n % 1000, "x" * 300)
        tool.stdin.write(record.encode())
      tool.stdin.close()
      _, status, use = os.wait4(tool.pid, 0)
      assert status == 0, status
      print(use.ru_maxrss // (1024 if sys.platform == "darwin" else 1))
      """, Folder.tool, "\(records)")
    #expect(
      try folder.sqlite("quakes-\(records).sqlite", "SELECT outcome, read FROM bolide_run") == [
        "ok|\(records)"
      ])
    return try #require(Int(output.trimmingCharacters(in: .newlines)))
  }

  @Test func `eight times as many records take no more of it`() throws {
    let small = try peak(ofRecords: 8_000)
    let large = try peak(ofRecords: 64_000)
    #expect(large < small + 4 << 10, "\(small) KiB for 8,000 records, \(large) KiB for 64,000")
  }
}
