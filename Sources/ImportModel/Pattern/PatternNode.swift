/// A regular expression as a tree.
indirect enum PatternNode {
  /// Nothing.
  case empty
  /// One scalar of a class.
  case scalar(ScalarClass)
  case sequence([PatternNode])
  case choice([PatternNode])
  /// At least and at most so often; nil for no end.
  case repeated(PatternNode, least: Int, most: Int?)
}
