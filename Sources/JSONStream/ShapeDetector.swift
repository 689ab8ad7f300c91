/// Finds where the records are, from the first bytes alone: the same input gives the same answer however it
/// arrives, because every decision falls at a token and looks at nothing behind it.
struct ShapeDetector: ~Copyable {
  enum Answer {
    case found(Layout)
    case needsInput
    case ambiguous([String])
  }

  /// An open container on the way: the key it is held by, and the note on it.
  private struct Frame {
    var key: String
    var note: Int
  }

  /// At this many bytes from the first token on, what was seen has to do.
  static let window = 1 << 20
  /// An input that has shown nothing that could be rows is looked at for so many.
  static let widest = 8 << 20
  private static let deepest = 6
  private static let mostElements = 16

  private var walker: GrammarWalker
  private var evidence: ShapeEvidence
  private var frames: [Frame] = []
  private var key = ""
  /// The container that is passed unread, or nil.
  private var skipFloor: Int?
  private var rootIsClosed = false
  private var window = ShapeDetector.window

  init(fields: [FieldPath], limits: ReaderLimits) {
    walker = GrammarWalker(limits: limits)
    evidence = ShapeEvidence(fields: fields)
  }

  /// Reads on; `isLast` says that no token will follow those of `view`.
  mutating func look(_ view: TokenView, isLast: Bool) -> Answer {
    while true {
      let step = skipFloor.map { walker.run(view, downTo: $0) }
      if let step {
        if step == .needsInput { return isLast ? conclude() : .needsInput }
        if step == .failed { return conclude() }
        skipFloor = nil
      }
      if view.count > 0 {
        // Where no token follows yet, blanks have come so far: they are not waited behind.
        let next = walker.cursor < view.count ? view.offset(walker.cursor) : view.end
        let reached = next - view.offset(0)
        if reached >= window {
          guard evidence.showsNothing, !rootIsClosed else { return conclude() }
          guard window < ShapeDetector.widest else { return .found(Layout(notWithin: window)) }
          window *= 2
          continue
        }
      }
      guard walker.cursor < view.count else { return isLast ? conclude() : .needsInput }
      let byte = view.bytes[view.offset(walker.cursor)]
      if rootIsClosed {
        // A byte order mark may stand before the next one.
        evidence.isFollowed = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") || byte == 0xef
        return conclude()
      }
      switch take(view, byte) {
      case .done: break
      case .needsInput: return isLast ? conclude() : .needsInput
      case .failed: return conclude()
      }
      if let layout = evidence.early { return .found(layout) }
      if walker.depth == 0 && walker.expectation == .nothing {
        rootIsClosed = true
        if evidence.isRecordAlone { return conclude() }
      }
    }
  }

  private func conclude() -> Answer { evidence.conclusion() }

  private mutating func take(_ view: TokenView, _ byte: UInt8) -> Outcome {
    let offset = view.offset(walker.cursor)
    switch walker.expectation {
    case .value where byte != UInt8(ascii: "]"), .elementOrEnd where byte != UInt8(ascii: "]"):
      return value(view, FieldKind(byte))
    case .key where byte == UInt8(ascii: "\""), .keyOrEnd where byte == UInt8(ascii: "\""):
      let outcome = walker.step(view)
      if outcome == .done {
        let close = view.offset(walker.cursor - 1)
        key = StringDecoding.string(view.bytes + offset + 1, count: close - offset - 1)
        evidence.saw(key: key, in: frames.last?.note)
      }
      return outcome
    default:
      let outcome = walker.step(view)
      if outcome == .done && walker.depth < frames.count {
        if let note = frames.popLast()?.note { evidence.closed(note) }
      }
      return outcome
    }
  }

  private mutating func value(_ view: TokenView, _ kind: FieldKind) -> Outcome {
    let isElement = walker.depth > 0 && !walker.isInObject
    let isContainer = kind == .object || kind == .array
    if isElement, let note = frames.last?.note {
      var text: String?
      if kind == .string && walker.cursor + 1 < view.count {
        let open = view.offset(walker.cursor)
        let close = view.offset(walker.cursor + 1)
        text = StringDecoding.string(view.bytes + open + 1, count: close - open - 1)
      } else if kind == .string {
        return .needsInput
      }
      evidence.element(kind, text: text, of: note)
    }
    let reads = isContainer && walker.depth < ShapeDetector.deepest && wanted(isElement, kind)
    guard reads else {
      skipFloor = walker.depth
      return .done
    }
    let path = isElement ? nil : frames.dropFirst().map(\.key) + (frames.isEmpty ? [] : [key])
    let outcome = walker.step(view)
    guard outcome == .done else { return outcome }
    let note = evidence.opened(kind, path: path, within: frames.last?.note)
    frames.append(Frame(key: key, note: note))
    return .done
  }

  /// Values within a record are not looked into; an array's elements are, the first few.
  private func wanted(_ isElement: Bool, _ kind: FieldKind) -> Bool {
    guard let last = frames.last?.note else { return true }
    return evidence.looksInto(kind, isElement: isElement, of: last, most: ShapeDetector.mostElements)
  }
}
