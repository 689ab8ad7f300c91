/// Bytes that stay where they are until the arena is cleared: a statement under way may point at them.
///
///     place    32 bits: block number << 20 | offset in the block
///     blocks   0: 1 MiB   1: 1 MiB   2, 3, 4: one piece of 3 MiB, for a text that is larger than a block   …
///
/// Pointers and numbers only, as `CellMemory` says.
public struct ByteArena: BitwiseCopyable {
  /// How many bytes are held, gaps at the ends of blocks included.
  @usableFromInline private(set) var count = 0
  @usableFromInline package private(set) var blocks: UnsafeMutablePointer<Block>
  private var blockCount = 0
  private var blockCapacity = 16
  /// Whether a block is not an allocation of its own.
  private var hasLargePiece = false

  @usableFromInline package struct Block: BitwiseCopyable {
    @usableFromInline package let start: UnsafeMutablePointer<UInt8>
    /// Whether an allocation begins here, or an earlier block's goes on.
    let isPiece: Bool
  }

  @usableFromInline package static let blockBits = 20
  @usableFromInline package static let blockSize = 1 << blockBits

  init() {
    blocks = .allocate(capacity: blockCapacity)
  }

  mutating func deallocate() {
    deallocateBlocks()
    blocks.deallocate()
  }

  /// Forgets everything. Blocks of the usual size are kept for what comes.
  mutating func clear() {
    count = 0
    guard hasLargePiece else { return }
    deallocateBlocks()
    blockCount = 0
    hasLargePiece = false
  }

  private func deallocateBlocks() {
    for block in 0..<blockCount where blocks[block].isPiece { blocks[block].start.deallocate() }
  }

  /// Where the bytes of a cell lie.
  @inlinable @inline(__always)
  public func address(_ cell: UInt64) -> UnsafeMutablePointer<UInt8> {
    let place = Int(cell >> 32)
    return blocks[place >> Self.blockBits].start + (place & (Self.blockSize - 1))
  }

  /// The bytes that a cell stands for.
  @inlinable @inline(__always)
  public func slice(_ cell: UInt64) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: address(cell), count: Int(cell & 0xffff_ffff))
  }

  /// Room for bytes that the caller writes itself; take them with `taken`.
  @inline(__always)
  mutating func reserve(_ byteCount: Int) -> UnsafeMutablePointer<UInt8> {
    let offset = count & (Self.blockSize - 1)
    if count >> Self.blockBits >= blockCount || offset + byteCount > Self.blockSize { begin(byteCount) }
    return address(UInt64(count) << 32)
  }

  /// Makes the first reserved bytes a cell.
  @inline(__always)
  mutating func taken(_ byteCount: Int) -> UInt64 {
    defer { count += byteCount }
    return UInt64(count) << 32 | UInt64(byteCount)
  }

  /// Copies bytes.
  mutating func keep(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let room = reserve(bytes.count)
    if let start = bytes.baseAddress { room.update(from: start, count: bytes.count) }
    return taken(bytes.count)
  }

  /// Keeps the lowest bytes of a word, eight at most.
  @inline(__always)
  mutating func keep(_ word: UInt64, count byteCount: Int) -> UInt64 {
    UnsafeMutableRawPointer(reserve(8)).storeBytes(of: word.littleEndian, as: UInt64.self)
    return taken(byteCount)
  }

  /// Goes on to a block with enough room.
  private mutating func begin(_ byteCount: Int) {
    precondition(count + byteCount < 1 << 32, "a chunk is closed long before its texts are 4 GiB")
    var next = (count + Self.blockSize - 1) >> Self.blockBits
    if byteCount > Self.blockSize || next >= blockCount {
      next = blockCount
      add(blocks: max(1, (byteCount + Self.blockSize - 1) >> Self.blockBits))
    }
    count = next << Self.blockBits
  }

  private mutating func add(blocks added: Int) {
    if blockCount + added > blockCapacity {
      blockCapacity = max(blockCapacity * 2, blockCount + added)
      let larger = UnsafeMutablePointer<Block>.allocate(capacity: blockCapacity)
      larger.update(from: blocks, count: blockCount)
      blocks.deallocate()
      blocks = larger
    }
    let piece = UnsafeMutablePointer<UInt8>.allocate(capacity: added << Self.blockBits)
    for block in 0..<added {
      (blocks + blockCount + block).initialize(
        to: Block(start: piece + block << Self.blockBits, isPiece: block == 0))
    }
    blockCount += added
    if added > 1 { hasLargePiece = true }
  }
}
