internal import ImportModel

/// What a cell of a chunk holds.
public enum CellState: UInt8 {
  /// The record says nothing of this attribute: the stored value stays.
  case absent = 0
  /// The record says null.
  case null = 1
  /// The cell holds a value.
  case value = 2
}

/// Where a record stood in its input.
package struct RecordPosition: Sendable, Hashable {
  /// The record's number, from 1: in its input, or in a chunk through all inputs of the run.
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

/// Records that are committed together, as typed rows.
///
///     rows    │ cell 0 │ cell 1 │ … │ state 0, state 1, … │   a stored attribute or owner's key: 8 bytes and a state
///     row 1   │                                           │   (absent, null or value). A cell is an Int64, a Double,
///     …                                                       or for text and blobs: place in the arena << 32 | length
///     arena   t e x t t e x t …
///     order   4 0 2 …                                         the rows that are applied, sorted by key
///
///     batch  the newest rows: transient attributes, where each record stood, and its text
///
/// A record is read into the batch. When the batch is full, expressions run over its rows; then it ends, and what is
/// left of a row is what the store needs. So a chunk can hold many rows in little memory. The place and text of a row
/// that may yet be rejected go along (`ChunkLayout.mayBeRejected`).
///
/// Memory is kept and used again; it is reached through one fixed address (`CellMemory`), since every cell passes here
/// several times. One thread at a time uses a chunk: the reading thread fills it, the queue hands it over, the writing
/// thread applies it and gives it back.
///
/// What is public here and at `CellConverter` is so for the compiler: it inlines no `package` function in another module, and
/// each of these is called for every cell.
public final class Chunk {
  package let layout: ChunkLayout
  /// The chunks of the records' children, one for each list.
  @usableFromInline package let children: [Chunk]
  @usableFromInline let hasChildren: Bool
  /// Whether a batch of these children has ended since one of their records' did.
  @usableFromInline private(set) var hasFlushedBatch = false
  /// Of a chunk of children: whose they are, by row.
  package var lineage: [ParentReference] = []
  @usableFromInline package let memory: UnsafeMutablePointer<CellMemory>
  /// How many rows another of the same key took the place of, with nothing said otherwise.
  package var duplicates = 0
  /// How many rows another of the same key took the place of, with other values.
  package var superseded = 0
  /// The records that were rejected.
  package var rejects: [RejectedRecord] = []
  /// How many children of the last rejected child's record were rejected.
  var rejectedOfRecord = 0
  /// What surrounds the records, each entry from its record on.
  var surroundings: [Surroundings] = []
  /// The rows to apply; sorted by key after `sortAndFold`.
  package var order: [Int32] = []
  /// The rows that `sortAndFold` has folded into later ones.
  var foldedRows: [Int32] = []
  /// The rows into which one of an earlier record was folded: it would be there already had each been applied in turn.
  package internal(set) var laterRows: Set<Int32> = []
  /// The rows whose record is still known, in ascending order.
  var records = KeptRecords()
  /// Whether the records' numbers are kept, as where the rows do not come in the input's order.
  package var numbersRecords = false
  /// The number of each row's record, through all inputs of the run, once its batch has ended; empty where they are not kept.
  package private(set) var recordNumbers: [Int] = []

  /// Makes an empty chunk.
  package init(layout: ChunkLayout) {
    self.layout = layout
    children = layout.children.map(Chunk.init)
    hasChildren = !children.isEmpty
    numbersRecords = layout.partCount > 1
    memory = .allocate(capacity: 1)
    memory.initialize(
      to: CellMemory(kept: layout.keptCount, transient: layout.columns.count - layout.keptCount))
  }

  deinit {
    memory.pointee.deallocate()
    memory.deinitialize(count: 1)
    memory.deallocate()
  }

  /// How many records were read for this chunk, rejected ones included.
  @inlinable public var recordsRead: Int {
    get { memory.pointee.recordsRead }
    set { memory.pointee.recordsRead = newValue }
  }

  /// The number of the last record that was read for this chunk.
  package var lastRecord: Int {
    get { memory.pointee.lastRecord }
    set { memory.pointee.lastRecord = newValue }
  }

  /// The rows so far.
  package var count: Int { memory.pointee.count }

  /// The rows of the batch: those whose transient attributes can be read.
  package var batch: Range<Int> { memory.pointee.batchStart..<count }

  /// Whether the batch is to be ended before the next record; children end theirs within a record too.
  @inlinable public var isBatchFull: Bool {
    memory.pointee.isBatchFull
      || hasChildren && children.contains { $0.hasFlushedBatch || $0.memory.pointee.isBatchFull }
  }

  /// The row whose cells are written: the one under way, or one of the batch that gets an expression's results.
  package var row: Int {
    get { memory.pointee.row }
    set { memory.pointee.go(to: newValue) }
  }

  /// The bytes that the rows and the rejected records take, children's too: a measure of the chunk's size.
  package var byteCount: Int {
    memory.pointee.byteCount + children.reduce(0) { $0 + $1.byteCount + $1.lineage.count * Self.childBytes }
  }

  /// What a child takes besides its row: whose it is, and while it is applied its place in the key's order and its part
  /// in what is derived from it, often for an owner of its own.
  private static let childBytes = 128

  /// Whether nothing at all was read for this chunk.
  @inlinable public var isEmpty: Bool { recordsRead == 0 }

  /// Empties the chunk; the memory stays.
  package func clear() {
    (duplicates, superseded) = (0, 0)
    rejects.removeAll(keepingCapacity: true)
    surroundings.removeAll(keepingCapacity: true)
    order.removeAll(keepingCapacity: true)
    foldedRows.removeAll(keepingCapacity: true)
    laterRows.removeAll(keepingCapacity: true)
    recordNumbers.removeAll(keepingCapacity: true)
    records.clear()
    lineage.removeAll(keepingCapacity: true)
    hasFlushedBatch = false
    memory.pointee.clear()
    for child in children { child.clear() }
  }

  // MARK: Filling

  /// Begins a row: every cell is absent.
  package func beginRow() {
    memory.pointee.beginRow()
  }

  /// Makes a cell of the row under way null.
  @inlinable @inline(__always)
  public func setNull(_ column: Int) {
    memory.pointee.setNull(column)
  }

  /// Makes a whole number the value of a cell of the row under way.
  @inlinable @inline(__always)
  public func set(_ value: Int64, _ column: Int) {
    memory.pointee.set(UInt64(bitPattern: value), column)
  }

  /// Makes a real number the value of a cell of the row under way.
  @inlinable @inline(__always)
  public func set(_ value: Double, _ column: Int) {
    memory.pointee.set(value.bitPattern, column)
  }

  /// Copies text or bytes into the row.
  package func set(_ bytes: UnsafeBufferPointer<UInt8>, _ column: Int) {
    memory.pointee.set(memory.pointee.keep(bytes, column), column)
  }

  /// Puts a text of eight bytes at most into the row: the lowest bytes of a word.
  @inline(__always)
  func set(_ word: UInt64, count: Int, _ column: Int) {
    memory.pointee.set(memory.pointee.keep(word, count: count, column), column)
  }

  /// Room for a text that the caller writes itself; take it into the cell with `setReserved`.
  package func reserve(_ byteCount: Int, _ column: Int) -> UnsafeMutablePointer<UInt8> {
    memory.pointee.reserve(byteCount, column)
  }

  /// Makes the first `byteCount` reserved bytes the value of the cell.
  func setReserved(_ byteCount: Int, _ column: Int) {
    memory.pointee.set(memory.pointee.taken(byteCount, column), column)
  }

  /// Ends the row and makes it part of the chunk.
  ///
  /// - Parameter text: the record itself, for a reject that may yet come; nil when it is not to be kept.
  package func commitRow(_ position: RecordPosition, text: UnsafeBufferPointer<UInt8>?) {
    memory.pointee.endRow(
      position, text: text.map { UnsafeBufferPointer(rebasing: $0.prefix(layout.rejectBounds.text + 1)) })
  }

  /// Ends the batch: its rows take part in the chunk, except the removed ones.
  ///
  /// - Parameter removed: for each row of the batch, whether it was rejected; nil for none.
  package func flushBatch(removed: [Bool]? = nil) {
    let batch = batch
    let accepted = batch.filter { removed?[$0 - batch.lowerBound] != true }
    order.append(contentsOf: accepted.lazy.map { Int32(truncatingIfNeeded: $0) })
    if layout.rejectsLate || !layout.required.isEmpty {
      for row in accepted where mayBeRejected(row) {
        records.append(
          row, memory.pointee.position(row), text: memory.pointee.text(row), isChild: layout.isChildren)
      }
    }
    if numbersRecords { recordNumbers += batch.lazy.map { self.memory.pointee.position($0).record } }
    memory.pointee.recordBytes = records.byteCount
    memory.pointee.flushBatch()
    hasFlushedBatch = true
    for child in children { child.hasFlushedBatch = false }
  }

  /// Whether any row of a batch that ended was good.
  package var hasAccepted: Bool { !order.isEmpty }

  /// The rows of all batches that ended, without the rejected ones.
  package var acceptedRows: [Int] { order.map(Int.init) }

  /// A new row without a required value is rejected when it turns out to be new; some settings may reject any row.
  func mayBeRejected(_ row: Int) -> Bool {
    layout.rejectsLate || layout.required.contains { state($0, row) == .absent }
  }

  // MARK: Rows that are there

  /// What a cell holds.
  @inlinable @inline(__always)
  public func state(_ column: Int, _ row: Int) -> CellState {
    CellState(rawValue: memory.pointee.state(column, row).pointee) ?? .absent
  }

  /// The eight bytes of a cell, as they are drawn above.
  @inlinable @inline(__always)
  public func cell(_ column: Int, _ row: Int) -> UInt64 {
    memory.pointee.cell(column, row).pointee
  }

  /// Writes a cell of any row.
  @inlinable @inline(__always)
  public func set(_ state: CellState, _ cell: UInt64, _ column: Int, _ row: Int) {
    memory.pointee.state(column, row).pointee = state.rawValue
    memory.pointee.cell(column, row).pointee = cell
  }

  /// The whole number in a cell that holds one.
  @inlinable @inline(__always)
  public func integer(_ column: Int, _ row: Int) -> Int64 {
    Int64(bitPattern: cell(column, row))
  }

  /// The real number in a cell that holds one.
  @inlinable @inline(__always)
  public func real(_ column: Int, _ row: Int) -> Double {
    Double(bitPattern: cell(column, row))
  }

  /// The text or blob in a cell that holds one, valid until the chunk is cleared; in a transient column, until the batch ends.
  @inlinable @inline(__always)
  public func bytes(_ column: Int, _ row: Int) -> UnsafeBufferPointer<UInt8> {
    memory.pointee.slice(cell(column, row), column)
  }

  /// Keeps bytes to the chunk's end.
  ///
  /// - Returns: where they lie, as a kept column's cell holds it.
  package func keep(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    memory.pointee.keep(bytes, 0)
  }

  /// Where a row's record stood, and its text if it was kept; of a long one, a byte more than a reject
  /// keeps.
  ///
  /// Known for the rows of the batch, and afterwards for those that may yet be rejected.
  package func record(_ row: Int) -> (position: RecordPosition, text: String?) {
    guard row >= batch.lowerBound else { return records[row] }
    return (
      memory.pointee.position(row), memory.pointee.text(row).map { String(decoding: $0, as: UTF8.self) }
    )
  }
}
