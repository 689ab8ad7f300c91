internal import Bolide
internal import CSQLiteFloor
internal import TypedRows

/// The rows of an input, typed and in memory, as `CFloorRows` wants them.
struct FloorRows {
  let layout: ChunkLayout
  private(set) var count = 0
  private var cells: [UInt64] = []
  private var present: [UInt8] = []
  private var arena: [UInt8] = []

  /// Reads an input through a pipeline, as the import does. Rejected records and folded ones are not among the rows.
  init(_ pipeline: Pipeline, input: String) throws {
    layout = ChunkLayout(pipeline, model: pipeline.model)
    var collected = Collected(layout: layout)
    try FeedReading.read(pipeline, from: input, to: .chunks) { collected.add($0) }
    (count, cells, present, arena) = (collected.count, collected.cells, collected.present, collected.arena)
  }

  /// The columns that the table has.
  var columns: ArraySlice<ChunkLayout.Column> { layout.columns[..<layout.storedCount] }

  /// Calls `body` with the rows as C sees them.
  func withRows<Result>(_ body: (CFloorRows) throws -> Result) rethrows -> Result {
    let kinds = columns.map { UInt8($0.storage.floorKind) }
    let key = layout.keyColumns.map(Int32.init)
    return try kinds.withUnsafeBufferPointer { kinds in
      try key.withUnsafeBufferPointer { key in
        try cells.withUnsafeBufferPointer { cells in
          try present.withUnsafeBufferPointer { present in
            try arena.withUnsafeBufferPointer { arena in
              try body(
                CFloorRows(
                  columns: Int32(columns.count), kinds: kinds.baseAddress, keys: Int32(key.count),
                  key: key.baseAddress, rows: Int64(count), cells: cells.baseAddress,
                  present: present.baseAddress, arena: arena.baseAddress))
            }
          }
        }
      }
    }
  }

  private struct Collected {
    let layout: ChunkLayout
    var count = 0
    var cells: [UInt64] = []
    var present: [UInt8] = []
    var arena: [UInt8] = []

    mutating func add(_ chunk: Chunk) {
      // Back in the input's order: the floor sorts by itself, by the clock.
      for row in chunk.order.sorted().map(Int.init) {
        for column in 0..<layout.storedCount { add(chunk, column, row) }
        count += 1
      }
    }

    private mutating func add(_ chunk: Chunk, _ column: Int, _ row: Int) {
      guard chunk.state(column, row) == .value else {
        cells.append(0)
        present.append(0)
        return
      }
      present.append(1)
      switch layout.columns[column].storage {
      case .integer, .real: cells.append(chunk.cell(column, row))
      case .text, .blob:
        let bytes = chunk.bytes(column, row)
        cells.append(UInt64(arena.count))
        withUnsafeBytes(of: UInt32(bytes.count)) { arena.append(contentsOf: $0) }
        arena.append(contentsOf: bytes)
      }
    }
  }
}

extension StorageClass {
  fileprivate var floorKind: Int {
    switch self {
    case .integer: CFLOOR_INTEGER
    case .real: CFLOOR_REAL
    case .text: CFLOOR_TEXT
    case .blob: CFLOOR_BLOB
    }
  }
}
