internal import Foundation

/// Where stores are: how SQLite is told, and how one names another.
package enum StoreLocation {
  /// What opens a store whose folder cannot be written: a store with a write-ahead log needs files beside it, which nobody
  /// can make there. Nil where they can be, or are there.
  ///
  /// SQLite then takes the file for one that does not change while it is open.
  static func sealedOff(_ path: String) -> String? {
    guard access(path, R_OK) == 0, access(folder(of: path), W_OK) != 0,
      !["-wal", "-shm"].contains(where: { FileManager.default.fileExists(atPath: path + $0) })
    else { return nil }
    return "\(uri(path))?immutable=1"
  }

  /// Whether a store was opened by a URI of ours.
  static func isURI(_ location: String, of path: String) -> Bool {
    location != path && location.hasPrefix(uri(path))
  }

  /// What tells a file that was written since from one that was not, without opening it: its date and size.
  static func state(of path: String) -> [String]? {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
    let facts: [FileAttributeKey] = [.modificationDate, .size, .systemFileNumber]
    return facts.map { "\(attributes[$0] ?? "")" }
  }

  /// A location that is only to be read.
  static func readOnly(_ location: String, of path: String) -> String {
    isURI(location, of: path) ? location : "\(uri(path))?mode=ro"
  }

  private static func uri(_ path: String) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/".utf8)
    let encoded = path.utf8.map { byte in
      plain.contains(byte)
        ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
    return (path.hasPrefix("/") ? "file://" : "file:") + encoded
  }

  // MARK: One store beside another

  /// Whether two paths lead to one file.
  static func areOne(_ path: String, _ other: String) -> Bool { parts(path) == parts(other) }

  /// The path of a store that another one names.
  static func path(_ name: String, beside store: String) -> String {
    guard !name.hasPrefix("/") else { return name }
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
    guard !name.hasPrefix("/") else { return name }
    let target = parts(joined(folder, name))
    let base = parts(store).dropLast()
    let common = zip(target, base).prefix { $0 == $1 }.count
    return (Array(repeating: "..", count: base.count - common) + target[common...]).joined(separator: "/")
  }

  /// The names on the way to a file from the root, over no links. The file need not be there, nor be its own.
  private static func parts(_ path: String) -> [String] {
    let file = URL(filePath: path).absoluteURL.standardizedFileURL.resolvingSymlinksInPath()
    return file.path(percentEncoded: false).split(separator: "/").map(String.init)
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
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
