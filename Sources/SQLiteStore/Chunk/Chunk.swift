/// What a cell of a chunk holds.
package enum CellState: UInt8 {
  /// The record says nothing of this attribute: the stored value stays.
  case absent = 0
  /// The record says null.
  case null = 1
  /// The cell holds a value.
  case value = 2
}

/// Where a record stood in its input.
package struct RecordPosition: Sendable, Hashable {
  /// The record's number in its input, from 1.
  package var record: Int
  /// Its first byte, from 0.
  package var byte: Int
  /// Its line, from 1.
  package var line: Int
  /// Its column in bytes, from 1.
  package var column: Int

  package init(record: Int, byte: Int, line: Int, column: Int) {
    self.record = record
    self.byte = byte
    self.line = line
    self.column = column
  }
}

/// Records that are committed together, as typed columns.
///
///     column 0   state  v v v n v …      one byte a row: absent, null or value
///                cell   8 bytes a row:   an Int64, a Double, or where the text lies
///     column 1   …                             text, blob:  offset << 32 | length
///     arena      t e x t t e x t …       the bytes of all texts and blobs, and of the records themselves
///     order      4 0 2 …                 the rows that are applied, sorted by key
///
/// A row is written at `count` and becomes part of the chunk with `commitRow`. Memory is kept and used again.
/// One thread at a time uses a chunk: the reading thread fills it, the queue hands it over, the writing thread
/// applies it and gives it back.
package final class Chunk {
  package let layout: ChunkLayout
  /// The rows so far.
  package private(set) var count = 0
  /// The row whose cells are written: the one under way, or one that is there and gets an expression's results.
  package var row = 0
  /// How many records were read for this chunk, refused ones included.
  package var recordsRead = 0
  /// How many rows another row of the same key took the place of.
  package internal(set) var folded = 0
  /// The records that were refused.
  package var rejects: [Reject] = []

  private(set) var capacity = 0
  private(set) var cells: [UnsafeMutablePointer<UInt64>] = []
  private(set) var states: [UnsafeMutablePointer<UInt8>] = []
  private(set) var arena = UnsafeMutablePointer<UInt8>.allocate(capacity: 4096)
  private(set) var arenaCount = 0
  private var arenaCapacity = 4096
  /// Arenas that were outgrown. A statement under way may still point into them, so they go with `clear`.
  private var outgrown: [UnsafeMutablePointer<UInt8>] = []
  private(set) var positions: [RecordPosition] = []
  private var texts: [UInt64] = []
  /// The rows to apply, sorted by key, after `sortAndFold`.
  var order: [Int32] = []

  /// Makes an empty chunk.
  package init(layout: ChunkLayout) {
    self.layout = layout
    cells = layout.columns.map { _ in UnsafeMutablePointer<UInt64>.allocate(capacity: 0) }
    states = layout.columns.map { _ in UnsafeMutablePointer<UInt8>.allocate(capacity: 0) }
    grow(to: 1024)
  }

  deinit {
    cells.forEach { $0.deallocate() }
    states.forEach { $0.deallocate() }
    outgrown.forEach { $0.deallocate() }
    arena.deallocate()
  }

  /// The bytes of text held, a measure of the chunk's size.
  package var byteCount: Int { arenaCount }

  /// Whether nothing at all was read for this chunk.
  package var isEmpty: Bool { recordsRead == 0 }

  /// Empties the chunk; the memory stays.
  package func clear() {
    count = 0
    recordsRead = 0
    folded = 0
    rejects.removeAll(keepingCapacity: true)
    arenaCount = 0
    outgrown.forEach { $0.deallocate() }
    outgrown.removeAll()
    positions.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    order.removeAll(keepingCapacity: true)
  }

  // MARK: Filling

  /// Begins a row: every cell is absent.
  package func beginRow() {
    if count == capacity { grow(to: capacity * 2) }
    row = count
    for column in states.indices { states[column][row] = CellState.absent.rawValue }
  }

  package func setNull(_ column: Int) {
    states[column][row] = CellState.null.rawValue
  }

  package func set(_ value: Int64, _ column: Int) {
    states[column][row] = CellState.value.rawValue
    cells[column][row] = UInt64(bitPattern: value)
  }

  package func set(_ value: Double, _ column: Int) {
    states[column][row] = CellState.value.rawValue
    cells[column][row] = value.bitPattern
  }

  /// Copies text or bytes into the row.
  package func set(_ bytes: UnsafeBufferPointer<UInt8>, _ column: Int) {
    let slice = keep(bytes)
    states[column][row] = CellState.value.rawValue
    cells[column][row] = slice
  }

  /// Room in the arena for text that the caller writes itself; take it into a cell with `setReserved`.
  package func reserve(_ byteCount: Int) -> UnsafeMutablePointer<UInt8> {
    makeRoom(byteCount)
    return arena + arenaCount
  }

  /// Makes the first `byteCount` reserved bytes the value of a cell.
  package func setReserved(_ byteCount: Int, _ column: Int) {
    states[column][row] = CellState.value.rawValue
    cells[column][row] = UInt64(arenaCount) << 32 | UInt64(byteCount)
    arenaCount += byteCount
  }

  /// Ends the row and makes it part of the chunk.
  ///
  /// - Parameter text: the record itself, for a reject that may yet come; nil when it is not to be kept.
  package func commitRow(_ position: RecordPosition, text: UnsafeBufferPointer<UInt8>?) {
    positions.append(position)
    texts.append(text.map { keep(UnsafeBufferPointer(rebasing: $0.prefix(Reject.maximumText))) } ?? 0)
    count += 1
  }

  // MARK: Changing rows that are there

  func state(_ column: Int, _ row: Int) -> CellState {
    CellState(rawValue: states[column][row]) ?? .absent
  }

  func set(_ state: CellState, _ cell: UInt64, _ column: Int, _ row: Int) {
    states[column][row] = state.rawValue
    cells[column][row] = cell
  }

  func integer(_ column: Int, _ row: Int) -> Int64 {
    Int64(bitPattern: cells[column][row])
  }

  func real(_ column: Int, _ row: Int) -> Double {
    Double(bitPattern: cells[column][row])
  }

  func bytes(_ column: Int, _ row: Int) -> UnsafeBufferPointer<UInt8> {
    slice(cells[column][row])
  }

  /// Where a row's record stood.
  package func position(_ row: Int) -> RecordPosition {
    positions[row]
  }

  /// A row's record, if it was kept; long ones are cut.
  package func text(_ row: Int) -> UnsafeBufferPointer<UInt8>? {
    texts[row] == 0 ? nil : slice(texts[row])
  }

  /// Copies bytes into the arena.
  ///
  /// - Returns: where they lie, as a cell holds it.
  func keep(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    makeRoom(bytes.count)
    if let start = bytes.baseAddress { (arena + arenaCount).update(from: start, count: bytes.count) }
    defer { arenaCount += bytes.count }
    return UInt64(arenaCount) << 32 | UInt64(bytes.count)
  }

  func slice(_ cell: UInt64) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: arena + Int(cell >> 32), count: Int(cell & 0xffff_ffff))
  }

  private func makeRoom(_ byteCount: Int) {
    guard arenaCount + byteCount > arenaCapacity else { return }
    arenaCapacity = max(arenaCapacity * 2, arenaCount + byteCount)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: arenaCapacity)
    larger.update(from: arena, count: arenaCount)
    outgrown.append(arena)
    arena = larger
  }

  private func grow(to newCapacity: Int) {
    for column in cells.indices {
      let newCells = UnsafeMutablePointer<UInt64>.allocate(capacity: newCapacity)
      newCells.update(from: cells[column], count: count)
      cells[column].deallocate()
      cells[column] = newCells
      let newStates = UnsafeMutablePointer<UInt8>.allocate(capacity: newCapacity)
      newStates.update(from: states[column], count: count)
      states[column].deallocate()
      states[column] = newStates
    }
    capacity = newCapacity
  }
}
