internal import ImportModel

/// Reads a pipeline file's keys for how its imports run; a flag of the tool is named like its key.
enum SettingsFile {
  static let newFields = NewFieldPolicy.allCases.map { (word: $0.rawValue, choice: $0) }

  static let absentFields = AbsentFieldPolicy.allCases.map { (word: $0.rawValue, choice: $0) }

  static let commits = CommitPolicy.allCases.map { (word: $0.rawValue, choice: $0) }

  static let sorts = SortPolicy.allCases.map { (word: $0.rawValue, choice: $0) }

  static let creations: [(word: String, choice: StoreCreation)] = [
    ("if-new", .ifNew), ("never", .never), ("always", .always),
  ]

  static func settings(_ parts: [String: YAMLPart], _ reader: inout YAMLReader) -> ImportSettings {
    var settings = ImportSettings()
    if let value = parts["atomic"].flatMap({ reader.boolean($0) }) { settings.isAtomic = value }
    if let value = parts["stop-on-reject"].flatMap({ reader.boolean($0) }) { settings.stopsOnReject = value }
    if let value = parts["show-values"].flatMap({ reader.boolean($0) }) { settings.showsValues = value }
    if let value = parts["force"].flatMap({ reader.boolean($0) }) { settings.force = value }
    if let value = parts["on-new-field"].flatMap({ reader.choice($0, among: newFields) }) {
      settings.newFieldPolicy = value
    }
    if let value = parts["on-absent-field"].flatMap({ reader.choice($0, among: absentFields) }) {
      settings.absentFieldPolicy = value
    }
    if let value = parts["commit"].flatMap({ reader.choice($0, among: commits) }) {
      settings.commitPolicy = value
    }
    if let value = parts["sort"].flatMap({ reader.choice($0, among: sorts) }) {
      settings.sortPolicy = value
    }
    if let value = parts["chunk-rows"].flatMap({ reader.number($0, in: 1...Int(Int32.max)) }) {
      settings.chunkRows = value
    }
    if let value = reader.value(parts["max-rejects"], .rejectLimit, { RejectLimit($0) }) {
      settings.rejectLimit = value
    }
    settings.bounds.records = parts["max-records"].flatMap { reader.number($0, in: 1...Int.max) }
    settings.minimumRecords = parts["min-records"].flatMap { reader.number($0, in: 1...Int.max) }
    settings.maximumMissing = reader.value(parts["max-missing"], .share, { ShareText($0) })?.share
    settings.maximumChanged = reader.value(parts["max-changed"], .share, { ShareText($0) })?.share
    settings.bounds.bytes = reader.value(parts["max-bytes"], .inputSize, { SizeText($0) })?.bytes
    settings.bounds.seconds = reader.value(parts["max-time"], .waitTime, { WaitText($0) })?.seconds
    if let value = reader.value(parts["lock-wait"], .waitTime, { WaitText($0) }) {
      settings.lockWait = value.seconds
    }
    if let value = reader.value(parts["wal-limit"], .logSize, { SizeText($0) }) {
      settings.walLimit = value.bytes
    }
    if let value = reader.value(parts["memory"], .memory, { MemoryBudget($0) }) {
      settings.memory = value.bytes
    }
    if let value = parts["connections"].flatMap({ reader.number($0, in: ImportSettings.connectionCounts) }) {
      settings.connections = value
    }
    if let value = parts["reject-rows"].flatMap({ reader.number($0, in: 0...Int(Int32.max)) }) {
      settings.rejectBounds.rows = value
    }
    if let value = reader.value(parts["reject-text"], .textSize, { SizeText($0) }) {
      settings.rejectBounds.text = value.bytes
    }
    if let value = reader.value(parts["reject-total"], .textSize, { SizeText($0) }) {
      settings.rejectBounds.total = value.bytes
    }
    if let value = parts["create"].flatMap({ reader.choice($0, among: creations) }) {
      settings.storeCreation = value
    }
    return settings
  }

  /// An age after which something is overdue.
  static func age(_ part: YAMLPart?, _ reader: inout YAMLReader) -> Double? {
    reader.value(part, .age) { WaitText(withUnit: $0)?.seconds }
  }
}

extension YAMLReader {
  /// A text that means something; `form` says what.
  mutating func value<Value>(_ part: YAMLPart?, _ form: Reason, _ make: (String) -> Value?) -> Value? {
    guard let part, let text = text(part) else { return nil }
    guard let value = make(text) else {
      report(.notOfForm(subject(of: part), form, text), at: part.place)
      return nil
    }
    return value
  }
}
