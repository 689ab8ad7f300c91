internal import ImportModel
internal import StoreInterface

extension StoreError {
  /// - Parameter place: `input:line:column`.
  static func keyExists(record: Int, at place: String, key: [String], of entity: String) -> StoreError {
    StoreError(
      .keyExists,
      "\(place): record \(record) has the \(key.listed) of an existing \(entity), and the merge "
        + "policy is 'fail'",
      hint: "Remove the record from the input, or set `merge: ignore` or `merge: update`.")
  }
}
