internal import GRDB
internal import ImportModel
internal import ModelMerging
internal import SQLiteAccess
internal import SQLiteQueries
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  /// Copies objects of another store into this one, on the calling thread.
  package func copyObjects(
    _ request: ObjectQuery, from source: String, _ options: EditOptions
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
              try db.run("ATTACH ? AS \(ObjectCopy.source)", .text(other.location))
            }
            isAttached = true
            let (from, ids) = try Self.naming(source) {
              try Self.checkFormat(db, source, schema: ObjectCopy.source)
              return (
                try ModelRecord(db, schema: ObjectCopy.source).model,
                try FetchReading(db, path: source, schema: ObjectCopy.source).ids(request, at: nil)
              )
            }
            return try ObjectCopy(db, from: from, to: model).run(ids, of: request.entity)
          }
        }
        let end = Result { if isAttached { try writing { try $0.run("DETACH \(ObjectCopy.source)") } } }
        let (counts, edit) = try result.get()
        try end.get()
        return CopyReport(counts: counts, token: edit.token)
      }
    }
  }
}
