internal import GRDB
internal import GRDBSQLite
internal import ImportModel
internal import SQLiteAccess

/// The SQL functions by which Bolide's own connections write texts in another spelling.
///
/// No trigger, index or column uses them: any other program can write the file.
enum TextFunctions {
  static func name(_ folding: TextFolding) -> String { "bolide_\(folding.rawValue)" }

  /// Makes a connection know the functions.
  static func add(to db: Database) throws {
    for folding in TextFolding.allCases {
      try db.add(function: name(folding), arguments: 1, function(folding))
    }
  }

  private static func function(_ folding: TextFolding) -> Database.Function {
    switch folding {
    case .canonical: { context, _, arguments in TextFunctions.fold(.canonical, context, arguments?[0]) }
    case .uppercase: { context, _, arguments in TextFunctions.fold(.uppercase, context, arguments?[0]) }
    case .lowercase: { context, _, arguments in TextFunctions.fold(.lowercase, context, arguments?[0]) }
    }
  }

  /// By the text's bytes and their count: it may hold U+0000.
  private static func fold(_ folding: TextFolding, _ context: OpaquePointer?, _ value: OpaquePointer?) {
    guard sqlite3_value_type(value) == SQLITE_TEXT, let text = sqlite3_value_text(value) else {
      return sqlite3_result_null(context)
    }
    let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
    var folded = folding.apply(String(decoding: bytes, as: UTF8.self))
    folded.withUTF8 { bytes in
      sqlite3_result_text64(
        context, UnsafeRawPointer(bytes.baseAddress ?? text).assumingMemoryBound(to: CChar.self),
        UInt64(bytes.count),
        transient, UInt8(SQLITE_UTF8))
    }
  }
}
