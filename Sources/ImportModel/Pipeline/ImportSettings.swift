/// Settings of a pipeline's imports. `ImportOptions` overrides them for one import.
public struct ImportSettings: Sendable, Hashable, Encodable {
  /// The whole input is one transaction: all of it lands, or nothing.
  public var isAtomic = false
  /// The import ends at the first rejected record.
  public var stopsOnReject = false
  /// How many records may be rejected in a good import.
  public var rejectLimit = RejectLimit.count(0)
  /// Whether a transaction holds records of one input, or of several.
  public var commitPolicy = CommitPolicy.input
  /// In which order records are imported.
  public var sortPolicy = SortPolicy.none
  /// Commits after so many records; nil chooses.
  public var chunkRows: Int?
  /// A load into an empty table builds indexes at its end if its first chunk has so many rows.
  package var deferredIndexRows = 10_000
  /// How much memory the import takes, in bytes: from 48 MiB to 4 GiB, what lies outside is taken as the nearer of these. The longest
  /// record is 64 MiB, and with less than the usual 96 MiB a third of what is left beside 39 MiB.
  public var memory = 96 << 20
  /// Over how many connections records are imported into a store on a server, side by side: from 1 to 64. A file has one writer.
  public var connections = 1
  package static let connectionCounts = 1...64
  /// How long to wait for another import or program that holds the store, in seconds.
  public var lockWait: Double = 600
  /// How large the write-ahead log may grow while a reader keeps it from being emptied, in bytes.
  public var walLimit = 1 << 30
  /// How much is kept of rejected records.
  public var rejectBounds = RejectBounds()
  /// What happens when records have a field that the pipeline does not use and no earlier run has met.
  public var newFieldPolicy = NewFieldPolicy.warn
  /// What happens when no record has a field that the pipeline uses and earlier inputs had.
  public var absentFieldPolicy = AbsentFieldPolicy.warn
  /// Messages may show what records hold.
  public var showsValues = false
  /// Imports also a file that was imported before and has the same bytes.
  public var force = false
  /// Whether a store that is not there is made.
  public var storeCreation = StoreCreation.ifNew

  /// How much of its input the import reads at most.
  public var bounds = InputBounds()

  /// The import fails if its inputs have fewer records than this; nil for no minimum.
  public var minimumRecords: Int?
  /// The import of a full feed fails if more than this share, from 0 to 1, of the rows that the last complete run saw is
  /// missing; nil for no maximum.
  public var maximumMissing: Double?
  /// The import fails if more than this share, from 0 to 1, of the rows that it reads differs from what the last good run
  /// left; nil for no maximum.
  public var maximumChanged: Double?
  /// Guards that this import passes whatever they find.
  public var acceptedGuards: Set<ImportGuard> = []

  /// Makes the usual settings.
  public init() {}

  /// How the parts of the import share its memory.
  package var budget: MemoryBudget { MemoryBudget(bytes: memory, connections: connections) }
}

/// How much of an input an import reads at most, all its files together. What is nil has no bound.
public struct InputBounds: Sendable, Hashable, Encodable {
  /// Bytes: of a compressed input those that it expands to.
  public var bytes: Int?
  /// Records.
  public var records: Int?
  /// Seconds since the import began, also those in which nothing comes.
  public var seconds: Double?

  /// Makes bounds; without arguments, none.
  public init(bytes: Int? = nil, records: Int? = nil, seconds: Double? = nil) {
    self.bytes = bytes
    self.records = records
    self.seconds = seconds
  }
}

/// A check of a whole input that fails the import of an unlikely one, such as a feed that has become half as long.
public enum ImportGuard: String, Sendable, Hashable, Encodable, CaseIterable {
  /// The inputs have too few records.
  case minRecords = "min-records"
  /// Too many rows of the last complete run are missing.
  case maxMissing = "max-missing"
  /// Too many rows have other values than after the last good run.
  case maxChanged = "max-changed"
  /// A field that the pipeline uses and earlier inputs had is in no record.
  case onAbsentField = "on-absent-field"
  /// The feed has a field that the pipeline does not use and earlier inputs did not have.
  case onNewField = "on-new-field"
}

/// Where the transactions of an import of several inputs end, besides at their usual size.
public enum CommitPolicy: String, Sendable, Hashable, Encodable, CaseIterable {
  /// At the end of each input. The first one that cannot be read to its end ends the import.
  case input
  /// Nowhere: small inputs share transactions. The import goes on behind an input that cannot be read to its end, and fails
  /// after the last one.
  case chunk
}

/// In which order the records of an import are imported.
public enum SortPolicy: String, Sendable, Hashable, Encodable, CaseIterable {
  /// In the input's.
  case none
  /// In their key's: all are read before the first is imported, and sorted in a temporary file.
  case key
}

/// Whether a store that is not there is made.
public enum StoreCreation: String, Sendable, Hashable, Encodable, CaseIterable {
  /// Unless there was one: the file beside it remembers the last token that it gave out.
  case ifNew = "if-new"
  /// Never: a store that is not there is not mounted, say.
  case never
  /// Whether there was one or not.
  case always
}

/// What happens when a feed has a field that it did not have before, and that the pipeline does not use.
public enum NewFieldPolicy: String, Sendable, Hashable, Encodable, CaseIterable {
  /// It is told of once.
  case warn
  /// Nothing.
  case ignore
  /// The import ends at the first record that has it.
  case fail
  /// The store gets an attribute for it, which later imports of the pipeline fill.
  case add
}

/// What happens when no record has a field that the pipeline uses and earlier good inputs had.
public enum AbsentFieldPolicy: String, Sendable, Hashable, Encodable, CaseIterable {
  /// Each import tells of it.
  case warn
  /// Nothing.
  case ignore
  /// The import fails.
  case fail
}

/// How many records an import may reject and still be a good one.
public enum RejectLimit: Sendable, Hashable, Encodable {
  /// So many records.
  case count(Int)
  /// So many of a hundred.
  case percent(Double)

  /// Reads `5` or `2%`; nil for anything else.
  package init?(_ text: String) {
    if let text = ShareText(text) {
      self = .percent(text.share * 100)
    } else if let number = Int(text), number >= 0 {
      self = .count(number)
    } else {
      return nil
    }
  }

  /// Whether so many rejected records of so many are within the limit.
  package func allows(_ rejected: Int, of read: Int) -> Bool {
    switch self {
    case .count(let limit): rejected <= limit
    case .percent(let limit): Double(rejected) * 100 <= limit * Double(read)
    }
  }
}

/// A share as people write it.
package struct ShareText {
  /// The share, from 0 to 1.
  package var share: Double

  /// Reads `5%` or `0.5%`; nil for anything else.
  package init?(_ text: String) {
    guard text.hasSuffix("%"), let percent = Double(number: String(text.dropLast())),
      (0...100).contains(percent)
    else { return nil }
    share = percent / 100
  }
}

/// A length of time as people write it.
package struct WaitText {
  /// The time in seconds.
  package var seconds: Double

  /// Longer times mean nothing, and no calendar has them: 10,000 years.
  private static let longest = 10_000 * 31_536_000.0

  /// Reads `30s`, `10m`, `1h`, `90d`, `2w`, `1y` of 365 days, or a number of seconds; nil for anything else.
  package init?(_ text: String) {
    let units: [Character: Double] = [
      "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800, "y": 31_536_000,
    ]
    let unit = text.last.flatMap { units[$0] }
    guard let number = Double(number: unit == nil ? text : String(text.dropLast())) else { return nil }
    seconds = number * (unit ?? 1)
    guard (0...Self.longest).contains(seconds) else { return nil }
  }

  /// Reads the same, but no bare number: `30` for `30d` would throw a year of history away.
  package init?(withUnit text: String) {
    guard text.last?.isLetter == true else { return nil }
    self.init(text)
  }
}

/// A number of bytes as people write it.
package struct SizeText {
  /// The size in bytes.
  package var bytes: Int

  /// Reads `64MiB`, `1 GiB`, `500kB` or a number of bytes; nil for anything else.
  package init?(_ text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let units = [
      "": 1, "kB": 1000, "MB": 1_000_000, "GB": 1_000_000_000, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
    ]
    var name = text.dropFirst(digits.count)
    if name.first == " " { name = name.dropFirst() }
    guard let number = Int(digits), let unit = units[String(name)] else { return nil }
    let (size, overflow) = number.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    bytes = size
  }
}

extension Double {
  /// A decimal number; words such as `nan` and hexadecimal forms are none.
  package init?(number text: String) {
    guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || "+-.eE".utf8.contains($0) }),
      let number = Double(text), number.isFinite
    else { return nil }
    self = number
  }
}
