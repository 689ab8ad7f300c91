internal import FeedReading
internal import JSONStream

/// What the arrays in one place show that are two numbers, or three, as the coordinates of a point are.
struct PointValues {
  private(set) var count = 0
  /// Those of them with a third.
  private(set) var withThird = 0
  /// How far the first numbers and the second ones go from nought.
  private(set) var reach = SIMD2(0.0, 0)
  /// Whether any of those numbers has a fraction.
  private(set) var hasFraction = false

  mutating func take(_ array: Elements) {
    guard array.isPoint else { return }
    count += 1
    if array.hasThird { withThird += 1 }
    reach = pointwiseMax(reach, array.reach)
    hasFraction = hasFraction || array.hasFraction
  }

  /// The elements of one array, as far as it is a point's.
  struct Elements {
    private(set) var count = 0
    private var areNumbers = true
    fileprivate private(set) var hasThird = false
    fileprivate private(set) var reach = SIMD2(0.0, 0)
    fileprivate private(set) var hasFraction = false

    var isPoint: Bool { areNumbers && 2...3 ~= count }

    mutating func take(_ element: JSONCursor.Item) {
      defer { count += 1 }
      guard areNumbers, count < 3 else { return }
      switch element {
      case .number(let bytes):
        guard let number = NumberParsing.double(bytes, grammar: .json), number.isFinite else {
          areNumbers = false
          return
        }
        hasThird = count == 2
        guard count < 2 else { return }
        reach[count] = abs(number)
        hasFraction = hasFraction || bytes.contains(UInt8(ascii: "."))
      case .null where count == 2: break
      default: areNumbers = false
      }
    }
  }
}
