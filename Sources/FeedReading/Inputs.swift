internal import ImportInput

package extension [ByteInput] {
  /// What the run's row calls them.
  var name: String { count == 1 ? self[0].name : "\(self[0].name) and \(count - 1) more" }

  /// The size of all, if it is known.
  var totalBytes: Int64? {
    reduce(0) { sum, input in sum.flatMap { sum in input.totalBytes.map { sum + $0 } } }
  }
}
