/// What was wrong with a store's triggers and indexes, a sentence each.
public struct RepairReport: Sendable, Hashable {
  /// Indexes that were missing. Nothing is lost without one.
  public var indexes: [String] = []
  /// Names of indexes that a first load had left to its end, which it has not reached.
  public var unbuiltIndexes: [String] = []
  /// Triggers that were missing, altered or added.
  public var triggers: [String] = []

  /// Makes a report.
  public init(indexes: [String] = [], unbuiltIndexes: [String] = [], triggers: [String] = []) {
    self.indexes = indexes
    self.unbuiltIndexes = unbuiltIndexes
    self.triggers = triggers
  }

  /// Adds what another report says.
  package mutating func add(_ other: RepairReport) {
    indexes += other.indexes
    unbuiltIndexes += other.unbuiltIndexes
    triggers += other.triggers
  }

  /// Everything that somebody else had done wrong; empty when nothing was.
  public var problems: [String] { indexes + triggers }

  /// Whether history has a gap: what other programs wrote without the triggers is in no transaction.
  public var hasGap: Bool { !triggers.isEmpty }
}
