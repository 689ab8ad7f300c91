/// What a whole input file was, to know it again.
package struct InputIdentity: Sendable, Hashable {
  /// Its size in bytes.
  package var size: Int
  /// The SHA-256 of its bytes.
  package var digest: [UInt8]
  /// The SHA-256 of everything else that decides what it becomes: the pipeline and the converters.
  package var rules: [UInt8]

  package init(size: Int, digest: [UInt8], rules: [UInt8]) {
    self.size = size
    self.digest = digest
    self.rules = rules
  }
}
