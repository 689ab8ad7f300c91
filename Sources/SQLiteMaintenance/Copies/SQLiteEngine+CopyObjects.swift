internal import GRDB
internal import ImportModel
internal import ModelMerging
internal import ObjectEdits
internal import SQLiteAccess
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  package func readCopies<Result>(_ body: (any CopySource) throws -> Result) throws -> Result {
    try reading { try body(StoredSource($0, path: path)) }
  }

  package func copyObjects(
    _ request: ObjectQuery, from source: any StoreEngine, _ options: EditOptions
  ) throws -> CopyReport {
    if source is SQLiteEngine { return try copyObjects(request, fromFile: source.path, options) }
    return try source.readCopies { state in
      let (counts, edit) = try editing(options) { db, model in
        try ObjectCopy(state, into: CopyTables(db, model)).run(request)
      }
      return CopyReport(counts: counts, token: edit.token)
    }
  }

  /// What SQL calls the attached file.
  private static let source = "bolide_source"

  /// Another file is read where it is: SQL reads both.
  private func copyObjects(
    _ request: ObjectQuery, fromFile source: String, _ options: EditOptions
  ) throws -> CopyReport {
    guard !StoreLocation.areOne(source, path) else { throw StoreError.copyOntoItself(path) }
    // Sees that it is a store, and keeps its write-ahead log until it is not read any more.
    let other = try SQLiteEngine(reading: source)
    return try withExtendedLifetime(other) {
      try naming {
        var isAttached = false
        let result = Result {
          try editing(options) { db, model in
            // Behind the transaction's begin, which would lock every file.
            try Connection.attaching(1, to: db) {
              try db.run("ATTACH ? AS \(Self.source)", .text(other.location))
            }
            isAttached = true
            let state = try Self.naming(source) {
              try Self.checkFormat(db, source, schema: Self.source)
              return try StoredSource(db, path: source, schema: Self.source)
            }
            return try ObjectCopy(state, into: CopyTables(db, model, source: "\(Self.source).")).run(request)
          }
        }
        let end = Result { if isAttached { try writing { try $0.run("DETACH \(Self.source)") } } }
        let (counts, edit) = try result.get()
        try end.get()
        return CopyReport(counts: counts, token: edit.token)
      }
    }
  }
}
