// ProcessorQuota — how much processor time the process's control groups grant, in
// processors.
//
// A container's limit is not an affinity: the process sees all processors, but its threads
// are throttled when they use too much together. A pool as wide as the machine would run
// at full speed for a few milliseconds and be stopped for the rest of the period.
//
// Every group from the process's own up to the root of the mount may set a limit; the
// smallest counts. The two versions of control groups can be mounted together
// (`hybrid`), each with a limit of its own.
//
// Sources     cgroups(7); the kernel's Documentation/admin-guide/cgroup-v2.rst
//             (`cpu.max`) and scheduler/sched-bwc.rst (`cpu.cfs_quota_us`).

/// Reads the quota below a directory that takes the place of the file system's root.
package struct ProcessorQuota {
  private let root: String

  /// - Parameter root: a prefix for every path; empty for the real files.
  package init(root: String = "") { self.root = root }

  package struct Reading: Equatable, Sendable {
    /// Whole processors, rounded up, at least 1; nil if there is no limit.
    package internal(set) var processors: Int?
    /// Files with unexpected contents, each with the problem. They count as no limit.
    package internal(set) var oddities: [String] = []
    /// The smallest of the limits, before rounding.
    fileprivate var smallest = Double.infinity

    fileprivate mutating func limit(to processors: Double) {
      smallest = min(smallest, processors)
      // A limit beyond what the kernel supports counts as no limit: its conversion would trap.
      if smallest < 65536 { self.processors = max(1, Int(smallest.rounded(.up))) }
    }
  }

  /// The directories with limits: those of the process's groups and of the groups around
  /// them.
  package struct Directories: Sendable {
    /// The memberships from which the directories were found.
    fileprivate let groups: String
    fileprivate let paths: [(version: CgroupVersion, path: String)]
  }

  /// Reads the groups, the mounts and the limits.
  package func read() -> Reading {
    var known: Directories?
    return read(&known)
  }

  /// Reads the limits.
  ///
  /// - Parameter known: the directories of the last reading. The list of mounts, which
  ///   is long on a machine with many containers, is read again only if the process has
  ///   moved to other groups. The rest is a few small files and takes a few tens of
  ///   microseconds.
  package func read(_ known: inout Directories?) -> Reading {
    var reading = Reading()
    guard let groups = text(of: "/proc/self/cgroup", into: &reading) else { return reading }
    if known?.groups != groups {
      guard let mounts = text(of: "/proc/self/mountinfo", into: &reading) else { return reading }
      known = ProcessorQuota.directories(of: groups, mounts)
    }
    for directory in known?.paths ?? [] {
      switch directory.version {
      case .one: readVersion1(directory.path, into: &reading)
      case .two: readVersion2(directory.path, into: &reading)
      }
    }
    return reading
  }

  private static func directories(of groups: String, _ mounts: String) -> Directories {
    let mounted = mounts.split(separator: "\n").compactMap { CgroupMount(line: $0) }
    var directories: [(version: CgroupVersion, path: String)] = []
    for line in groups.split(separator: "\n") {
      guard let group = CgroupMembership(line: line) else { continue }
      let candidates = mounted.filter { $0.version == group.version }
      guard let mount = candidates.first(where: { $0.shows(group.path) }) ?? candidates.first
      else { continue }
      directories += mount.directories(from: group.path).map { (group.version, $0) }
    }
    return Directories(groups: groups, paths: directories)
  }

  // MARK: Files

  /// Parses "max 100000" or "150000 100000".
  private func readVersion2(_ directory: String, into reading: inout Reading) {
    let path = directory + "/cpu.max"
    // The root group has no such file, nor has a group whose parent does not pass the
    // controller down.
    guard let text = text(of: path, into: &reading) else { return }
    let words = text.split(whereSeparator: \.isWhitespace)
    if words.first == "max" { return }
    guard words.count == 2, let quota = Int64(words[0]), let period = Int64(words[1]),
      quota > 0, period > 0
    else { return note(path, "holds \(quoted(text))", in: &reading) }
    reading.limit(to: Double(quota) / Double(period))
  }

  /// Reads two files with a number each; a quota of -1 means none.
  private func readVersion1(_ directory: String, into reading: inout Reading) {
    let quotaPath = directory + "/cpu.cfs_quota_us"
    let periodPath = directory + "/cpu.cfs_period_us"
    guard let quotaText = text(of: quotaPath, into: &reading) else { return }
    guard let quota = number(quotaText), quota == -1 || quota > 0 else {
      return note(quotaPath, "holds \(quoted(quotaText))", in: &reading)
    }
    if quota == -1 { return }
    guard let periodText = text(of: periodPath, into: &reading) else {
      return note(periodPath, "is missing beside a quota", in: &reading)
    }
    guard let period = number(periodText), period > 0 else {
      return note(periodPath, "holds \(quoted(periodText))", in: &reading)
    }
    reading.limit(to: Double(quota) / Double(period))
  }

  private func number(_ text: String) -> Int64? {
    let words = text.split(whereSeparator: \.isWhitespace)
    return words.count == 1 ? Int64(words[0]) : nil
  }

  private func text(of path: String, into reading: inout Reading) -> String? {
    switch SmallFile.read(root + path) {
    case .text(let text): return text
    case .missing: return nil
    case .unreadable(let error):
      note(path, "cannot be read (errno \(error))", in: &reading)
      return nil
    }
  }

  private func note(_ path: String, _ problem: String, in reading: inout Reading) {
    reading.oddities.append("\(root)\(path) \(problem)")
  }

  /// At most a line of the text, whatever the file contains.
  private func quoted(_ text: String) -> String {
    "\"" + text.prefix(40).map { $0.isWhitespace ? " " : String($0) }.joined() + "\""
  }
}
