import Foundation
import ImportModel
import Testing

/// What control groups leave of the memory that an import is to take.
@Suite struct MemoryLimitTests {
  private static let version2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
  private static let version1 = "35 30 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"

  /// The limit under a root with some files.
  private func limit(_ files: [String: String]) throws -> Int? {
    let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: root) }
    for (path, text) in files {
      let file = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    return MemoryLimit(root: root.path(percentEncoded: false)).bytes
  }

  @Test(
    arguments: [
      (["job": "1000"], 1000), (["job": "max"], nil), ([:], nil), (["": "500", "job": "1000"], 500),
      (["": "max", "job": "800", "job/inner": "900"], 800), (["job/inner": "900", "job/other": "1"], 900),
    ] as [([String: String], Int?)])
  func `the lowest limit of a group and of those around it counts`(limits: [String: String], lowest: Int?)
    throws
  {
    for (mount, line, file) in [
      (Self.version2, "0::/job/inner", "sys/fs/cgroup"),
      (Self.version1, "4:cpu,memory:/job/inner", "sys/fs/cgroup/memory"),
    ] {
      let name = mount == Self.version2 ? "memory.max" : "memory.limit_in_bytes"
      var files = [
        "proc/self/cgroup": "7:pids:/else\n\(line)\n",
        "proc/self/mountinfo": "22 1 8:1 / / rw - ext4 /dev/sda rw\n\(mount)",
      ]
      for (group, limit) in limits {
        files["\(file)/\(group.isEmpty ? "" : "\(group)/")\(name)"] = "\(limit)\n"
      }
      #expect(try self.limit(files) == lowest, "\(name)")
    }
  }

  @Test func `both versions count, and a container sees its own group at the top`() throws {
    var files = [
      "proc/self/cgroup": "4:memory:/docker/1f\n0::/docker/1f/x\n",
      "proc/self/mountinfo": """
      30 23 0:26 /docker/1f /sys/fs/cgroup rw - cgroup2 cgroup2 rw
      35 30 0:29 /docker/1f /memory rw - cgroup cgroup rw,memory

      """,
      "sys/fs/cgroup/x/memory.max": "700", "memory/memory.limit_in_bytes": "9223372036854771712",
    ]
    #expect(try limit(files) == 700)
    files["memory/memory.limit_in_bytes"] = "600"
    #expect(try limit(files) == 600)
    // Of a group elsewhere only the top can be seen.
    files["proc/self/cgroup"] = "0::/../other\n"
    #expect(try limit(files) == nil)
    files["sys/fs/cgroup/memory.max"] = "650"
    #expect(try limit(files) == 650)
  }

  @Test func `a system without control groups has no limit, and broken files are none`() throws {
    #expect(try limit([:]) == nil)
    for text in ["", ":", "30 23 - cgroup2", "30 23 0:26 / /sys rw - cgroup2 c", "\u{0}"] {
      #expect(
        try limit([
          "proc/self/cgroup": "0::/\n0:\n\(text)", "proc/self/mountinfo": text, "sys/memory.max": "many",
        ]) == nil)
    }
  }

  @Test func `the page cache goes first, then the second chunk, and never a part of a chunk`() throws {
    for bytes in [48 << 20, 96 << 20, 1 << 30] {
      let whole = MemoryBudget(bytes: bytes)
      #expect(whole.chunkCount == 2)
      for limit in stride(from: 0, to: 2 * bytes, by: bytes / 64) {
        let within = whole.within(limit)
        #expect((within.chunk, within.record, within.bytes) == (whole.chunk, whole.record, whole.bytes))
        let saved = whole.pageCache - within.pageCache + (2 - within.chunkCount) * whole.chunk
        let wanted = max(0, bytes - limit)
        let most = whole.pageCache - min(whole.pageCache, 2 << 20) + whole.chunk
        #expect(saved >= min(wanted, most))
        #expect(within.pageCache >= min(whole.pageCache, 2 << 20))
        if wanted == 0 { #expect(saved == 0) }
        if within.chunkCount == 1 { #expect(within.pageCache == min(whole.pageCache, 2 << 20)) }
      }
      #expect(whole.within(nil).pageCache == whole.pageCache)
    }
  }
}
