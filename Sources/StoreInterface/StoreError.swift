/// Why the store could not do what was asked.
public struct StoreError: Error, Sendable, Hashable {
  /// The kind of failure, for programs. New kinds may come.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String {
      case full, readOnly, busy, locked, walLimit, cannotOpen, notAStore, newerFormat, olderFormat, corrupt,
        inputOutput,
        storeGone, unreachable, missingLibrary
      case unsafeFile, foreignSchema, untrustedSchema, malformed, interrupted
      case constraint, keyExists, expression, modelChange
      case guarded, badRequest, unknownReader, notAToken, tokenExpired, tokenDiverged, tokenOfAnotherStore,
        tokenFromTheFuture, typeMismatch, unsupported, closed, other
    }
    private let kind: Kind
    /// The code as a word.
    public var description: String { kind.rawValue }

    /// The disk or a quota is full.
    public static let full = Code(kind: .full)
    /// The file or its folder cannot be written.
    public static let readOnly = Code(kind: .readOnly)
    /// Another connection holds SQLite's write lock.
    public static let busy = Code(kind: .busy)
    /// Another import holds the store.
    public static let locked = Code(kind: .locked)
    /// Readers keep the write-ahead log from being emptied, and it is as large as it may be.
    public static let walLimit = Code(kind: .walLimit)
    /// There is no such file, or it cannot be opened or made.
    public static let cannotOpen = Code(kind: .cannotOpen)
    /// There is no such file, although there was one, or none is to be made.
    public static let storeGone = Code(kind: .storeGone)
    /// The server that holds the store does not answer.
    public static let unreachable = Code(kind: .unreachable)
    /// A library that the store's engine needs is not on this machine.
    public static let missingLibrary = Code(kind: .missingLibrary)
    /// The file is not SQLite's, or not a store of Bolide's.
    public static let notAStore = Code(kind: .notAStore)
    /// The file was written by a later version.
    public static let newerFormat = Code(kind: .newerFormat)
    /// The file was written by a version before the first release.
    public static let olderFormat = Code(kind: .olderFormat)
    /// The file is damaged.
    public static let corrupt = Code(kind: .corrupt)
    /// A read or a write failed.
    public static let inputOutput = Code(kind: .inputOutput)
    /// What lies beside the store is not the store's: a link, say, or another user's file.
    public static let unsafeFile = Code(kind: .unsafeFile)
    /// The file's tables or triggers are not as Bolide makes them.
    public static let foreignSchema = Code(kind: .foreignSchema)
    /// Another program's trigger needs what only a trusted schema may use.
    public static let untrustedSchema = Code(kind: .untrustedSchema)
    /// One of Bolide's own tables holds a number or a word that Bolide never writes.
    public static let malformed = Code(kind: .malformed)
    /// The statement was ended because what it was for was cancelled.
    public static let interrupted = Code(kind: .interrupted)
    /// A rule of the table was broken.
    public static let constraint = Code(kind: .constraint)
    /// A record's key is in the store already, and the merge policy is `fail`.
    public static let keyExists = Code(kind: .keyExists)
    /// An expression failed.
    public static let expression = Code(kind: .expression)
    /// The model differs from the store's in a way that loses or converts values, or is older.
    public static let modelChange = Code(kind: .modelChange)
    /// A delete rule, a constraint or a limit on deletions prevents the operation.
    public static let guarded = Code(kind: .guarded)
    /// The request is contradictory, or names something that the store does not have.
    public static let badRequest = Code(kind: .badRequest)
    /// There is no reader of that name.
    public static let unknownReader = Code(kind: .unknownReader)
    /// The text is not a token.
    public static let notAToken = Code(kind: .notAToken)
    /// The history after the token was pruned.
    public static let tokenExpired = Code(kind: .tokenExpired)
    /// The token names a transaction that this file never had.
    public static let tokenDiverged = Code(kind: .tokenDiverged)
    /// The token is another store's.
    public static let tokenOfAnotherStore = Code(kind: .tokenOfAnotherStore)
    /// The token is later than the store.
    public static let tokenFromTheFuture = Code(kind: .tokenFromTheFuture)
    /// A value is not of the Swift type that it was to be read as.
    public static let typeMismatch = Code(kind: .typeMismatch)
    /// The store's engine does not implement it.
    public static let unsupported = Code(kind: .unsupported)
    /// The store was closed by `Store.close()`.
    public static let closed = Code(kind: .closed)
    /// Anything else that SQLite reports.
    public static let other = Code(kind: .other)
  }

  /// The kind of failure.
  public var code: Code
  /// The file that it is about: the store, or one beside it; nil where it is about none.
  public var file: String?
  /// What is wrong with it, without the file's name.
  public var reason: String
  /// What to do about it, in a sentence.
  public var hint: String?
  /// The same for programs, where it is a call of this library's; the sentence's last words describe it.
  public var remedy: Remedy?
  /// What the engine says in its own words, where `reason` only quotes it.
  package var engineText: String?

  /// Makes an error.
  public init(
    _ code: Code, at file: String? = nil, _ reason: String, hint: String? = nil, _ remedy: Remedy? = nil
  ) {
    self.code = code
    self.file = file
    self.reason = reason
    self.hint = hint
    self.remedy = remedy
  }

  /// One sentence for people.
  public var message: String { file.map { "\($0): \(reason)" } ?? reason }
}

extension StoreError {
  /// The same error, told of a file unless it is of another one or about an input.
  package func about(_ path: String) -> StoreError {
    guard file == nil, code != .keyExists else { return self }
    var error = self
    error.file = path
    return error
  }
}
