internal import JSONStream

// What a feed says of itself, held against what was read of it.
extension Envelope {
  /// The input ended well; does what it said of itself agree with what was read?
  ///
  /// - Parameters:
  ///   - read: how many records were.
  ///   - isStored: whether they are in a store now.
  func checkEnd(read: Int, input: String, isStored: Bool) throws(ImportError) {
    if let count, count != read {
      throw .countDiffers(input, counted: count, read: read, isStored: isStored)
    }
    if read == 0, !hasRows, count == nil { throw .noRows(input, self) }
  }

  /// A feed of rows that does not have the key's column is another feed, or has changed: no row of it can land.
  func checkNames(_ builder: RowBuilder, input: String) throws(ImportError) {
    guard let names, let missing = builder.missingKey(in: names) else { return }
    throw .keyMissing(input, missing, among: names)
  }
}
