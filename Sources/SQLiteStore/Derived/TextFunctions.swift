internal import GRDB
internal import ImportModel

/// The SQL functions by which Bolide's own connections write texts in another spelling.
///
/// No trigger, index or column uses them: any other program can write the file.
enum TextFunctions {
  static func name(_ folding: TextFolding) -> String { "bolide_\(folding.rawValue)" }

  /// Makes a connection know the functions.
  static func add(to db: Database) {
    for folding in TextFolding.allCases {
      db.add(
        function: DatabaseFunction(name(folding), argumentCount: 1, pure: true) { arguments in
          String.fromDatabaseValue(arguments[0]).map(folding.apply)
        })
    }
  }
}
