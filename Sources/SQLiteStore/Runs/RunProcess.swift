internal import Foundation

/// The process of a run, as its row keeps it: anybody can see later whether it is still at work, without its lock.
///
/// A process id is given out again. Together with the process's start, the system's boot and the space of ids that it is
/// one of, it is not.
package struct RunProcess {
  /// The process id.
  let id: Int64
  /// When it started, in the system's own count; nil where the system does not tell.
  let start: String?
  /// The system's boot and the space of process ids, parted by a space; nil where the system does not tell.
  let boot: String?

  package init(id: Int64, start: String?, boot: String?) {
    (self.id, self.start, self.boot) = (id, start, boot)
  }

  /// This process.
  static var current: RunProcess {
    RunProcess(id: Int64(getpid()), start: start(of: "self"), boot: currentBoot)
  }

  /// Whether it is still there; nil where that cannot be judged.
  package var isAlive: Bool? {
    guard let id = Int32(exactly: id), id > 0 else { return false }
    let now = Self.currentBoot
    if let boot, let now, boot != now {
      // Another boot has ended it. Another space of ids, a container's say, cannot be looked into.
      return Self.bootID(boot) == Self.bootID(now) ? nil : false
    }
    if kill(id, 0) != 0, errno == ESRCH { return false }
    guard let start, let there = Self.start(of: "\(id)") else { return nil }
    return start == there
  }

  private static func bootID(_ boot: String) -> Substring? { boot.split(separator: " ").first }

  private static var currentBoot: String? {
    guard let boot = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8),
      let space = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")
    else { return nil }
    return "\(boot.trimmingCharacters(in: .whitespacesAndNewlines)) \(space)"
  }

  /// The 22nd field of `/proc/PROCESS/stat`; the second one, the program's name in parentheses, may hold anything.
  private static func start(of process: String) -> String? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let name = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[name...].split(separator: " ")
    return fields.count > 20 ? String(fields[20]) : nil
  }
}
