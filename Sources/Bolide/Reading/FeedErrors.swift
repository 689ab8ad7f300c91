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
      let after = "Fetch the input again and run the same command: nothing is doubled."
      throw ImportError(
        .badInput, code: "count-differs",
        "\(input): the envelope counts \(count) records, and \(read) were read",
        hint: isStored ? "What was read is in the store. " + after : after)
    }
    if read == 0, !hasRows, count == nil {
      throw ImportError(
        .badInput, code: "no-rows", "\(input): there are no rows; \(keysSentence)",
        hint: "This may be the sender's error message: look at the input.")
    }
  }

  /// A feed of rows that does not have the key's column is another feed, or has changed: no row of it can land.
  func checkNames(_ builder: RowBuilder, input: String) throws(ImportError) {
    guard let names, let missing = builder.missingKey(in: names) else { return }
    throw ImportError(
      .badInput, code: "key-missing",
      "\(input): there is no column '\(missing)', which the key is read from; the columns are "
        + names.prefix(20).joined(separator: ", "),
      hint: "If the feed has renamed it, say so in the pipeline with `from:`.")
  }
}
