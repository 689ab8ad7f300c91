extension String {
  /// The text with each of an ASCII character twice, as SQL has a quote within quotes.
  ///
  /// Databases read bytes. A `Character` may hold a quote together with what stands beside it, such as an accent, and is then
  /// not equal to the quote.
  /// - Complexity: O(bytes).
  package func doubling(_ byte: UInt8) -> String {
    guard utf8.contains(byte) else { return self }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count + 2)
    for each in utf8 {
      if each == byte { bytes.append(byte) }
      bytes.append(each)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
