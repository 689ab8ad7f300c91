/// The memory of a chunk's cells; drawn at `Chunk`.
///
/// A plain struct behind a fixed address and not the properties of a class: a cell's way in and out is then an
/// address and an offset, without a check or a count of references.
struct CellMemory {
  var count = 0
  var row = 0
  let columns: Int
  let cells: UnsafeMutablePointer<UnsafeMutablePointer<UInt64>>
  let states: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>>
  var positions: UnsafeMutablePointer<RecordPosition>
  /// Where each row's record lies in the arena, as a cell holds it; 0 for none.
  var texts: UnsafeMutablePointer<UInt64>
  var arena: UnsafeMutablePointer<UInt8>
  var arenaCount = 0
  private var capacity: Int
  private var arenaCapacity: Int
  /// Arenas that were outgrown. A statement under way may still point into them, so they go with `clear`.
  private var outgrown: [UnsafeMutablePointer<UInt8>] = []

  init(columns: Int) {
    self.columns = columns
    capacity = 1024
    arenaCapacity = 64 * 1024
    cells = .allocate(capacity: columns)
    states = .allocate(capacity: columns)
    for column in 0..<columns {
      (cells + column).initialize(to: .allocate(capacity: capacity))
      (states + column).initialize(to: .allocate(capacity: capacity))
    }
    positions = .allocate(capacity: capacity)
    texts = .allocate(capacity: capacity)
    arena = .allocate(capacity: arenaCapacity)
  }

  mutating func deallocate() {
    for column in 0..<columns {
      cells[column].deallocate()
      states[column].deallocate()
    }
    cells.deallocate()
    states.deallocate()
    positions.deallocate()
    texts.deallocate()
    clear()
    arena.deallocate()
  }

  mutating func clear() {
    count = 0
    arenaCount = 0
    outgrown.forEach { $0.deallocate() }
    outgrown.removeAll()
  }

  mutating func beginRow() {
    if count == capacity { grow() }
    row = count
    for column in 0..<columns { states[column][row] = CellState.absent.rawValue }
  }

  func set(_ cell: UInt64, _ column: Int) {
    states[column][row] = CellState.value.rawValue
    cells[column][row] = cell
  }

  mutating func keep(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    makeRoom(bytes.count)
    if let start = bytes.baseAddress { (arena + arenaCount).update(from: start, count: bytes.count) }
    defer { arenaCount += bytes.count }
    return UInt64(arenaCount) << 32 | UInt64(bytes.count)
  }

  func slice(_ cell: UInt64) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: arena + Int(cell >> 32), count: Int(cell & 0xffff_ffff))
  }

  mutating func makeRoom(_ byteCount: Int) {
    guard arenaCount + byteCount > arenaCapacity else { return }
    arenaCapacity = max(arenaCapacity * 2, arenaCount + byteCount)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: arenaCapacity)
    larger.update(from: arena, count: arenaCount)
    outgrown.append(arena)
    arena = larger
  }

  private mutating func grow() {
    let larger = capacity * 2
    for column in 0..<columns {
      cells[column] = grown(cells[column], to: larger)
      states[column] = grown(states[column], to: larger)
    }
    positions = grown(positions, to: larger)
    texts = grown(texts, to: larger)
    capacity = larger
  }

  private func grown<Element>(
    _ old: UnsafeMutablePointer<Element>, to capacity: Int
  ) -> UnsafeMutablePointer<Element> {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
    larger.moveInitialize(from: old, count: count)
    old.deallocate()
    return larger
  }
}
