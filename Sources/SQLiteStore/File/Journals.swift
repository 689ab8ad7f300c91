package import StoreInterface

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The files that SQLite keeps beside a database, before SQLite opens them: it takes whatever it finds for its own.
package enum Journals {
  /// Sees that they are regular files of one name, of somebody who could write the store.
  ///
  /// - Throws: `StoreError.unsafeFile` for the first that is not.
  static func check(of store: String) throws(StoreError) {
    let path = realPath(store)
    for ending in ["-wal", "-shm", "-journal"] {
      guard let facts = FileFacts(path + ending, followsLinks: false) else { continue }
      if let problem = facts.problem(beside: path) { throw .unsafeFile(path + ending, problem) }
    }
  }

  /// The same for a connection that writes, which rolls an interrupted transaction back: then SQLite deletes the file that
  /// the journal names as that of a transaction over several files. A store is never part of one.
  static func checkForWriting(of store: String) throws(StoreError) {
    try check(of: store)
    let journal = realPath(store) + "-journal"
    if namesAnother(journal) { throw .journalOfSeveral(journal) }
  }

  /// Sees that none lies where a store is to be made: SQLite would copy its pages into it.
  package static func checkNone(at path: String) throws(StoreError) {
    for ending in ["-wal", "-journal"] where fileSize(path + ending) > 0 {
      throw .logWithoutStore(path, ending)
    }
  }

  // The end of such a journal, numbers in big-endian order:
  //
  //     name of the super-journal │ 4 bytes: its length │ 4 bytes: checksum │ 8 bytes: d9 d5 05 f9 20 a1 63 d7
  private static let mark: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

  private static func namesAnother(_ journal: String) -> Bool {
    let descriptor = open(journal, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let end = lseek(descriptor, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: mark.count)
    guard end >= 16, pread(descriptor, &bytes, bytes.count, end - off_t(bytes.count)) == bytes.count else {
      return false
    }
    return bytes == mark
  }

  /// A path without links in it; the path itself where there is no such file.
  static func realPath(_ path: String) -> String {
    guard let pointer = realpath(path, nil) else { return path }
    defer { free(pointer) }
    return String(cString: pointer)
  }
}
