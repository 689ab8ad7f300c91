public import Foundation

extension ImportError: CustomStringConvertible, LocalizedError {
  /// What is wrong and what to do about it, in sentences.
  public var description: String { hint.map { "\(message). \($0)" } ?? message }
  /// What is wrong, in a sentence: `localizedDescription`.
  public var errorDescription: String? { message }
  /// What to do about it, in sentences.
  public var recoverySuggestion: String? { hint }
}
