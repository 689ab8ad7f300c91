internal import ImportModel
import Yams

/// A YAML text as a tree of nodes that know their places, doubled keys included.
struct YAMLDocument {
  /// The top of the tree; nil for a text that says nothing.
  let root: Node?
  /// What stands in the text for the first letters that `compose` has masked.
  private let masks: [Unicode.Scalar: Unicode.Scalar]
  /// What stands for U+FEFF while the text is parsed; nil where the text has none.
  private let orderMask: Unicode.Scalar?

  /// A text past this size is no pipeline, and is not parsed.
  static let maximumSize = 1 << 20
  private static let maximumMasks = 20
  /// Private use: no pipeline has these.
  private static let firstMask: UInt32 = 0xF0000

  /// Parses a text that holds one document.
  ///
  /// The parser ends at the first doubled key and tells where its first copy is. So that one run can tell
  /// every problem, and the place of the second copy, the first letter of the first copy is masked and the
  /// text is parsed again. A mask is one character too, so every place stays true.
  init(_ text: String) throws(YAMLSyntaxError) {
    guard text.utf8.count <= Self.maximumSize else {
      throw YAMLSyntaxError(place: nil, .fileTooLarge(text.utf8.count))
    }
    var text = text
    orderMask = text.maskByteOrderMarks()
    var masks: [Unicode.Scalar: Unicode.Scalar] = [:]
    while true {
      do {
        // A scalar is its text here: rules for numbers, dates and so on are not needed, and take 2 ms to compile.
        root = try compose(yaml: text, .basic)
        self.masks = masks
        return
      } catch YamlError.duplicatedKeysInMapping(let keys, let context) where masks.count < Self.maximumMasks {
        let mask = Unicode.Scalar(Self.firstMask + UInt32(masks.count))
        guard let mask, let letter = text.replaceKeyStart(at: context.mark, with: mask) else {
          throw YAMLSyntaxError(place: PipelineProblem.Location(context.mark), .keyTwice(keys.first ?? ""))
        }
        masks[mask] = letter
      } catch {
        throw YAMLSyntaxError(error, in: text)
      }
    }
  }

  /// The text of a mapping's key, as it stands in the file; nil for a key that is not plain text.
  func text(ofKey node: Node) -> String? {
    guard let text = node.scalar.map(text(of:)) else { return nil }
    guard let first = text.unicodeScalars.first, let letter = masks[first] else { return text }
    return String(letter) + String(text.unicodeScalars.dropFirst())
  }
}

extension YAMLDocument {
  /// The text of a scalar, which the parser gives without a U+FEFF at its beginning.
  func text(of scalar: Node.Scalar) -> String {
    guard let orderMask else { return scalar.string }
    let scalars = scalar.string.unicodeScalars.map { $0 == orderMask ? "\u{feff}" : $0 }
    return String(String.UnicodeScalarView(scalars))
  }
}

/// Why a text is not YAML, and where.
struct YAMLSyntaxError: Error {
  var place: PipelineProblem.Location?
  var message: Message

  init(place: PipelineProblem.Location?, _ message: Message) {
    self.place = place
    self.message = message
  }

  init(_ error: any Error, in text: String) {
    switch error as? YamlError {
    case .composer(_, "but found another document", let mark, _):
      self.init(place: PipelineProblem.Location(mark), .secondDocument)
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      let isFurther = context.map { $0.mark.line != mark.line } ?? false
      let begun = isFurther ? context.map { ($0.text, $0.mark.line) } : nil
      self.init(place: PipelineProblem.Location(mark), .notYAML(problem, within: begun))
    case .reader(let problem, let offset?, _, _):
      let before = text.prefix(offset).split(separator: "\n", omittingEmptySubsequences: false)
      let place = PipelineProblem.Location(line: before.count, column: (before.last?.count ?? 0) + 1)
      self.init(place: place, .notYAML(problem))
    case .duplicatedKeysInMapping(let keys, let context):
      self.init(place: PipelineProblem.Location(context.mark), .keyTwice(keys.first ?? ""))
    default:
      self.init(place: nil, .notYAML("\(error)"))
    }
  }
}

extension PipelineProblem.Location {
  init(_ mark: Mark) {
    self.init(line: mark.line, column: mark.column)
  }
}

extension String {
  /// Puts another character in the place of each U+FEFF but the file's first: as itself, or as an escape behind a quote.
  ///
  /// - Returns: the other character, which the text did not have; nil where there was nothing to do.
  fileprivate mutating func maskByteOrderMarks() -> Unicode.Scalar? {
    let escape = #/"\\u[fF][eE][fF][fF]/#
    let first = unicodeScalars.first.map { String($0) } ?? ""
    let rest = String(unicodeScalars.dropFirst())
    guard rest.unicodeScalars.contains("\u{feff}") || contains(escape) else { return nil }
    // Private use, and written with four digits: every place stays true.
    let free = (0xE000...0xF8FF as ClosedRange<UInt32>).lazy.compactMap(Unicode.Scalar.init).first {
      !unicodeScalars.contains($0)
    }
    guard let mask = free else { return nil }
    let scalars = rest.unicodeScalars.map { $0 == "\u{feff}" ? mask : $0 }
    self = (first + String(String.UnicodeScalarView(scalars)))
      .replacing(escape, with: #""\u"# + String(mask.value, radix: 16))
    return mask
  }

  /// Replaces the first letter of the plain or quoted key that starts at a mark.
  ///
  /// - Returns: the letter that was replaced; nil, with nothing replaced, for a key of another kind.
  fileprivate mutating func replaceKeyStart(at mark: Mark, with mask: Unicode.Scalar) -> Unicode.Scalar? {
    var scalars = Array(unicodeScalars)
    var index = 0
    for _ in 1..<mark.line {
      guard let end = scalars[index...].firstIndex(of: "\n") else { return nil }
      index = end + 1
    }
    index += mark.column - 1
    guard index < scalars.count else { return nil }
    if scalars[index] == "\"" || scalars[index] == "'" { index += 1 }
    guard index < scalars.count, !"&*!?\\\"'\n".unicodeScalars.contains(scalars[index]) else { return nil }
    let letter = scalars[index]
    scalars[index] = mask
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    self = String(view)
    return letter
  }
}
