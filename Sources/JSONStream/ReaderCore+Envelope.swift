extension ReaderCore {
  enum EnvelopeStep { case goOn, rowsBeforeNames, documentEnds, needsInput }

  /// One token of what stands around the records.
  mutating func envelopeStep(_ view: TokenView) throws(JSONError) -> EnvelopeStep {
    guard walker.cursor < view.count else { return .needsInput }
    let offset = view.offset(walker.cursor)
    let byte = view.bytes[offset]
    switch walker.expectation {
    case .key, .keyOrEnd:
      let step = try envelopeToken(view)
      guard step == .goOn, byte == UInt8(ascii: "\"") else { return step }
      let close = view.offset(walker.cursor - 1)
      key(StringDecoding.string(view.bytes + offset + 1, count: close - offset - 1), at: offset)
      return .goOn
    case .elementOrEnd where byte == UInt8(ascii: "]"), .colon, .commaOrEnd:
      return try envelopeToken(view)
    case .nothing:
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { return .documentEnds }
      switch passMark(view, byte) {
      case .done: return .goOn
      case .needsInput: return .needsInput
      case .failed: return try envelopeToken(view)
      }
    case .value, .elementOrEnd:
      let depth = walker.depth
      let isElement = depth > 0 && !walker.isInObject
      if isElement { route.follow(key: String(route.indexes[depth]), depth: depth) }
      let step = try value(view, byte)
      if isElement && step == .goOn { route.indexes[depth] += 1 }
      return step
    }
  }

  private mutating func envelopeToken(_ view: TokenView) throws(JSONError) -> EnvelopeStep {
    switch walker.step(view) {
    case .done: return .goOn
    case .needsInput: return .needsInput
    case .failed: throw syntaxError()
    }
  }

  private mutating func key(_ key: String, at offset: Int) {
    route.follow(key: key, depth: walker.depth)
    guard walker.depth == 1 else { return }
    route.topKey = key
    if envelope.keys.count < Envelope.mostKeys { envelope.keys.append(key) }
  }

  /// Decides what the value under the cursor is: rows, names, the way to them, or nothing of interest.
  private mutating func value(_ view: TokenView, _ byte: UInt8) throws(JSONError) -> EnvelopeStep {
    let depth = walker.depth
    let complete = route.complete(depth)
    if complete & 1 != 0 { return try rows(view, byte) }
    if complete != 0 {
      capture(.names(source: complete.trailingZeroBitCount - 1))
    } else if (route.matched != 0 || depth == 0) && (byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")) {
      let step = try envelopeToken(view)
      if step == .goOn { route.enter(depth: walker.depth) }
      return step
    } else if depth == 1 && route.topKey == "count" && walker.isInObject {
      capture(.count)
    } else {
      activity = .skipping(floor: depth)
    }
    return .goOn
  }

  private mutating func capture(_ capture: Capture) {
    recordToken = walker.cursor
    recordEscape = walker.escape
    activity = .capturing(capture, floor: walker.depth)
  }

  /// The value under the cursor stands where the records are.
  private mutating func rows(_ view: TokenView, _ byte: UInt8) throws(JSONError) -> EnvelopeStep {
    let depth = walker.depth
    if layout.isConcatenated {
      envelope.hasRows = true
      activity = .rows(floor: depth, isSingle: false)
      return .goOn
    }
    switch byte {
    case UInt8(ascii: "["):
      if case .found = layout.names, envelope.names == nil {
        guard let isEmpty = isEmptyArray(view) else { return .needsInput }
        if !isEmpty { return holdRows(view) }
      }
      guard try envelopeToken(view) == .goOn else { return .needsInput }
      envelope.hasRows = true
      bindWildcards()
      activity = .rows(floor: depth + 1, isSingle: false)
    case UInt8(ascii: "{") where !parsesRows:
      envelope.hasRows = true
      bindWildcards()
      // In an array the walker may still expect its end; here a value is known to stand.
      walker.expectation = .value
      activity = .rows(floor: depth, isSingle: true)
    case UInt8(ascii: "n"):
      activity = .skipping(floor: depth)
    case UInt8(ascii: "{"), UInt8(ascii: "\""), UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "t"), UInt8(ascii: "f"):
      throw error(.noRecordsThere, at: view.offset(walker.cursor))
    default:
      return try envelopeToken(view)
    }
    return .goOn
  }

  /// Whether the array under the cursor is empty; nil where the bytes do not show it yet.
  ///
  /// One that begins with more blanks than would be kept counts as not empty.
  private func isEmptyArray(_ view: TokenView) -> Bool? {
    let (start, next) = (view.offset(walker.cursor), walker.cursor + 1)
    let reached = next < view.count ? view.offset(next) : view.end
    if reached - start >= ShapeDetector.window { return false }
    return next < view.count ? view.byte(next) == UInt8(ascii: "]") : nil
  }

  /// Rows that nobody can name yet: the caller is told once, and then they are passed.
  private mutating func holdRows(_ view: TokenView) -> EnvelopeStep {
    if rowsStart != nil {
      activity = .skipping(floor: walker.depth)
      return .goOn
    }
    envelope.hasRows = true
    rowsStart = input.position(of: view.offset(walker.cursor))
    return .rowsBeforeNames
  }

  private mutating func bindWildcards() {
    for (slot, component) in wildcardSlots {
      guard let key = route.wildcards.last(where: { $0.component == component })?.key else { continue }
      parser.bind(slot: slot, to: key)
    }
  }

  /// Takes the layout as decided, and makes the parser for it.
  mutating func adopt(_ layout: Layout) {
    self.layout = layout
    wildcardSlots = []
    var paths: [[String]?] = []
    for (slot, path) in (requested.map(\.components) + recordPaths).enumerated() {
      if path.count == 1 && Layout.isWildcard(path[0]) && (layout.rows ?? []).contains(path[0]) {
        wildcardSlots.append((slot, path[0]))
        paths.append(nil)
      } else {
        paths.append(path)
      }
    }
    parser = RecordParser(fields: paths, limits: limits)
    index.delimiter = layout.delimiter
    switch layout.names {
    case .none: parsesRows = false
    case .found, .firstRow: parsesRows = true
    case .given(let names):
      parsesRows = true
      // Two columns of one given name: the caller's own choice, the last one counts.
      _ = parser.setColumns(names)
    }
    beginDocument()
  }

  /// At the first token of a document: of a further one all but its layout is unknown again.
  mutating func beginDocument() {
    let changes = route.wildcardChanges
    route = Route(layout)
    route.wildcardChanges = changes + 1
    envelope = Envelope()
    envelope.lookedAt = layout.lookedAt
    envelope.hasRows = layout.delimiter != nil
    if case .given(let names) = layout.names { envelope.names = names }
    mayBeHeader = true
    rowsStart = nil
    walker.start(at: walker.cursor, escape: walker.escape, depth: 0)
    activity = layout.delimiter.map { .cells(delimiter: $0) } ?? .envelope
  }

  /// Passes a byte order mark between two values at the top: files that each begin with one were put together.
  mutating func passMark(_ view: TokenView, _ byte: UInt8) -> Outcome {
    guard byte == 0xef else { return .failed }
    let offset = view.offset(walker.cursor)
    guard offset + 3 <= view.faultless else { return .needsInput }
    guard view.bytes[offset + 1] == 0xbb, view.bytes[offset + 2] == 0xbf else { return .failed }
    walker.cursor += 1
    return .done
  }
}
