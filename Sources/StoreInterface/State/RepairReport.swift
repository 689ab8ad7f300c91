/// What was wrong with a store's triggers and indexes, a sentence each.
public struct RepairReport: Sendable, Hashable {
  /// Indexes that were missing. Nothing is lost without one.
  public var indexes: [String] = []
  /// Triggers that were missing, altered or added.
  public var triggers: [String] = []

  package init(indexes: [String] = [], triggers: [String] = []) {
    self.indexes = indexes
    self.triggers = triggers
  }

  /// Everything that was wrong; empty when nothing was.
  public var problems: [String] { indexes + triggers }

  /// Whether history has a gap: what other programs wrote without the triggers is in no transaction.
  public var hasGap: Bool { !triggers.isEmpty }
}
