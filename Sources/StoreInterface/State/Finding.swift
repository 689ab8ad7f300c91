public import ImportModel
internal import TypedRows

/// One line of `bolide verify`: a problem, or information about the store.
public struct Finding: Sendable, Hashable, CustomStringConvertible {
  /// The entity or the table it is about, if it is about one.
  public var entity: String?
  /// The object's id, if it is about one object.
  public var id: Int64?
  /// The attribute, if it is about one value.
  public var attribute: String?
  /// What the store holds.
  public var stored: Value?
  /// What it should hold.
  public var expected: Value?
  /// The type of both, if they are an attribute's.
  public var type: AttributeType?
  /// The sentence, where there are no two values to show.
  public var message: String?

  /// Whether it is as it should be, and only to be known.
  public var isTrue = false

  package init(
    entity: String? = nil, id: Int64? = nil, attribute: String? = nil, stored: Value? = nil,
    expected: Value? = nil, type: AttributeType? = nil, message: String? = nil, isTrue: Bool = false
  ) {
    self.entity = entity
    self.id = id
    self.attribute = attribute
    self.stored = stored
    self.expected = expected
    self.type = type
    self.message = message
    self.isTrue = isTrue
  }

  /// `FireballGroup 37 fireballCount: stored 12, true 11`
  public var description: String {
    let place = [entity, id.map(String.init), attribute].compactMap { $0 }.joined(separator: " ")
    let values = expected.map { "stored \(stored.map(text) ?? "nothing"), true \(text($0))" }
    return [place, values ?? message ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
  }

  private func text(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .integer(let number):
      if case .decimal(let scale) = type { number.decimalText(scale) } else { String(number) }
    case .real(let number): number.description
    case .text(let text): text
    case .blob(let bytes): "\(bytes.count) bytes"
    }
  }
}
