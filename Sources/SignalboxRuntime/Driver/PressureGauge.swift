// PressureGauge — a file in which the kernel tells of memory pressure.
//
// Two kinds of files tell. The better one measures for how much of the time tasks stand
// still for want of memory (PSI); a *trigger* written to it has the kernel signal when
// that is too much. Where triggers are refused, the control group's counters tell of each
// time that the group met its limits.
//
// Sources     the kernel's Documentation/accounting/psi.rst and
//             admin-guide/cgroup-v2.rst (`memory.pressure`, `memory.events`); systemd's
//             "Memory Pressure Handling", which has the same threshold for a warning.

import CSignalbox

/// Touching: `counts`: under the lock of its owner. The rest never changes.
final class PressureGauge {
  enum Kind { case trigger(PressureLevel), counters }

  let kind: Kind
  let watch: DescriptorWatch
  private var counts = Counts()

  init(_ kind: Kind, _ watch: DescriptorWatch) {
    self.kind = kind
    self.watch = watch
  }

  /// Microseconds within which the kernel measures and signals once. A process without
  /// privileges may choose none but multiples of two seconds.
  static var window: UInt64 { 2_000_000 }

  /// A warning: for a tenth of the time somebody stood still.
  static var warning: String { "some \(window / 10) \(window)" }
  /// Critical: for a fifth of the time everybody did, so that nothing got done.
  static var critical: String { "full \(window / 5) \(window)" }

  // MARK: Counters

  /// What `memory.events` has counted.
  struct Counts: Equatable {
    /// How often the group was throttled, or met its limit and had to give pages back.
    var narrow: UInt64 = 0
    /// How often nothing could be given back, or a process was killed for it.
    var exhausted: UInt64 = 0

    init() {}

    /// `max 3` and the like, a line each. Unknown lines mean nothing here.
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

  /// What the counters say since they were read last; the first time they say nothing.
  func read(_ text: String, isFirst: Bool = false) -> PressureLevel {
    let old = counts
    counts = Counts(text)
    if isFirst { return .normal }
    if counts.exhausted != old.exhausted { return .critical }
    return counts.narrow != old.narrow ? .warning : .normal
  }

  // MARK: Places

  /// The directory of the process's own control group, of version 2; nil if it is in none
  /// or it cannot be seen.
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
