#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The memory of a chunk's rows; drawn at `Chunk`.
///
/// A plain struct behind a fixed address and not the properties of a class: a cell's way in and out is then an
/// address and an offset, without a check or a count of references. Everything that changes with each record is here.
public struct CellMemory: BitwiseCopyable {
  /// Rows that are part of the chunk.
  @usableFromInline private(set) var count = 0
  /// The first row of the batch.
  @usableFromInline private(set) var batchStart = 0
  /// How much text the rows before it have, rejected records included.
  @usableFromInline private(set) var batchText = 0
  /// The row whose cells are written, and where they are.
  private(set) var row = 0
  @usableFromInline package private(set) var current: RowCells
  /// How many records were read, rejected ones included, and the last one's number.
  @usableFromInline package var recordsRead = 0
  var lastRecord = 0
  /// How many bytes the records take that are kept beyond their batch.
  var recordBytes = 0
  /// How many bytes the rejected records take, about, and what surrounds records.
  @usableFromInline var rejectBytes = 0

  @usableFromInline package let kept: Int
  @usableFromInline package let transient: Int
  @usableFromInline let rowBytes: Int
  @usableFromInline let batchRowBytes: Int
  /// One block of `windowRows` rows after another: rows never move, and memory grows by what is needed.
  @usableFromInline package private(set) var blocks: UnsafeMutablePointer<UnsafeMutableRawPointer>
  private var blockCount = 0
  private var blockCapacity = 64
  @usableFromInline package let batch: UnsafeMutableRawPointer
  @usableFromInline package private(set) var arena = ByteArena()
  @usableFromInline private(set) var batchArena = ByteArena()
  /// Where each of the batch's records stood, and where its text lies in the batch's arena; 0 for none.
  private let positions: UnsafeMutablePointer<RecordPosition>
  private let texts: UnsafeMutablePointer<UInt64>

  @usableFromInline static let batchBits = 10
  /// How many rows a batch has.
  @usableFromInline static let batchRows = 1 << batchBits
  /// How many bytes of text end a batch before that.
  @usableFromInline static let batchBytes = 1 << 20

  /// - Parameters:
  ///   - kept: how many columns are kept to the chunk's end; they come first.
  ///   - transient: how many are there for the batch only.
  init(kept: Int, transient: Int) {
    self.kept = kept
    self.transient = transient
    // The cells, then one state a cell, up to a whole word.
    rowBytes = (kept * 9 + 7) & ~7
    batchRowBytes = (transient * 9 + 7) & ~7
    blocks = .allocate(capacity: blockCapacity)
    batch = .allocate(byteCount: Self.batchRows * batchRowBytes, alignment: 8)
    positions = .allocate(capacity: Self.batchRows)
    texts = .allocate(capacity: Self.batchRows)
    current = RowCells(kept: batch, batch: batch, keptCount: kept, transientCount: transient)
  }

  mutating func deallocate() {
    for block in 0..<blockCount { blocks[block].deallocate() }
    blocks.deallocate()
    batch.deallocate()
    positions.deallocate()
    texts.deallocate()
    arena.deallocate()
    batchArena.deallocate()
  }

  mutating func clear() {
    count = 0
    batchStart = 0
    batchText = 0
    recordsRead = 0
    lastRecord = 0
    recordBytes = 0
    rejectBytes = 0
    arena.clear()
    batchArena.clear()
  }

  /// How many bytes the rows take, with their texts and records, and the rejected records.
  var byteCount: Int { count * rowBytes + arena.count + recordBytes + rejectBytes }

  // MARK: Rows

  mutating func beginRow() {
    precondition(count - batchStart < Self.batchRows, "a full window is ended first")
    if count == blockCount << Self.batchBits { addBlock() }
    go(to: count)
    current.clear()
  }

  /// Makes a row of the batch the one whose cells are written.
  @inline(__always)
  mutating func go(to row: Int) {
    self.row = row
    current = cells(ofRow: row)
  }

  mutating func endRow(_ position: RecordPosition, text: UnsafeBufferPointer<UInt8>?) {
    positions[row - batchStart] = position
    texts[row - batchStart] = text.map { batchArena.keep($0) } ?? 0
    count += 1
  }

  /// Ends the row of a child: the children of one record share its text.
  mutating func endChild(_ position: RecordPosition, text: UnsafeBufferPointer<UInt8>?) {
    let place = row - batchStart
    guard place > 0, positions[place - 1].record == position.record else {
      return endRow(position, text: text)
    }
    positions[place] = position
    texts[place] = texts[place - 1]
    count += 1
  }

  /// Whether there is no room for another row, or the texts of its rows and records are long, rejected ones included.
  @inlinable var isBatchFull: Bool {
    count - batchStart == Self.batchRows
      || batchArena.count + arena.count + rejectBytes - batchText >= Self.batchBytes
  }

  /// Ends the batch: what it alone holds is gone.
  mutating func flushBatch() {
    batchStart = count
    batchText = arena.count + rejectBytes
    batchArena.clear()
  }

  /// Where a record of the batch stood.
  func position(_ row: Int) -> RecordPosition { positions[row - batchStart] }

  /// A record of the batch, if it is kept.
  func text(_ row: Int) -> UnsafeBufferPointer<UInt8>? {
    let text = texts[row - batchStart]
    return text == 0 ? nil : batchArena.slice(text)
  }

  private mutating func addBlock() {
    if blockCount == blockCapacity {
      let larger = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: blockCapacity * 2)
      larger.moveInitialize(from: blocks, count: blockCount)
      blocks.deallocate()
      blocks = larger
      blockCapacity *= 2
    }
    (blocks + blockCount).initialize(to: .allocate(byteCount: Self.batchRows * rowBytes, alignment: 8))
    blockCount += 1
  }

  // MARK: Cells

  /// Where a row's kept cells begin.
  @inlinable @inline(__always)
  func keptRow(_ row: Int) -> UnsafeMutableRawPointer {
    blocks[row >> Self.batchBits] + (row & (Self.batchRows - 1)) * rowBytes
  }

  /// A row by its addresses, for who reads several of its cells. Valid until the batch ends.
  @inlinable @inline(__always)
  public func cells(ofRow row: Int) -> RowCells {
    // A row before the batch has no transient cells, and nobody asks for them.
    let batch = row < batchStart ? batch : batch + (row - batchStart) * batchRowBytes
    return RowCells(
      kept: keptRow(row), batch: batch, keptCount: kept, transientCount: transient)
  }

  /// The address of a cell.
  @inlinable @inline(__always)
  public func cell(_ column: Int, _ row: Int) -> UnsafeMutablePointer<UInt64> {
    cells(ofRow: row).cell(column)
  }

  /// The address of a cell's state.
  @inlinable @inline(__always)
  public func state(_ column: Int, _ row: Int) -> UnsafeMutablePointer<UInt8> {
    cells(ofRow: row).state(column)
  }

  // Of the row whose cells are written:

  /// Makes eight bytes the value of a cell.
  @inlinable @inline(__always)
  public func set(_ value: UInt64, _ column: Int) {
    current.cell(column).pointee = value
    current.state(column).pointee = CellState.value.rawValue
  }

  /// Makes a cell null.
  @inlinable @inline(__always)
  public func setNull(_ column: Int) {
    current.state(column).pointee = CellState.null.rawValue
  }

  @inline(__always)
  func isAbsent(_ column: Int) -> Bool {
    current.state(column).pointee == CellState.absent.rawValue
  }

  // MARK: Texts and blobs

  @inline(__always)
  func address(_ cell: UInt64, _ column: Int) -> UnsafeMutablePointer<UInt8> {
    column < kept ? arena.address(cell) : batchArena.address(cell)
  }

  /// The bytes that a text's or a blob's cell stands for.
  @inlinable @inline(__always)
  public func slice(_ cell: UInt64, _ column: Int) -> UnsafeBufferPointer<UInt8> {
    column < kept ? arena.slice(cell) : batchArena.slice(cell)
  }

  @inline(__always)
  mutating func keep(_ bytes: UnsafeBufferPointer<UInt8>, _ column: Int) -> UInt64 {
    column < kept ? arena.keep(bytes) : batchArena.keep(bytes)
  }

  @inline(__always)
  mutating func keep(_ word: UInt64, count: Int, _ column: Int) -> UInt64 {
    column < kept ? arena.keep(word, count: count) : batchArena.keep(word, count: count)
  }

  @inline(__always)
  mutating func reserve(_ byteCount: Int, _ column: Int) -> UnsafeMutablePointer<UInt8> {
    column < kept ? arena.reserve(byteCount) : batchArena.reserve(byteCount)
  }

  @inline(__always)
  mutating func taken(_ byteCount: Int, _ column: Int) -> UInt64 {
    column < kept ? arena.taken(byteCount) : batchArena.taken(byteCount)
  }
}

/// One row of a chunk, as `CellMemory` lays it out. Columns are few: no sum here can overflow.
public struct RowCells: BitwiseCopyable {
  @usableFromInline package let kept: UnsafeMutableRawPointer
  @usableFromInline package let batch: UnsafeMutableRawPointer
  @usableFromInline package let keptCount: Int
  @usableFromInline let transientCount: Int

  /// A row by the addresses of its kept cells and of the batch's.
  @inlinable @inline(__always)
  public init(
    kept: UnsafeMutableRawPointer, batch: UnsafeMutableRawPointer, keptCount: Int, transientCount: Int
  ) {
    self.kept = kept
    self.batch = batch
    self.keptCount = keptCount
    self.transientCount = transientCount
  }

  /// Makes every cell absent.
  @inline(__always)
  fileprivate func clear() {
    Self.clear(kept, keptCount)
    Self.clear(batch, transientCount)
  }

  /// A row's states fill whole words, most often one.
  @inline(__always)
  private static func clear(_ row: UnsafeMutableRawPointer, _ count: Int) {
    let states = row + count &* 8
    if count > 0 { states.storeBytes(of: 0, as: UInt64.self) }
    if count > 8 { memset(states, 0, count) }
  }

  /// The address of a cell of this row.
  @inlinable @inline(__always)
  public func cell(_ column: Int) -> UnsafeMutablePointer<UInt64> {
    let start = column < keptCount ? kept + column &* 8 : batch + (column &- keptCount) &* 8
    return start.assumingMemoryBound(to: UInt64.self)
  }

  /// The address of the state of a cell of this row.
  @inlinable @inline(__always)
  public func state(_ column: Int) -> UnsafeMutablePointer<UInt8> {
    let start =
      column < keptCount
      ? kept + (keptCount &* 8 &+ column)
      : batch + (transientCount &* 8 &+ column &- keptCount)
    return start.assumingMemoryBound(to: UInt8.self)
  }

  /// A cell that holds a value; nil for null and absent.
  @inlinable @inline(__always)
  public func value(_ column: Int) -> UInt64? {
    state(column).pointee == CellState.value.rawValue ? cell(column).pointee : nil
  }
}
