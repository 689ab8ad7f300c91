internal import JSONStream

/// Resolves the escapes of JSON strings, into memory that is used again.
package struct EscapedText {
  private var decoded: [UInt8] = []

  package init() {}

  /// Lends a string's content with its escapes resolved.
  ///
  /// - Parameter text: of a record that was parsed: its escapes are sound.
  /// - Returns: what `body` returns; nil when half of a surrogate pair stands alone.
  package mutating func withContent<R>(
    of text: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> R
  ) -> R? {
    guard let start = text.baseAddress, text.contains(UInt8(ascii: "\\")) else { return body(text) }
    if decoded.count < text.count { decoded = Array(repeating: 0, count: text.count) }
    return decoded.withUnsafeMutableBufferPointer { target -> R? in
      guard let content = target.baseAddress else { return nil }
      let (count, unpaired) = StringDecoding.decode(start, count: text.count, into: content)
      return unpaired == nil ? body(UnsafeBufferPointer(start: content, count: count)) : nil
    }
  }
}
