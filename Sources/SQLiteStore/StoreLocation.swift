internal import Foundation
internal import ImportModel

/// Where stores are: how SQLite is told, and how one names another.
package enum StoreLocation {
  /// What opens a store to be read, and changes nothing but the files that SQLite needs beside it.
  ///
  /// A store with a write-ahead log needs two files beside it. Who may not write the store leaves none of their own there:
  /// the store's owner could not write them. SQLite then takes the file for one that does not change while it is open,
  /// unless the files are there: somebody else may be writing.
  package static func reading(_ path: String) -> String {
    let isWritten = ["-wal", "-shm"].contains { FileManager.default.fileExists(atPath: path + $0) }
    let isOurs = access(path, W_OK) == 0 && access(folder(of: path), W_OK) == 0
    return isOurs || isWritten ? following(path) : unwritten(path)
  }

  /// What opens a store that is there to be written.
  package static func writing(_ path: String) -> String { "\(uri(path))?mode=rw" }

  /// What opens a store to be read while others write it.
  static func following(_ path: String) -> String { "\(uri(path))?mode=ro" }

  /// Whether a location of a store says that nobody writes it.
  package static func isUnwritten(_ location: String, of path: String) -> Bool {
    location.utf8.elementsEqual(unwritten(path).utf8)
  }

  static func unwritten(_ path: String) -> String { "\(uri(path))?immutable=1" }

  /// What tells a file that was written since from one that was not, without opening it: its date and size.
  static func state(of path: String) -> [String]? {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
    let facts: [FileAttributeKey] = [.modificationDate, .size, .systemFileNumber]
    return facts.map { "\(attributes[$0] ?? "")" }
  }

  /// A path as SQLite reads it, whatever bytes it has: `file:` at its beginning, too, is part of a name.
  private static func uri(_ path: String) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/".utf8)
    let encoded = path.utf8.map { byte in
      plain.contains(byte)
        ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
    return (isAbsolute(path) ? "file://" : "file:") + encoded
  }

  // MARK: One store beside another

  /// Whether two paths lead to one file.
  package static func areOne(_ path: String, _ other: String) -> Bool { parts(path) == parts(other) }

  /// Whether two files are in one folder, over no links.
  package static func areNeighbours(_ path: String, _ other: String) -> Bool {
    parts(path).dropLast() == parts(other).dropLast()
  }

  /// The path of a store that another one names.
  package static func path(_ name: String, beside store: String) -> String {
    guard !isAbsolute(name) else { return name }
    let file = URL(filePath: store).resolvingSymlinksInPath().path(percentEncoded: false)
    // As people would say it, where the store is no link to elsewhere.
    let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: store)) != nil
    return joined(folder(of: isLink ? file : store), name)
  }

  /// The name of a store for one that is elsewhere.
  ///
  /// - Parameters:
  ///   - name: as it is from a folder.
  ///   - store: the path of the one that is to name it.
  package static func name(_ name: String, in folder: String, for store: String) -> String {
    guard !isAbsolute(name) else { return name }
    let target = parts(joined(folder, name))
    let base = parts(store).dropLast()
    let common = zip(target, base).prefix { $0 == $1 }.count
    return (Array(repeating: "..", count: base.count - common) + target[common...]).joined(separator: "/")
  }

  /// The names on the way to a file from the root, over no links. The file need not be there, nor be its own.
  private static func parts(_ path: String) -> [String] {
    let file = URL(filePath: path).absoluteURL.standardizedFileURL.resolvingSymlinksInPath()
    return file.path(percentEncoded: false).utf8.split(separator: UInt8(ascii: "/")).map { String($0) ?? "" }
  }

  private static func joined(_ folder: String, _ name: String) -> String {
    switch folder {
    case ".": name
    case "/": "/" + name
    default: "\(folder)/\(name)"
    }
  }

  /// The folder that a path's file is in.
  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Where a path's symbolic links lead, also when no file is there yet.
  package static func destination(of path: String) -> String {
    var path = path
    // As many as the system follows.
    for _ in 0..<40 {
      guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
      path = isAbsolute(next) ? next : joined(folder(of: path), next)
    }
    return path
  }

  /// Whether a name is a file's that holds nothing, and no link's to one: `/dev/stdout` is the system's, whatever it leads to.
  package static func isEmptyFile(_ path: String) -> Bool {
    FileFacts(path, followsLinks: false)?.isRegular == true && fileSize(path) == 0
  }

  /// Whether a path begins at the root. By bytes: an accent behind the slash belongs to the first name.
  static func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }
}

extension Pipeline {
  /// The stores that its fetched properties name: who chooses a pipeline trusts them.
  package var namedStores: Set<String> {
    Set(model.entities.flatMap(\.fetchedProperties).compactMap(\.store))
  }
}
