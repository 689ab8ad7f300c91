/// What is decided of a draft already.
public struct InferenceChoices: Sendable {
  /// The path of the records; nil to look for them.
  public var records: String?
  /// The key's attributes, by the names that the draft gives them or by their fields; empty to look for one.
  public var key: [String] = []
  /// The pipeline's name; nil for the input's.
  public var name: String?
  /// The records' entity; nil for one from the name.
  public var entity: String?

  /// Decides nothing.
  public init() {}
}
