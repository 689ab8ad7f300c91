internal import Bolide
internal import CSQLiteFloor
internal import TypedRows

/// The rows of an input, typed and in memory, as `CFloorRows` wants them.
struct FloorRows {
  let layout: ChunkLayout
  /// The link that the rows have.
  let link: FloorLink?
  private(set) var count = 0
  private var cells: [UInt64] = []
  private var present: [UInt8] = []
  private var arena: [UInt8] = []

  /// Reads an input through a pipeline, as the import does. Rejected records and folded ones are not among the rows.
  ///
  /// - Parameter isLinked: whether they keep the pipeline's link, which is by a whole number.
  init(_ pipeline: Pipeline, input: String, isLinked: Bool) throws {
    layout = ChunkLayout(pipeline, model: pipeline.model)
    let owner = isLinked ? layout.owners.first : nil
    var collected = Collected(layout: layout, owner: owner)
    try FeedReading.read(pipeline, from: input, to: .chunks) { collected.add($0) }
    (count, cells, present, arena) = (collected.count, collected.cells, collected.present, collected.arena)
    link = owner.map { owner in
      FloorLink(
        column: owner.relationship.column, owner: owner.entity.name, key: owner.entity.key[0],
        owners: collected.owners)
    }
  }

  /// The columns that the table has.
  var columns: ArraySlice<ChunkLayout.Column> { layout.columns[..<layout.storedCount] }

  /// Calls `body` with the rows as C sees them.
  func withRows<Result>(_ body: (CFloorRows) throws -> Result) rethrows -> Result {
    let kinds = columns.map { UInt8($0.storage.floorKind) } + (link == nil ? [] : [UInt8(CFLOOR_INTEGER)])
    let key = layout.keyColumns.map(Int32.init)
    return try kinds.withUnsafeBufferPointer { kinds in
      try key.withUnsafeBufferPointer { key in
        try cells.withUnsafeBufferPointer { cells in
          try present.withUnsafeBufferPointer { present in
            try arena.withUnsafeBufferPointer { arena in
              try body(
                CFloorRows(
                  columns: Int32(kinds.count), kinds: kinds.baseAddress, keys: Int32(key.count),
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
    let owner: ChunkLayout.Owner?
    var count = 0
    var cells: [UInt64] = []
    var present: [UInt8] = []
    var arena: [UInt8] = []
    /// The keys of the rows' owners, which are whole numbers, and their ids.
    var owners: [Int64] = []
    private var ids: [Int64: UInt64] = [:]

    init(layout: ChunkLayout, owner: ChunkLayout.Owner?) { (self.layout, self.owner) = (layout, owner) }

    mutating func add(_ chunk: Chunk) {
      // Back in the input's order: the floor sorts by itself, by the clock.
      for row in chunk.order.sorted().map(Int.init) {
        for column in 0..<layout.storedCount { add(chunk, column, row) }
        if let owner { addLink(chunk.integer(owner.columns.lowerBound, row)) }
        count += 1
      }
    }

    private mutating func addLink(_ key: Int64) {
      if ids[key] == nil {
        owners.append(key)
        ids[key] = UInt64(owners.count)
      }
      cells.append(ids[key, default: 0])
      present.append(1)
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

/// A link of rows to owners by a whole number, which the floor knows beforehand.
struct FloorLink {
  /// The rows' column of the owner's id.
  let column: String
  /// The owners' table.
  let owner: String
  let key: String
  /// The owners' keys; their ids count from 1.
  let owners: [Int64]
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
