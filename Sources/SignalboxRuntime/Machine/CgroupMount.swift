// CgroupMount — where a control group's files are, according to the kernel's lists of mounts
// and memberships.
//
// Sources     proc_pid_mountinfo(5), proc_pid_cgroup(5).

enum CgroupVersion { case one, two }

/// A line of `/proc/self/cgroup` that concerns processor time.
struct CgroupMembership {
  let version: CgroupVersion
  /// Relative to the process's own root of control groups.
  let path: Substring

  /// Parses `0::/path` or `4:cpu,cpuacct:/path`; nil for other controllers.
  init?(line: Substring) {
    let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[2].hasPrefix("/") else { return nil }
    if parts[0] == "0" && parts[1].isEmpty {
      version = .two
    } else if parts[1].split(separator: ",").contains("cpu") {
      version = .one
    } else {
      return nil
    }
    path = parts[2]
  }
}

/// A line of `/proc/self/mountinfo` for control groups that limit processor time.
struct CgroupMount {
  let version: CgroupVersion
  /// The group that is mounted; in a container often not the topmost.
  private let root: String
  /// The mount point, without a slash at the end.
  private let mountPoint: String

  /// Parses `36 35 98:0 ROOT PLACE OPTIONS … - TYPE SOURCE OPTIONS`.
  init?(line: Substring) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count > 6, let dash = words[6...].firstIndex(of: "-"), words.count > dash + 3
    else { return nil }
    switch words[dash + 1] {
    case "cgroup2": version = .two
    case "cgroup" where words[dash + 3].split(separator: ",").contains("cpu"): version = .one
    default: return nil
    }
    root = CgroupMount.withoutSlash(CgroupMount.unescaped(words[3]))
    mountPoint = CgroupMount.withoutSlash(CgroupMount.unescaped(words[4]))
  }

  /// Whether the group's directory can be seen below the mount.
  func shows(_ group: Substring) -> Bool {
    root.isEmpty || group == root || group.hasPrefix(root + "/")
  }

  /// The directories of a group and of all groups around it, up to the mounted one. If the mount
  /// does not show the group, only the mounted directory: a container can see no other.
  func directories(from group: Substring) -> [String] {
    var steps =
      shows(group) ? group.dropFirst(root.count).split(separator: "/").map(String.init) : []
    // The path of a group outside the process's namespace contains "..".
    if steps.contains("..") { steps = [] }
    return (0...steps.count).reversed().map { count in
      mountPoint + steps.prefix(count).map { "/" + $0 }.joined()
    }
  }

  private static func withoutSlash(_ path: String) -> String {
    path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// Decodes blanks, line ends and backslashes, which the file holds as three octal
  /// digits.
  private static func unescaped(_ word: Substring) -> String {
    guard word.contains("\\") else { return String(word) }
    var bytes: [UInt8] = []
    var rest = Array(word.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"),
        let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
      {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
