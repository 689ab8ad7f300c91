import Foundation

// The entry point for libFuzzer, as `.ci/fuzz` builds it; the parser has one of its own. It is no test of the suite.

/// One input for the target that the variable `FUZZ` names.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  target(bytes)
  return 0
}

// libFuzzer has one thread.
nonisolated(unsafe) private let target: ([UInt8]) -> Void = {
  switch ProcessInfo.processInfo.environment["FUZZ"] {
  case "pipeline": return PipelineFuzz.run
  case "expression": return ExpressionFuzz().run
  case "gzip": return GzipFuzz.run
  case "zstd": return ZstdFuzz().run
  case "store": return StoreFuzz().run
  default: fatalError("FUZZ names no target")
  }
}()

/// What an input should not have led to: the fuzzer keeps the input and ends.
func fault(_ what: String) -> Never {
  fatalError(what)
}

/// The bytes of an input, from its front.
struct Choices {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  var isEmpty: Bool { bytes.isEmpty }

  /// The next byte; 0 behind the end.
  mutating func byte() -> Int { Int(bytes.popFirst() ?? 0) }

  /// A number of two bytes.
  mutating func number() -> Int { byte() << 8 | byte() }

  mutating func take(_ count: Int) -> [UInt8] {
    defer { bytes = bytes.dropFirst(count) }
    return Array(bytes.prefix(count))
  }

  /// All that is left, as a text.
  mutating func text() -> String { String(decoding: take(bytes.count), as: UTF8.self) }
}
