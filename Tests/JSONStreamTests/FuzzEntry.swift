// The entry point for libFuzzer: any bytes, in any pieces, must give the same records and the same error, and never a
// crash. It is no test of the suite: `.ci/fuzz` builds
// and runs it.
#if FUZZING
  /// Reads one input whole and in pieces; the first two bytes choose shape, limits and pieces.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count >= 3 else { return 0 }
    let shapes: [RecordShape] = [
      .automatic, .lines, .array(path: ""), .columnar(), .array(path: "a/<day>"),
      .positional(names: ["date", "a"]), .columnar(names: "m", nameKey: "n", rows: "a"),
      .array(path: "data/0/x"),
    ]
    let cells: [RecordShape] = [
      .delimited(), .delimited(by: UInt8(ascii: "\t")),
      .delimited(by: UInt8(ascii: ";"), names: ["date", "a"]),
    ]
    let bytes = Array(UnsafeBufferPointer(start: start + 2, count: count - 2))
    let isTight = start[0] & 0x80 != 0
    let limits =
      isTight
      ? ReaderLimits(depth: 4, recordBytes: 40, stringBytes: 8, numberBytes: 5) : ReaderLimits(depth: 70)
    let fields = start[0] & 0x40 != 0 ? ["date", "a/b", "a/0", "<day>", "x"] : ["a"]
    let shape = start[0] & 0x20 != 0 ? cells[Int(start[0] & 7) % cells.count] : shapes[Int(start[0] & 7)]
    let whole = Reading(bytes, fields: fields, shape: shape, limits: limits)
    let pieces = [max(1, Int(start[1])), 1, 3, 70]
    let parts = Reading(bytes, fields: fields, shape: shape, limits: limits, pieces: pieces)
    guard whole == parts else { fatalError("whole: \(whole)\nin pieces of \(pieces): \(parts)") }
    return 0
  }
#endif
