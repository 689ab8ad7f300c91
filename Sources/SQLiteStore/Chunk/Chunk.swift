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
/// A row is written at `count` and becomes part of the chunk with `commitRow`. Memory is kept and used again; it is
/// reached through one fixed address (`CellMemory`), since every cell passes here several times.
/// One thread at a time uses a chunk: the reading thread fills it, the queue hands it over, the writing thread
/// applies it and gives it back.
package final class Chunk {
  package let layout: ChunkLayout
  let memory: UnsafeMutablePointer<CellMemory>
  /// How many records were read for this chunk, refused ones included.
  package var recordsRead = 0
  /// How many rows another row of the same key took the place of.
  package internal(set) var folded = 0
  /// The records that were refused.
  package var rejects: [Reject] = []
  /// The rows to apply, sorted by key, after `sortAndFold`.
  var order: [Int32] = []

  /// Makes an empty chunk.
  package init(layout: ChunkLayout) {
    self.layout = layout
    memory = .allocate(capacity: 1)
    memory.initialize(to: CellMemory(columns: layout.columns.count))
  }

  deinit {
    memory.pointee.deallocate()
    memory.deinitialize(count: 1)
    memory.deallocate()
  }

  /// The rows so far.
  package var count: Int { memory.pointee.count }

  /// The row whose cells are written: the one under way, or one that is there and gets an expression's results.
  package var row: Int {
    get { memory.pointee.row }
    set { memory.pointee.row = newValue }
  }

  /// The bytes of text held, a measure of the chunk's size.
  package var byteCount: Int { memory.pointee.arenaCount }

  /// Whether nothing at all was read for this chunk.
  package var isEmpty: Bool { recordsRead == 0 }

  /// Empties the chunk; the memory stays.
  package func clear() {
    recordsRead = 0
    folded = 0
    rejects.removeAll(keepingCapacity: true)
    order.removeAll(keepingCapacity: true)
    memory.pointee.clear()
  }

  // MARK: Filling

  /// Begins a row: every cell is absent.
  package func beginRow() {
    memory.pointee.beginRow()
  }

  package func setNull(_ column: Int) {
    memory.pointee.states[column][row] = CellState.null.rawValue
  }

  package func set(_ value: Int64, _ column: Int) {
    memory.pointee.set(UInt64(bitPattern: value), column)
  }

  package func set(_ value: Double, _ column: Int) {
    memory.pointee.set(value.bitPattern, column)
  }

  /// Copies text or bytes into the row.
  package func set(_ bytes: UnsafeBufferPointer<UInt8>, _ column: Int) {
    memory.pointee.set(memory.pointee.keep(bytes), column)
  }

  /// Room in the arena for text that the caller writes itself; take it into a cell with `setReserved`.
  package func reserve(_ byteCount: Int) -> UnsafeMutablePointer<UInt8> {
    memory.pointee.makeRoom(byteCount)
    return memory.pointee.arena + memory.pointee.arenaCount
  }

  /// Makes the first `byteCount` reserved bytes the value of a cell.
  package func setReserved(_ byteCount: Int, _ column: Int) {
    memory.pointee.set(UInt64(memory.pointee.arenaCount) << 32 | UInt64(byteCount), column)
    memory.pointee.arenaCount += byteCount
  }

  /// Ends the row and makes it part of the chunk.
  ///
  /// - Parameter text: the record itself, for a reject that may yet come; nil when it is not to be kept.
  package func commitRow(_ position: RecordPosition, text: UnsafeBufferPointer<UInt8>?) {
    memory.pointee.positions[row] = position
    memory.pointee.texts[row] =
      text.map { memory.pointee.keep(UnsafeBufferPointer(rebasing: $0.prefix(Reject.maximumText))) } ?? 0
    memory.pointee.count += 1
  }

  // MARK: Rows that are there

  func state(_ column: Int, _ row: Int) -> CellState {
    CellState(rawValue: memory.pointee.states[column][row]) ?? .absent
  }

  func cell(_ column: Int, _ row: Int) -> UInt64 {
    memory.pointee.cells[column][row]
  }

  func set(_ state: CellState, _ cell: UInt64, _ column: Int, _ row: Int) {
    memory.pointee.states[column][row] = state.rawValue
    memory.pointee.cells[column][row] = cell
  }

  func integer(_ column: Int, _ row: Int) -> Int64 {
    Int64(bitPattern: cell(column, row))
  }

  func real(_ column: Int, _ row: Int) -> Double {
    Double(bitPattern: cell(column, row))
  }

  func bytes(_ column: Int, _ row: Int) -> UnsafeBufferPointer<UInt8> {
    memory.pointee.slice(cell(column, row))
  }

  /// Copies bytes into the arena.
  ///
  /// - Returns: where they lie, as a cell holds it.
  func keep(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    memory.pointee.keep(bytes)
  }

  /// Where a row's record stood.
  package func position(_ row: Int) -> RecordPosition {
    memory.pointee.positions[row]
  }

  /// A row's record, if it was kept; long ones are cut.
  package func text(_ row: Int) -> UnsafeBufferPointer<UInt8>? {
    let text = memory.pointee.texts[row]
    return text == 0 ? nil : memory.pointee.slice(text)
  }
}
