internal import ImportModel

/// Reads `history:` of a pipeline file.
enum RetentionFile {
  static func retention(_ part: YAMLPart, _ reader: inout YAMLReader) -> HistoryRetention? {
    guard let settings = reader.settings(of: part, allowed: .retention) else { return nil }
    var retention = HistoryRetention()
    if let keep = settings["keep"] {
      retention.keep = reader.time(keep)
    }
    if let transactions = settings["transactions"] {
      retention.transactions = reader.number(transactions, in: 0...Int(Int32.max))
    }
    if let hold = settings["hold-for-readers"] {
      retention.holdForReaders = reader.time(hold)
    }
    if let cap = settings["cap"] {
      retention.cap = reader.value(cap, .historySize, { SizeText($0) }).map { Int64($0.bytes) }
    }
    return retention
  }
}

extension YAMLReader {
  /// A time such as `90d`, in seconds.
  fileprivate mutating func time(_ part: YAMLPart) -> Double? {
    value(part, .retention) { text in
      text == "forever" ? .infinity : WaitText(withUnit: text)?.seconds
    }
  }
}
