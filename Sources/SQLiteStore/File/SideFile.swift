package import StoreInterface

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A file that Bolide keeps beside a store: its lock with the last token, or a pin.
///
/// Whoever can write the folder, or has sent the store, may have put something else there. Before a byte or a mode is
/// written, the open file is looked at: a regular file, of that one name, of somebody who could write the store anyway.
package enum SideFile {
  /// What opening one gave.
  package enum Opened {
    /// A descriptor; the caller closes it.
    case file(Int32)
    /// There is none.
    case absent
    /// The system does not let this process have it: an error number.
    case denied(Int32)
  }

  /// Opens one that is there, to be read.
  ///
  /// - Throws: `StoreError.unsafeFile` for what is not such a file.
  package static func open(_ path: String, beside store: String) throws(StoreError) -> Opened {
    try open(path, beside: store, O_RDONLY)
  }

  /// Opens one to be written, and makes it where it is missing.
  ///
  /// Who may write the store may read and write it, and nobody else may: with its lock alone imports could be kept away.
  /// - Throws: as `open(_:beside:)`.
  package static func make(_ path: String, beside store: String) throws(StoreError) -> Opened {
    let opened = try open(path, beside: store, O_RDWR)
    guard case .absent = opened else { return opened }
    let descriptor = posixOpen(path, O_RDWR | O_CREAT | O_EXCL | flags, 0o600)
    if descriptor < 0, errno == EEXIST { return try open(path, beside: store, O_RDWR) }
    guard descriptor >= 0 else { return .denied(errno) }
    if let owner = FileFacts(store) {
      if geteuid() == 0 { fchown(descriptor, owner.user, owner.group) }
      fchmod(descriptor, mode(beside: owner))
    }
    return .file(descriptor)
  }

  private static let flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK

  private static func open(_ path: String, beside store: String, _ mode: Int32) throws(StoreError) -> Opened {
    let descriptor = posixOpen(path, mode | flags, 0)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return .absent
      // A link, a folder, a device or a pipe that nobody reads: looked at by name, as it was not opened.
      case ELOOP, EMLINK, ENXIO, EISDIR, ENODEV:
        throw .unsafeFile(path, FileFacts(path, followsLinks: false)?.problem(beside: store) ?? .special)
      default: return .denied(errno)
      }
    }
    guard let facts = FileFacts(descriptor) else {
      let error = errno
      close(descriptor)
      return .denied(error)
    }
    if let problem = facts.problem(beside: store) {
      close(descriptor)
      throw .unsafeFile(path, problem)
    }
    // The store's mode may have changed since; only the owner can follow it.
    if mode == O_RDWR, facts.user == geteuid(), let owner = FileFacts(store),
      facts.mode != UInt32(self.mode(beside: owner))
    {
      fchmod(descriptor, self.mode(beside: owner))
    }
    return .file(descriptor)
  }

  /// Reading and writing for each class of users that may write the store.
  private static func mode(beside store: FileFacts) -> mode_t {
    let writers = mode_t(store.mode) & 0o222
    return writers | writers << 1
  }
}

/// What the system knows of a file.
package struct FileFacts: Equatable {
  /// Which file it is, whatever its name.
  struct Identity: Equatable {
    let device: dev_t
    let number: ino_t
  }

  let identity: Identity
  /// Whose it is.
  let user: uid_t
  let group: gid_t
  /// The permissions, without the kind.
  package let mode: UInt32
  /// How many names it has.
  let links: Int
  private let kind: mode_t

  /// Why a file beside a store is not one of the store's.
  enum Problem {
    case link, special, severalNames, foreign
  }

  private init(_ status: stat) {
    identity = Identity(device: status.st_dev, number: status.st_ino)
    (user, group, links) = (status.st_uid, status.st_gid, Int(status.st_nlink))
    (mode, kind) = (UInt32(status.st_mode & 0o7777), status.st_mode & S_IFMT)
  }

  /// Those of an open file; nil where the system does not tell.
  init?(_ descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Those of a name; nil where there is none.
  package init?(_ path: String, followsLinks: Bool = true) {
    var status = stat()
    guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    self.init(status)
  }

  /// Whether it is a file, and no link, folder or device.
  package var isRegular: Bool { kind == S_IFREG }
  package var isFolder: Bool { kind == S_IFDIR }

  /// What keeps it from being a file that belongs to a store; nil when nothing does.
  ///
  /// Where a group or everybody may write the store, each of them makes the files beside it in turn.
  func problem(beside store: String) -> Problem? {
    if kind == S_IFLNK { return .link }
    if !isRegular { return .special }
    if links > 1 { return .severalNames }
    guard user != geteuid(), user != 0, let owner = FileFacts(store), user != owner.user else { return nil }
    let isShared = owner.mode & 0o002 != 0 || owner.mode & 0o020 != 0 && owner.group == group
    return isShared ? nil : .foreign
  }
}

/// `open`, which a type's own method of that name would hide.
private func posixOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
