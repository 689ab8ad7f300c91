#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The system's zstd, loaded only when an input needs it: Bolide is built and runs without it.
final class ZstdLibrary: Sendable {
  typealias Create = @convention(c) () -> UnsafeMutableRawPointer?
  typealias Use = @convention(c) (UnsafeMutableRawPointer?) -> Int
  typealias Set = @convention(c) (UnsafeMutableRawPointer?, CInt, CInt) -> Int
  /// Takes the stream, a `ZSTD_outBuffer` and a `ZSTD_inBuffer`: each an address, a size and a place, three words.
  typealias Decompress =
    @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>, UnsafeMutablePointer<Int>) -> Int
  typealias ContentSize = @convention(c) (UnsafeRawPointer?, Int) -> UInt64
  typealias IsError = @convention(c) (Int) -> CUnsignedInt
  typealias ErrorCode = @convention(c) (Int) -> CInt

  let createStream: Create
  let freeStream: Use
  let initStream: Use
  let setParameter: Set
  let decompress: Decompress
  let contentSize: ContentSize
  let isError: IsError
  let errorCode: ErrorCode

  #if canImport(Glibc)
    static let systemPaths = ["libzstd.so.1"]
  #else
    static let systemPaths = [
      "libzstd.1.dylib", "/opt/homebrew/lib/libzstd.1.dylib", "/usr/local/lib/libzstd.1.dylib",
    ]
  #endif

  /// The first of these that can be loaded; it stays loaded.
  ///
  /// - Parameter paths: files, or names for the system's search.
  static func at(_ paths: [String]) -> ZstdLibrary? {
    for path in paths {
      guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) else { continue }
      if let library = ZstdLibrary(handle) { return library }
      dlclose(handle)
    }
    return nil
  }

  /// Nil where the library lacks one of the functions.
  private init?(_ handle: UnsafeMutableRawPointer) {
    guard let createStream = dlsym(handle, "ZSTD_createDStream"),
      let freeStream = dlsym(handle, "ZSTD_freeDStream"), let initStream = dlsym(handle, "ZSTD_initDStream"),
      let setParameter = dlsym(handle, "ZSTD_DCtx_setParameter"),
      let decompress = dlsym(handle, "ZSTD_decompressStream"),
      let contentSize = dlsym(handle, "ZSTD_getFrameContentSize"),
      let isError = dlsym(handle, "ZSTD_isError"), let errorCode = dlsym(handle, "ZSTD_getErrorCode")
    else { return nil }
    self.createStream = unsafeBitCast(createStream, to: Create.self)
    self.freeStream = unsafeBitCast(freeStream, to: Use.self)
    self.initStream = unsafeBitCast(initStream, to: Use.self)
    self.setParameter = unsafeBitCast(setParameter, to: Set.self)
    self.decompress = unsafeBitCast(decompress, to: Decompress.self)
    self.contentSize = unsafeBitCast(contentSize, to: ContentSize.self)
    self.isError = unsafeBitCast(isError, to: IsError.self)
    self.errorCode = unsafeBitCast(errorCode, to: ErrorCode.self)
  }
}
