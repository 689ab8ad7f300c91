/// Gathers bytes that come one by one into pieces: up to a line's end, or to 16 KiB, so that a line is there when it has come.
public struct BytePieces<Bytes: AsyncSequence>: AsyncSequence where Bytes.Element == UInt8 {
  private let bytes: Bytes

  /// Pieces of these bytes.
  public init(_ bytes: Bytes) { self.bytes = bytes }

  /// Begins to gather.
  public func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes.makeAsyncIterator()) }

  /// Goes from one piece to the next.
  public struct Iterator: AsyncIteratorProtocol {
    private var bytes: Bytes.AsyncIterator
    /// How the bytes have ended, while their last piece is on its way.
    private var end: Result<Void, any Error>?

    fileprivate init(bytes: Bytes.AsyncIterator) { self.bytes = bytes }

    /// The next piece; nil behind the last one.
    ///
    /// - Throws: what the bytes' sequence throws, behind the bytes before it.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> [UInt8]? {
      var piece: [UInt8] = []
      while end == nil, piece.count < 16 << 10, piece.last != UInt8(ascii: "\n") {
        do {
          guard let byte = try await bytes.next(isolation: actor) else {
            end = .success(())
            break
          }
          piece.append(byte)
        } catch {
          end = .failure(error)
        }
      }
      if piece.isEmpty { try end?.get() }
      return piece.isEmpty ? nil : piece
    }
  }
}

extension BytePieces: Sendable where Bytes: Sendable {}
