// PressureTrigger — a file in which the kernel reports memory pressure.
//
// There are two kinds of files. The better kind measures the share of time for which tasks
// stall for lack of memory (PSI). A *trigger* written to such a file makes the kernel signal
// when the share is too large. If the kernel refuses triggers, the control group's counters
// show how often the group met its limits.
//
// Sources     the kernel's Documentation/accounting/psi.rst and
//             admin-guide/cgroup-v2.rst (`memory.pressure`, `memory.events`); systemd's
//             "Memory Pressure Handling", which has the same threshold for a warning.

import CSignalbox

// `counts` is read and written under the lock of the owner. The rest never changes.
final class PressureTrigger {
  enum Kind { case trigger(PressureLevel), counters }

  let kind: Kind
  let watch: DescriptorWatch
  private var counts = Counts()

  init(_ kind: Kind, _ watch: DescriptorWatch) {
    self.kind = kind
    self.watch = watch
  }

  /// The window in microseconds. The kernel signals at most once in each window. A process
  /// without privileges may choose only multiples of two seconds.
  static var window: UInt64 { 2_000_000 }

  /// A warning: some task stalled for a tenth of the time.
  static var warning: String { "some \(window / 10) \(window)" }
  /// Critical: all tasks stalled for a fifth of the time, so that no work was done.
  static var critical: String { "full \(window / 5) \(window)" }

  // MARK: Counters

  /// The counts in `memory.events`.
  struct Counts: Equatable {
    /// How many times the group was throttled, or met its limit and had to reclaim
    /// pages.
    var narrow: UInt64 = 0
    /// How many times nothing could be reclaimed, or a process was killed.
    var exhausted: UInt64 = 0

    init() {}

    /// Parses lines such as `max 3`, and ignores unknown ones.
    init(_ text: String) {
      for line in text.split(separator: "\n") {
        let words = line.split(separator: " ")
        guard words.count == 2, let number = UInt64(words[1]) else { continue }
        switch words[0] {
        case "high", "max": narrow &+= number
        case "oom", "oom_kill", "oom_group_kill": exhausted &+= number
        default: break
        }
      }
    }
  }

  /// The level according to the change since the last reading. The first reading says
  /// `normal`.
  func read(_ text: String, isFirst: Bool = false) -> PressureLevel {
    let old = counts
    counts = Counts(text)
    if isFirst { return .normal }
    if counts.exhausted != old.exhausted { return .critical }
    return counts.narrow != old.narrow ? .warning : .normal
  }

  // MARK: Files

  /// The directory of the process's own control group, version 2; nil if the process is
  /// in none or cannot see it.
  static func groupDirectory(_ root: String) -> String? {
    guard case .text(let groups) = SmallFile.read(root + "/proc/self/cgroup"),
      case .text(let mounts) = SmallFile.read(root + "/proc/self/mountinfo")
    else { return nil }
    let own = groups.split(separator: "\n").lazy
      .compactMap { CgroupMembership(line: $0) }.first { $0.version == .two }
    guard let own else { return nil }
    let candidates = mounts.split(separator: "\n")
      .compactMap { CgroupMount(line: $0) }.filter { $0.version == .two }
    let mount = candidates.first { $0.shows(own.path) } ?? candidates.first
    return mount?.directories(from: own.path).first
  }
}
