internal import Foundation

/// How much memory the control groups of this process (cgroups, of both versions) allow it.
package struct MemoryLimit {
  /// The system's root; tests have one of their own.
  private let root: String

  /// The lowest limit in bytes when it was asked for first; nil where there is none.
  package static let ofProcess = MemoryLimit(root: "").bytes

  package init(root: String) {
    self.root = root
  }

  /// The lowest limit of the process's groups and all around them, in bytes; nil where there is none.
  package var bytes: Int? {
    let paths = lines("/proc/self/cgroup").map {
      $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    }
    var lowest: Int?
    for mount in lines("/proc/self/mountinfo").compactMap(Mount.init) {
      guard
        let path = paths.first(where: {
          $0.count == 3 && (mount.isUnified ? $0[1].isEmpty : $0[1].split(separator: ",").contains("memory"))
        })
      else { continue }
      for folder in mount.folders(of: String(path[2])) {
        let limit = lines("\(folder)/\(mount.isUnified ? "memory.max" : "memory.limit_in_bytes")").first
        if let limit = limit.flatMap({ Int($0) }) { lowest = min(lowest ?? limit, limit) }
      }
    }
    return lowest
  }

  private func lines(_ path: String) -> [Substring] {
    // What cannot be read limits nothing: other systems have no control groups.
    guard let text = try? String(contentsOfFile: root + path, encoding: .utf8) else { return [] }
    return text.split(separator: "\n")
  }

  /// Where a hierarchy of groups can be seen.
  private struct Mount {
    /// Whether it is of version 2.
    let isUnified: Bool
    /// The group that is seen at `point`.
    let top: String
    let point: String

    /// - Parameter line: one of `/proc/self/mountinfo`; nil unless it has limits of memory.
    init?(_ line: Substring) {
      let fields = line.split(separator: " ")
      guard let dash = fields.firstIndex(of: "-"), dash > 4, fields.count > dash + 3 else { return nil }
      isUnified = fields[dash + 1] == "cgroup2"
      let isOfMemory =
        fields[dash + 1] == "cgroup" && fields[dash + 3].split(separator: ",").contains("memory")
      guard isUnified || isOfMemory else { return nil }
      (top, point) = (String(fields[3]), String(fields[4]))
    }

    /// The folders of a group and of those around it, as far as they can be seen.
    func folders(of group: String) -> [String] {
      var folders = [point]
      // A group outside of what is seen, as in a container, is the one at the top.
      guard top == "/" || group == top || group.hasPrefix(top + "/") else { return folders }
      for name in group.dropFirst(top == "/" ? 0 : top.count).split(separator: "/") {
        folders.append("\(folders[folders.count - 1])/\(name)")
      }
      return folders
    }
  }
}
