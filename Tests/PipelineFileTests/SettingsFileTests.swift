@testable import PipelineFile
import ImportModel
import Testing

@Suite struct SettingsFileTests {
  private func settings(_ lines: String) throws -> ImportSettings {
    try Pipeline(
      yaml: """
        bolide: 1
        entity: Quake
        key: id
        attributes: { id: string }
        \(lines)
        """, file: "quakes.yaml", directory: ""
    ).settings
  }

  @Test func `every setting arrives`() throws {
    var wanted = ImportSettings()
    #expect(try settings("") == wanted)
    wanted.isAtomic = true
    wanted.stopsOnReject = true
    wanted.rejectLimit = .percent(2.5)
    wanted.commitPolicy = .chunk
    wanted.chunkRows = 500
    wanted.lockWait = 1_800
    wanted.walLimit = 256 << 20
    wanted.memory = 48 << 20
    wanted.rejectBounds.rows = 0
    wanted.rejectBounds.text = 8 << 10
    wanted.rejectBounds.total = 1_000_000
    wanted.force = true
    wanted.showsValues = true
    #expect(
      try settings(
        """
        atomic: true
        stop-on-reject: true
        max-rejects: 2.5%
        commit: chunk
        chunk-rows: 500
        lock-wait: 30m
        wal-limit: 256MiB
        memory: 48MiB
        reject-rows: 0
        reject-text: 8KiB
        reject-total: 1 MB
        force: true
        show-values: true
        """) == wanted)
    #expect(try settings("sort: key").sortPolicy == .key)
  }

  @Test(arguments: [
    ("max-age", "soon", "'max-age' is an age such as 90m, 26h or 2d, at most 10000y, not 'soon'"),
    ("max-rejects", "many", "'max-rejects' is a number of records or a share such as 2%, not 'many'"),
    ("max-rejects", "-1", "'max-rejects' is a number of records or a share such as 2%, not '-1'"),
    ("max-rejects", "101%", "'max-rejects' is a number of records or a share such as 2%, not '101%'"),
    ("commit", "file", "'commit' is input or chunk, not 'file'"),
    ("sort", "id", "'sort' is none or key, not 'id'"),
    ("lock-wait", "soon", "'lock-wait' is a time such as 30s or 10m, at most 10000y, not 'soon'"),
    ("lock-wait", "-1s", "'lock-wait' is a time such as 30s or 10m, at most 10000y, not '-1s'"),
    ("lock-wait", "infs", "'lock-wait' is a time such as 30s or 10m, at most 10000y, not 'infs'"),
    ("wal-limit", "1 gib", "'wal-limit' is a size such as 256MiB or 1GiB, not '1 gib'"),
    ("wal-limit", "1  GiB", "'wal-limit' is a size such as 256MiB or 1GiB, not '1  GiB'"),
    ("wal-limit", "GiB", "'wal-limit' is a size such as 256MiB or 1GiB, not 'GiB'"),
    ("memory", "47MiB", "'memory' is a size from 48MiB to 4GiB, not '47MiB'"),
    ("memory", "5GiB", "'memory' is a size from 48MiB to 4GiB, not '5GiB'"),
    ("memory", "little", "'memory' is a size from 48MiB to 4GiB, not 'little'"),
    ("reject-rows", "-1", "'reject-rows' is a whole number from 0 to 2147483647, not '-1'"),
    ("reject-text", "-1", "'reject-text' is a size such as 64KiB or 8MiB, not '-1'"),
    ("reject-total", "all", "'reject-total' is a size such as 64KiB or 8MiB, not 'all'"),
    (
      "wal-limit", "99999999999999GiB",
      "'wal-limit' is a size such as 256MiB or 1GiB, not '99999999999999GiB'"
    ),
  ]) func `a mistake has its sentence and its place`(key: String, value: String, sentence: String) throws {
    let error = try #require(throws: PipelineError.self) { try settings("\(key): \(value)") }
    #expect(error.description == "quakes.yaml:5:\(key.count + 3): \(sentence)")
  }

  @Test(arguments: [
    [1, 48, 3], [48, 48, 3], [95, 95, 18], [96, 96, 64], [4096, 4096, 64], [10_000, 4096, 64],
  ]) func `the parts of an import's memory are within it`(mebibytes: [Int]) {
    let budget = MemoryBudget(bytes: mebibytes[0] << 20)
    let whole = mebibytes[1] << 20
    #expect(budget.bytes == whole)
    #expect(budget.record == mebibytes[2] << 20)
    #expect(budget.chunk >= 2 << 20 && budget.pageCache >= 2 << 20)
    #expect(2 * budget.chunk + budget.pageCache + (39 << 20) <= whole)
    // Beside the chunks, its parts over several connections.
    let parted = MemoryBudget(bytes: mebibytes[0] << 20, connections: 2)
    #expect(3 * parted.chunk <= 2 * budget.chunk && 4 * parted.chunk > 2 * budget.chunk)
    // A place in a chunk's texts has 32 bits.
    #expect(budget.chunk < 1 << 32)
  }

  @Test func `sizes and times in their units`() {
    #expect(SizeText("7")?.bytes == 7 && SizeText("2kB")?.bytes == 2_000 && SizeText("2KiB")?.bytes == 2_048)
    #expect(SizeText("3MB")?.bytes == 3_000_000 && SizeText("1GiB")?.bytes == 1 << 30 && SizeText("") == nil)
    #expect(SizeText("256 MB")?.bytes == 256_000_000 && SizeText(" ") == nil && SizeText("MB") == nil)
    #expect(
      WaitText("0")?.seconds == 0 && WaitText("1.5m")?.seconds == 90 && WaitText("1h")?.seconds == 3_600)
    #expect(
      WaitText("90d")?.seconds == 7_776_000 && WaitText("2w")?.seconds == 1_209_600
        && WaitText("1y")?.seconds == 31_536_000)
    #expect(WaitText(withUnit: "30d")?.seconds == 2_592_000 && WaitText(withUnit: "30") == nil)
    #expect(RejectLimit("0") == .count(0) && RejectLimit("100%") == .percent(100) && RejectLimit("%") == nil)
  }
}
